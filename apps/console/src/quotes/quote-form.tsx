import { ChoiceField, TextField } from '../shell/parts.js';
import { indexOfTenure, type OfferedTenure } from './offered.js';
import type { Issuer, QuoteQuery } from './quote.js';

const FREQUENCIES = ['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly'];

interface QuoteFormProps {
  readonly query: QuoteQuery;
  readonly issuers: readonly Issuer[];
  /** Tenures on sale; empty while they are unknown. */
  readonly tenures: readonly OfferedTenure[];
  readonly change: (changes: Partial<QuoteQuery>) => void;
  readonly apiKey: string;
  readonly onApiKey: (key: string) => void;
}

/** The terms of the deposit. */
export function QuoteForm({ query, issuers, tenures, change, apiKey, onApiKey }: QuoteFormProps) {
  const listed = issuers.map(({ f_code: code, name }) => [code, name] as const);
  const isListed = listed.some(([code]) => code === query.issuer);
  const unlisted = listed.length > 0 ? `${query.issuer}: no such issuer` : query.issuer;
  const flag = (name: 'senior_citizen' | 'women_citizen' | 'tax_saver', label: string) => (
    <label class="check">
      <input
        type="checkbox"
        checked={query[name] === 'true'}
        onChange={({ currentTarget }) => change({ [name]: String(currentTarget.checked) })}
      />
      {label}
    </label>
  );
  return (
    <div class="stack">
      <ChoiceField
        id="quote-issuer"
        label="Issuer"
        value={query.issuer}
        choices={isListed ? listed : [[query.issuer, unlisted], ...listed]}
        onInput={(issuer) => change({ issuer })}
      />
      <ChoiceField
        id="quote-product"
        label="Product type"
        value={query.product_type}
        choices={[
          ['FD', 'FD: fixed deposit'],
          ['RD', 'RD: refused, no issuer sells it'],
        ]}
        onInput={(product_type) => change({ product_type })}
      />
      <TextField
        {...{ id: 'quote-amount', label: 'Amount, rupees', value: query.amount, isNumber: true }}
        onInput={(amount) => change({ amount })}
      />
      {tenures.length > 1 && <TenureSlider {...{ query, tenures, change }} />}
      <TextField
        {...{ id: 'quote-tenure', label: 'Tenure, days', value: query.tenure, isNumber: true }}
        onInput={(tenure) => change({ tenure })}
      />
      <ChoiceField
        id="quote-frequency"
        label="Interest is paid"
        value={query.payout_frequency}
        choices={FREQUENCIES.map((frequency) => [frequency, frequency] as const)}
        onInput={(payout_frequency) => change({ payout_frequency })}
      />
      {flag('senior_citizen', 'Senior citizen')}
      {flag('women_citizen', 'Woman')}
      {flag('tax_saver', 'Tax saver')}
      <TextField id="quote-key" label="API key" value={apiKey} onInput={onApiKey} />
    </div>
  );
}

function TenureSlider({ query, tenures, change }: Pick<QuoteFormProps, 'query' | 'tenures' | 'change'>) {
  const index = indexOfTenure(tenures, Number(query.tenure));
  const { from, to, label, rate } = tenures[index]!;
  const text = `${label}, ${rate} %`;
  return (
    <div class="field">
      <label for="quote-offered">Offered tenures</label>
      <input
        id="quote-offered"
        type="range"
        min={0}
        max={tenures.length - 1}
        value={index}
        aria-valuetext={text}
        onInput={({ currentTarget }) =>
          change({ tenure: String(tenures[Number(currentTarget.value)]!.from) })
        }
      />
      <p class="field-help">
        {text}: {from} to {to} days
      </p>
    </div>
  );
}
