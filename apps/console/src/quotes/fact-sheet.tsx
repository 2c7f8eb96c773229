import { useEffect, useState } from 'preact/hooks';
import { type Exchange, isGood, payloadOf } from '../calls/exchange.js';
import { ExchangeCard } from '../calls/exchange-card.js';
import { inRupees, readableDate } from '../shell/words.js';
import { MASTER } from './ask-master.js';
import { Refused } from './refused.js';

/** Payload of `GET /api/v1/fact-sheet/{issuer_code}`, as far as it is shown. Amounts are rupees. */
interface FactSheet {
  readonly estimate_text: string;
  readonly deposit: { readonly start_date: string; readonly holiday_text: string };
  readonly tax: {
    readonly years: readonly { readonly label: string; readonly tds: number; readonly text: string }[];
  };
  readonly insurance: { readonly text: string };
  readonly premature_withdrawal: {
    readonly steps: readonly { readonly from: string; readonly text: string }[];
  };
  readonly nomination: { readonly text: string };
}

/** The fact sheet before booking, loaded when it is opened. */
export function FactSheetPanel({
  ask,
  queryKey,
}: {
  readonly ask: () => Promise<Exchange>;
  readonly queryKey: string;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const [exchange, setExchange] = useState<Exchange>();
  useEffect(() => {
    if (!isOpen) return;
    let isCurrent = true;
    void ask().then((answered) => (isCurrent ? setExchange(answered) : undefined));
    return () => void (isCurrent = false);
  }, [isOpen, queryKey]);
  return (
    <details class="further" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Fact sheet: tax, insurance, early withdrawal, nominee</summary>
      {exchange && isGood(exchange) && <Sheet sheet={payloadOf(exchange) as unknown as FactSheet} />}
      {exchange && !isGood(exchange) && <Refused exchange={exchange} title="No fact sheet" />}
      {exchange && (
        <ol class="exchanges" aria-label="The call of the fact sheet">
          <ExchangeCard exchange={exchange} isOpen={false} service={MASTER} />
        </ol>
      )}
    </details>
  );
}

function Sheet({ sheet }: { readonly sheet: FactSheet }) {
  return (
    <div class="fact-sheet">
      <h3>Tax deducted by the issuer</h3>
      <ul>
        {sheet.tax.years.map(({ label, tds, text }) => (
          <li key={label}>
            <strong>
              {label}: {inRupees(tds)}
            </strong>{' '}
            {text}
          </li>
        ))}
      </ul>
      <h3>Early withdrawal</h3>
      <ul>
        {sheet.premature_withdrawal.steps.map(({ from, text }) => (
          <li key={from}>
            <strong>From {readableDate(from)}</strong> {text}
          </li>
        ))}
      </ul>
      <h3>Insurance</h3>
      <p>{sheet.insurance.text}</p>
      <h3>Nominee</h3>
      <p>{sheet.nomination.text}</p>
      <h3>Maturity on a holiday</h3>
      <p>{sheet.deposit.holiday_text}</p>
      <p class="hint">{sheet.estimate_text}</p>
    </div>
  );
}
