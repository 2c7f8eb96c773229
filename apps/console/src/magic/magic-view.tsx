import { CopyButton } from '../shell/copy-button.js';
import { Empty, TextField, ViewHead } from '../shell/parts.js';
import type { MagicValue } from '../shell/sandbox-api.js';
import { rememberParams } from '../shell/use-route.js';
import { groupedMagic } from './magic-search.js';

/** The table by which the sandbox behaves. */
export function MagicView(props: { readonly magicValues: readonly MagicValue[]; readonly search: string }) {
  const { search } = props;
  const groups = groupedMagic(props.magicValues, search);
  const look = (text: string): void => rememberParams('magic', { q: text });
  return (
    <>
      <ViewHead
        title="Magic values"
        lead={
          <>
            Inputs with another effect than success. Any other value succeeds, as long as it is well-formed:
            an Aadhaar number needs its check digit (try <code>234567812346</code>).
          </>
        }
      />
      <TextField
        id="magic-search"
        isSearch
        className="narrow"
        label="Search"
        placeholder="For example: bank down"
        value={search}
        onInput={look}
      />
      {groups.length === 0 && (
        <Empty title="No such value">Try another word: down, expired, frozen, name.</Empty>
      )}
      <div class="tables">
        {groups.map(([what, rows]) => (
          <MagicTable key={what} what={what} rows={rows} />
        ))}
      </div>
    </>
  );
}

function MagicTable({ what, rows }: { readonly what: string; readonly rows: readonly MagicValue[] }) {
  return (
    <section class="panel">
      <table class="magic">
        <caption>{what}</caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Value</th>
            <th scope="col">What happens</th>
            <th scope="col">To try</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ value, effect, sample }) => (
            <tr key={value}>
              <th scope="row">
                <code>{value}</code>
              </th>
              <td>{effect}</td>
              <td class="sample">
                <CopyButton text={sample} label={`Copy ${sample}`} className="link">
                  <code>{sample}</code>
                </CopyButton>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
