import { sandboxClock } from '../clock/sandbox-clock.js';
import { ChoiceField, Empty, Liveness, TextField, ViewHead } from '../shell/parts.js';
import { type Effect, sandbox } from '../shell/sandbox-api.js';
import { usePolled } from '../shell/use-polled.js';
import { rememberParams } from '../shell/use-route.js';
import { ago, spoken } from '../shell/words.js';

const POLL_MS = 2_000;
/** Number of the newest effects that are searched. */
const NEWEST = 500;

const load = (signal: AbortSignal): Promise<readonly Effect[]> => sandbox.effects(NEWEST, signal);

/** The ledger of effects at providers and issuers. */
export function EffectsView({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { data, problem } = usePolled(load, POLL_MS);
  const filter = { provider: params['provider'] ?? '', subject: params['subject'] ?? '' };
  const look = (changes: Partial<typeof filter>): void => {
    rememberParams('effects', { ...filter, ...changes });
  };
  const providers = [...new Set([filter.provider, ...(data ?? []).map(({ provider }) => provider)])]
    .filter(Boolean)
    .sort();
  const shown = (data ?? [])
    .filter(({ provider }) => filter.provider === '' || provider === filter.provider)
    .filter(({ subject }) => subject.includes(filter.subject.trim()));
  return (
    <>
      <ViewHead
        title="Ledger of effects"
        lead="What providers and issuers did on request: one line for each effect, however often it was requested."
      >
        <Liveness problem={problem} isLoading={!data} />
      </ViewHead>
      <div class="filters">
        <ChoiceField
          id="effects-provider"
          label="Provider or issuer"
          value={filter.provider}
          choices={[['', 'All'], ...providers.map((provider) => [provider, provider] as const)]}
          onInput={(provider) => look({ provider })}
        />
        <TextField
          id="effects-subject"
          isSearch
          label="Subject"
          value={filter.subject}
          onInput={(subject) => look({ subject })}
        />
      </div>
      {data && shown.length === 0 && (
        <Empty title="No effects">
          {data.length === 0
            ? 'Providers and issuers have done nothing yet.'
            : 'No effect matches this search.'}
        </Empty>
      )}
      {shown.length > 0 && <EffectsTable effects={shown} />}
    </>
  );
}

function EffectsTable({ effects }: { readonly effects: readonly Effect[] }) {
  return (
    <div class="panel scroll" role="region" aria-label="Effects, newest first" tabIndex={0}>
      <table class="wide-table effects">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Provider or issuer</th>
            <th scope="col">What</th>
            <th scope="col">Subject</th>
            <th scope="col" class="number">
              Asked
            </th>
            <th scope="col">Idempotency key</th>
          </tr>
        </thead>
        <tbody>
          {effects.map(({ id, provider, kind, subject, calls, at, idempotency_key: key }) => (
            <tr key={id}>
              <td data-label="When">
                <time dateTime={at}>{ago(new Date(at), sandboxClock.now())}</time>
              </td>
              <td data-label="Provider or issuer">{provider}</td>
              <td data-label="What">{spoken(kind)}</td>
              <td data-label="Subject">
                <code>{subject}</code>
              </td>
              <td class="number" data-label="Asked">
                {calls}×
              </td>
              <td class="key" data-label="Idempotency key">
                <code>{key ?? '–'}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
