import { Empty } from '../shell/parts.js';
import { inRupees } from '../shell/words.js';
import type { Comparison } from './quote.js';

/** The same deposit at all issuers: by interest, highest first, then the issuers without an offer with the reason. */
export function ComparisonTable(props: {
  readonly comparison: Comparison;
  /** Code of the selected issuer. */
  readonly chosen: string;
  readonly onChoose: (code: string) => void;
}) {
  const { quotes, unavailable } = props.comparison;
  const most = Math.max(0, ...quotes.map(({ interest_amount: interest }) => interest));
  if (quotes.length + unavailable.length === 0)
    return <Empty title="No issuers">The catalogue is empty.</Empty>;
  return (
    <div class="scroll" role="region" aria-label="Comparison of issuers" tabIndex={0}>
      <table class="wide-table comparison">
        <ComparisonHead />
        <tbody>
          {quotes.map((quote) => (
            <tr key={quote.f_code} class={quote.f_code === props.chosen ? 'is-chosen' : ''}>
              <th scope="row">
                <button type="button" class="link" onClick={() => props.onChoose(quote.f_code)}>
                  {quote.rank}. {quote.name}
                </button>
              </th>
              <td class="number" data-label="Rate a year">
                {quote.product_interest} %
              </td>
              <td class="number" data-label="You gain">
                {inRupees(quote.interest_amount)}
              </td>
              <td class="bar-cell">
                <meter
                  min={0}
                  max={most}
                  value={quote.interest_amount}
                  aria-label={`Interest of ${quote.name}`}
                />
              </td>
              <td class="number" data-label="At maturity">
                {inRupees(quote.maturity_amount)}
              </td>
            </tr>
          ))}
          {unavailable.map(({ f_code: code, name, errorCode, message }) => (
            <tr key={code} class="is-unavailable">
              <th scope="row">{name}</th>
              <td colSpan={4}>
                <code>{errorCode}</code> {message}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ComparisonHead() {
  return (
    <thead>
      <tr>
        <th scope="col">Issuer</th>
        <th scope="col" class="number">
          Rate
        </th>
        <th scope="col" class="number">
          You gain
        </th>
        <th scope="col" class="bar-cell">
          <span class="visually-hidden">Bar of interest</span>
        </th>
        <th scope="col" class="number">
          At maturity
        </th>
      </tr>
    </thead>
  );
}
