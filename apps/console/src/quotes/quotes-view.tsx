import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Exchange, isGood, payloadOf, refusalsOf } from '../calls/exchange.js';
import { ExchangeCard, StatusChip } from '../calls/exchange-card.js';
import { send } from '../calls/send.js';
import { ChoiceField, TextField, ViewHead } from '../shell/parts.js';
import type { Settings } from '../shell/sandbox-api.js';
import { goTo, rememberParams } from '../shell/use-route.js';
import { inRupees } from '../shell/words.js';
import { ComparisonTable } from './comparison-table.js';
import { GrowthBar, PayoutChart } from './payout-chart.js';
import {
  type Comparison,
  comparePath,
  type Issuer,
  payoutsOf,
  type Quote,
  quotePath,
  type Wish,
  wishOf,
} from './quote.js';

/** Typing pauses the requests. */
const TYPING_MS = 250;

const FREQUENCIES = ['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly'];

interface Answers {
  readonly quote: Exchange;
  readonly comparison: Exchange;
}

interface Asked {
  readonly issuers: readonly Issuer[];
  readonly answers: Answers | undefined;
}

/** Asks for the quote and the comparison whenever the wish changes. */
function useQuotes(baseUrl: string, apiKey: string, wish: Wish): Asked {
  const [issuers, setIssuers] = useState<readonly Issuer[]>([]);
  const [answers, setAnswers] = useState<Answers>();
  const ask = (title: string, path: string): Promise<Exchange> =>
    send({ method: 'GET', url: baseUrl + path, headers: { apikey: apiKey } }, { title });
  useEffect(() => {
    void ask('Issuers', '/api/v1/issuers').then((exchange) =>
      setIssuers((payloadOf(exchange)['issuers'] as Issuer[] | undefined) ?? []),
    );
  }, [baseUrl, apiKey]);
  useEffect(() => {
    let isCurrent = true;
    const asking = async (): Promise<void> => {
      const [quote, comparison] = await Promise.all([
        ask('Quote', quotePath(wish)),
        ask('Comparison', comparePath(wish)),
      ]);
      if (isCurrent) setAnswers({ quote, comparison });
    };
    const timer = setTimeout(() => void asking(), TYPING_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [baseUrl, apiKey, wish]);
  return { issuers, answers };
}

/** What a deposit pays: with one issuer in detail, and with all of them side by side. */
export function QuotesView(props: {
  readonly settings: Settings;
  readonly params: Readonly<Record<string, string>>;
}) {
  const { settings } = props;
  const address = JSON.stringify(wishOf(props.params));
  // the same wish stays the same object, so that it is asked for once
  const wish = useMemo(() => JSON.parse(address) as Wish, [address]);
  const [apiKey, setApiKey] = useState(settings.api_key);
  const { issuers, answers } = useQuotes(settings.master_base_url, apiKey, wish);
  const change = (changes: Partial<Wish>): void => {
    const isTyped = 'amount' in changes || 'tenure' in changes;
    // each key of a number is no place to go back to
    (isTyped ? rememberParams : goTo)('quotes', { ...wish, ...changes });
  };
  return (
    <>
      <ViewHead
        title="Quotes"
        lead="What a deposit pays, from master-service: with one issuer, and with all of them."
      />
      <div class="quotes">
        <section class="panel wish" aria-label="The deposit">
          <WishForm {...{ wish, issuers, change, apiKey }} onApiKey={setApiKey} />
        </section>
        <div class="quote-results" aria-live="polite" aria-busy={!answers}>
          {answers && <QuotePanel exchange={answers.quote} />}
          {answers && (
            <ComparisonPanel
              exchange={answers.comparison}
              wish={wish}
              onChoose={(issuer) => change({ issuer })}
            />
          )}
        </div>
      </div>
    </>
  );
}

interface WishProps {
  readonly wish: Wish;
  readonly issuers: readonly Issuer[];
  readonly change: (changes: Partial<Wish>) => void;
  readonly apiKey: string;
  readonly onApiKey: (key: string) => void;
}

function WishForm({ wish, issuers, change, apiKey, onApiKey }: WishProps) {
  const listed = issuers.map(({ f_code: code, name }) => [code, name] as const);
  const isListed = listed.some(([code]) => code === wish.issuer);
  const flag = (name: 'senior_citizen' | 'women_citizen' | 'tax_saver', label: string) => (
    <label class="check">
      <input
        type="checkbox"
        checked={wish[name] === 'true'}
        onChange={({ currentTarget }) => change({ [name]: String(currentTarget.checked) })}
      />
      {label}
    </label>
  );
  return (
    <div class="stack">
      <ChoiceField
        id="wish-issuer"
        label="Issuer"
        value={wish.issuer}
        choices={isListed ? listed : [[wish.issuer, wish.issuer], ...listed]}
        onInput={(issuer) => change({ issuer })}
      />
      <ChoiceField
        id="wish-product"
        label="Product type"
        value={wish.product_type}
        choices={[
          ['FD', 'FD: fixed deposit'],
          ['RD', 'RD: refused, no issuer sells it'],
        ]}
        onInput={(product_type) => change({ product_type })}
      />
      <TextField
        {...{ id: 'wish-amount', label: 'Amount, rupees', value: wish.amount, isNumber: true }}
        onInput={(amount) => change({ amount })}
      />
      <TextField
        {...{ id: 'wish-tenure', label: 'Tenure, days', value: wish.tenure, isNumber: true }}
        onInput={(tenure) => change({ tenure })}
      />
      <ChoiceField
        id="wish-frequency"
        label="Interest is paid"
        value={wish.payout_frequency}
        choices={FREQUENCIES.map((frequency) => [frequency, frequency] as const)}
        onInput={(payout_frequency) => change({ payout_frequency })}
      />
      {flag('senior_citizen', 'Senior citizen')}
      {flag('women_citizen', 'Woman')}
      {flag('tax_saver', 'Tax saver')}
      <TextField id="wish-key" label="API key" value={apiKey} onInput={onApiKey} />
    </div>
  );
}

function Refused({ exchange, title }: { readonly exchange: Exchange; readonly title: string }) {
  return (
    <div class="notice bad" role="alert">
      <p class="notice-title">
        <StatusChip exchange={exchange} /> {title}
      </p>
      {refusalsOf(exchange).map(({ code, text }) => (
        <p key={code}>
          {code && <code>{code}</code>} {text}
        </p>
      ))}
    </div>
  );
}

function QuotePanel({ exchange }: { readonly exchange: Exchange }) {
  return (
    <section class="panel" aria-labelledby="quote">
      <h2 id="quote">Quote</h2>
      {isGood(exchange) ? (
        <QuoteDetail quote={exchange.answer!.body as Quote} />
      ) : (
        <Refused exchange={exchange} title="No quote" />
      )}
      <ol class="exchanges" aria-label="The call">
        <ExchangeCard exchange={exchange} isOpen={false} />
      </ol>
    </section>
  );
}

function QuoteDetail({ quote }: { readonly quote: Quote }) {
  const payouts = payoutsOf(quote);
  const { base, senior, women } = quote.rate_applied;
  const facts = [
    ['At maturity', inRupees(quote.maturity_amount)],
    ['Rate a year', `${quote.product_interest} % (${base} base, ${senior} senior, ${women} women)`],
    ['Average yield', `${quote.average_yield} %`],
    ['Matures on', quote.maturity_date_ist],
    ['Compounding', quote.compounding_rule],
    ['Days', quote.day_count],
    ['Rounding', quote.rounding],
  ] as const;
  return (
    <>
      <p class="headline">
        <strong>{inRupees(quote.interest_amount)}</strong> <span>gained in interest</span>
      </p>
      {quote.payout_frequency === 'Maturity' ? (
        <GrowthBar principal={quote.principal} interest={quote.interest_amount} />
      ) : (
        <PayoutChart payouts={payouts} />
      )}
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
              <td>{date}</td>
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

function ComparisonPanel(props: {
  readonly exchange: Exchange;
  readonly wish: Wish;
  readonly onChoose: (code: string) => void;
}) {
  const { exchange, wish } = props;
  return (
    <section class="panel" aria-labelledby="comparison">
      <h2 id="comparison">All issuers, for the same deposit</h2>
      {isGood(exchange) ? (
        <ComparisonTable
          comparison={payloadOf(exchange) as unknown as Comparison}
          chosen={wish.issuer}
          onChoose={props.onChoose}
        />
      ) : (
        <Refused exchange={exchange} title="No comparison" />
      )}
      <ol class="exchanges" aria-label="The call">
        <ExchangeCard exchange={exchange} isOpen={false} />
      </ol>
    </section>
  );
}
