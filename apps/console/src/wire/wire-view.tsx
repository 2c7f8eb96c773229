import { useMemo, useState } from 'preact/hooks';
import { HeaderList } from '../calls/exchange-card.js';
import { readableTime } from '../shell/words.js';
import { JsonText } from '../calls/json-text.js';
import { CopyButton } from '../shell/copy-button.js';
import { ChoiceField, Empty, Liveness, TextField, ViewHead } from '../shell/parts.js';
import { sandbox, type WireCall } from '../shell/sandbox-api.js';
import { usePolled } from '../shell/use-polled.js';
import { rememberParams } from '../shell/use-route.js';
import { incrementally, isSuccess, matching, providersOf, readableBody } from './wire-calls.js';

const POLL_MS = 2_000;

/** Calls that providers and issuers got, and the webhooks that they sent. */
export function WireView({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const load = useMemo(() => incrementally(sandbox.wire), []);
  const { data, problem } = usePolled(load, POLL_MS);
  const filter = { provider: params['provider'] ?? '', search: params['q'] ?? '' };
  const look = (changes: Partial<typeof filter>): void => {
    const { provider, search } = { ...filter, ...changes };
    rememberParams('wire', { provider, q: search });
  };
  const shown = matching(data ?? [], filter);
  return (
    <>
      <ViewHead
        title="Calls to providers"
        lead="What went over the wire to each provider and issuer, its answers, and its webhooks. Credentials are masked."
      >
        <Liveness problem={problem} isLoading={!data} />
      </ViewHead>
      <div class="filters">
        <ChoiceField
          id="wire-provider"
          label="Provider or issuer"
          value={filter.provider}
          choices={[
            ['', 'All'],
            ...providersOf(data ?? [], filter.provider).map((provider) => [provider, provider] as const),
          ]}
          onInput={(provider) => look({ provider })}
        />
        <TextField
          id="wire-search"
          isSearch
          label="Search"
          placeholder="For example: 409 user_id"
          value={filter.search}
          onInput={(search) => look({ search })}
        />
      </div>
      {data && shown.length === 0 && (
        <Empty title="No calls">
          {data.length === 0
            ? 'No provider has been called yet. Complete a journey, and come back.'
            : 'No call matches this search.'}
        </Empty>
      )}
      {shown.length > 0 && (
        <ol class="exchanges wire" aria-label="Calls to providers, newest first">
          {shown.map((call) => (
            <WireCard key={call.id} call={call} />
          ))}
        </ol>
      )}
    </>
  );
}

/** A call: a line, and its headers and bodies on demand. */
function WireCard({ call }: { readonly call: WireCall }) {
  const { kind, provider, method, path, status, at, duration_ms: ms } = call;
  const [isOpen, setIsOpen] = useState(false);
  const isGood = isSuccess(call);
  return (
    <li class={`exchange ${isGood ? 'is-good' : 'is-bad'}`}>
      <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          <span class={`chip ${isGood ? 'good' : 'bad'}`}>{status ?? 'no answer'}</span>
          <span class="exchange-title">
            {provider}
            {kind === 'webhook' && <span class="wire-kind"> webhook</span>}
          </span>
          <span class="exchange-time">
            <time dateTime={at}>{readableTime(at)}</time>, {ms} ms
          </span>
          <code class="exchange-path">
            {method} {path}
          </code>
        </summary>
        {isOpen && <WireBodies call={call} />}
      </details>
    </li>
  );
}

function WireBodies({ call }: { readonly call: WireCall }) {
  const { provider, method, path, request_headers: headers, request_body, response_body } = call;
  const title = `${provider}, ${method} ${path}`;
  return (
    <div class="exchange-body">
      <section>
        <BodyHead name="Request" text={request_body} title={title} />
        {request_body !== '' && (
          <JsonText
            value={readableBody(request_body, headers['content-type'])}
            label={`Request body: ${title}`}
          />
        )}
        <HeaderList headers={headers} />
      </section>
      <section>
        <BodyHead name="Answer" text={response_body} title={title} />
        {response_body === '' ? (
          <p>{call.status === null ? 'There was no answer.' : 'The answer is empty.'}</p>
        ) : (
          <JsonText value={readableBody(response_body)} label={`Answer body: ${title}`} />
        )}
      </section>
    </div>
  );
}

function BodyHead(props: { readonly name: string; readonly text: string; readonly title: string }) {
  const { name, text, title } = props;
  return (
    <div class="part-head">
      <h2>{name}</h2>
      {text !== '' && (
        <CopyButton text={text} label={`Copy ${name.toLowerCase()}: ${title}`}>
          Copy {name.toLowerCase()}
        </CopyButton>
      )}
    </div>
  );
}
