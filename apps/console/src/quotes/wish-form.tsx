import { ChoiceField, TextField } from '../shell/parts.js';
import { indexOfTenure, type OfferedTenure } from './offered.js';
import type { Issuer, Wish } from './quote.js';

const FREQUENCIES = ['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly'];

interface WishProps {
  readonly wish: Wish;
  readonly issuers: readonly Issuer[];
  /** Tenures on sale; empty while they are unknown. */
  readonly tenures: readonly OfferedTenure[];
  readonly change: (changes: Partial<Wish>) => void;
  readonly apiKey: string;
  readonly onApiKey: (key: string) => void;
}

/** The deposit that is asked about. */
export function WishForm({ wish, issuers, tenures, change, apiKey, onApiKey }: WishProps) {
  const listed = issuers.map(({ f_code: code, name }) => [code, name] as const);
  const isListed = listed.some(([code]) => code === wish.issuer);
  const unlisted = listed.length > 0 ? `${wish.issuer}: no such issuer` : wish.issuer;
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
        choices={isListed ? listed : [[wish.issuer, unlisted], ...listed]}
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
      {tenures.length > 1 && <TenureSlider {...{ wish, tenures, change }} />}
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

function TenureSlider({ wish, tenures, change }: Pick<WishProps, 'wish' | 'tenures' | 'change'>) {
  const index = indexOfTenure(tenures, Number(wish.tenure));
  const { from, to, label, rate } = tenures[index]!;
  const text = `${label}, ${rate} %`;
  return (
    <div class="field">
      <label for="wish-offered">Offered tenures</label>
      <input
        id="wish-offered"
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
