import { type Exchange, isGood } from '../calls/exchange.js';
import { ExchangeCard } from '../calls/exchange-card.js';
import { inRupees, readableDate } from '../shell/words.js';
import { MASTER } from './ask-master.js';
import { DepositChart } from './deposit-chart.js';
import { FactSheetPanel } from './fact-sheet.js';
import { momentsOf } from './growth.js';
import { payoutsOf, type Quote, type QuoteQuery } from './quote.js';
import { Refused } from './refused.js';

interface QuotePanelProps {
  readonly exchange: Exchange;
  readonly query: QuoteQuery;
  readonly askFactSheet: () => Promise<Exchange>;
  /** Undefined where the issuer has no journey. */
  readonly onChoose: ((quote: Quote) => void) | undefined;
}

/** The requested deposit: its gain, its dates, and facts before choosing it. */
export function QuotePanel({ exchange, query, askFactSheet, onChoose }: QuotePanelProps) {
  const quote = isGood(exchange) ? (exchange.answer!.body as Quote) : undefined;
  return (
    <section class="panel" aria-labelledby="quote">
      <h2 id="quote">Quote</h2>
      {quote ? (
        <>
          <QuoteDetail quote={quote} tenureDays={Number(query.tenure)} />
          <FactSheetPanel ask={askFactSheet} queryKey={JSON.stringify(query)} />
          {onChoose && (
            <div class="actions">
              <button type="button" onClick={() => onChoose(quote)}>
                Choose this deposit
              </button>
            </div>
          )}
        </>
      ) : (
        <Refused exchange={exchange} title="No quote" />
      )}
      <ol class="exchanges" aria-label="The call">
        <ExchangeCard exchange={exchange} isOpen={false} service={MASTER} />
      </ol>
    </section>
  );
}

function QuoteDetail({ quote, tenureDays }: { readonly quote: Quote; readonly tenureDays: number }) {
  const payouts = payoutsOf(quote);
  const { base, senior, women } = quote.rate_applied;
  const facts = [
    ['At maturity', inRupees(quote.maturity_amount)],
    ['Rate a year', `${quote.product_interest} % (${base} base, ${senior} senior, ${women} women)`],
    ['Average yield', `${quote.average_yield} %`],
    ['Matures on', readableDate(quote.maturity_date_ist)],
    ['Compounding', quote.compounding_rule],
    ['Days', quote.day_count],
    ['Rounding', quote.rounding],
  ] as const;
  const gain = inRupees(quote.interest_amount);
  const label =
    quote.payout_frequency === 'Maturity'
      ? `${inRupees(quote.principal)} grow by ${gain} of interest`
      : `Interest paid in ${payouts.length} payouts`;
  return (
    <>
      <p class="headline">
        <strong>{gain}</strong> <span>gained in interest by {readableDate(quote.maturity_date_ist)}</span>
      </p>
      <DepositChart moments={momentsOf(quote, tenureDays)} label={label} />
      <div class="quote-columns">
        <dl class="facts">
          {facts.map(([term, value]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <Schedule quote={quote} />
      </div>
      <details class="further">
        <summary>How it is calculated</summary>
        <ol class="working">
          {quote.working.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ol>
      </details>
    </>
  );
}

function Schedule({ quote }: { readonly quote: Quote }) {
  const payouts = payoutsOf(quote);
  return (
    <details class="further" open={payouts.length <= 12}>
      <summary>Schedule ({payouts.length})</summary>
      <table class="schedule">
        <thead>
          <tr>
            <th scope="col">Date</th>
            <th scope="col" class="number">
              Interest
            </th>
          </tr>
        </thead>
        <tbody>
          {payouts.map(({ date, amount }) => (
            <tr key={date}>
              <td>{readableDate(date)}</td>
              <td class="number">{inRupees(amount)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Together</th>
            <td class="number">{inRupees(quote.interest_amount)}</td>
          </tr>
        </tfoot>
      </table>
    </details>
  );
}
