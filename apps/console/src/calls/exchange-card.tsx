import { CopyButton } from '../shell/copy-button.js';
import { curlOf, fetchOf } from './curl.js';
import { type Answer, type Exchange, isGood, type Outgoing, refusalsOf } from './exchange.js';
import { JsonText } from './json-text.js';
import { shownBody, shownHeaders } from './secrets.js';

const clockTime = (at: string): string => new Date(at).toLocaleTimeString('en-GB');

function pathOf({ url }: Outgoing): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

/** A call and its answer: a line, and all of it on demand. */
export function ExchangeCard({
  exchange,
  isOpen,
}: {
  readonly exchange: Exchange;
  readonly isOpen: boolean;
}) {
  const { request, answer, title, durationMs } = exchange;
  const requestId = answer?.headers['x-request-id'];
  return (
    <li class={`exchange ${isGood(exchange) ? 'is-good' : 'is-bad'}`}>
      <details open={isOpen}>
        <summary>
          <StatusChip exchange={exchange} />
          <span class="exchange-title">{title}</span>
          <span class="exchange-time">
            <time dateTime={exchange.at}>{clockTime(exchange.at)}</time>, {durationMs} ms
          </span>
          <code class="exchange-path">
            {request.method} {pathOf(request)}
          </code>
        </summary>
        <div class="exchange-body">
          <div class="exchange-tools">
            <CopyButton text={curlOf(request)} label={`Copy as curl: ${title}`}>
              Copy as curl
            </CopyButton>
            <CopyButton text={fetchOf(request)} label={`Copy as fetch: ${title}`}>
              Copy as fetch
            </CopyButton>
            {answer && (
              <CopyButton text={JSON.stringify(answer.body, null, 2)} label={`Copy answer: ${title}`}>
                Copy answer
              </CopyButton>
            )}
            {requestId && (
              <span class="request-id">
                request id <code>{requestId}</code>
              </span>
            )}
          </div>
          <RequestPart request={request} title={title} />
          {answer ? (
            <AnswerPart answer={answer} title={title} />
          ) : (
            <p class="problem">{refusalsOf(exchange)[0]?.text}</p>
          )}
        </div>
      </details>
    </li>
  );
}

export function StatusChip({ exchange }: { readonly exchange: Exchange }) {
  const kind = isGood(exchange) ? 'good' : 'bad';
  return <span class={`chip ${kind}`}>{exchange.answer?.status ?? 'no answer'}</span>;
}

function RequestPart({ request, title }: { readonly request: Outgoing; readonly title: string }) {
  return (
    <section>
      <h3>Request</h3>
      <code class="url">
        {request.method} {request.url}
      </code>
      <HeaderList headers={shownHeaders(request.headers)} />
      {request.body !== undefined && (
        <JsonText value={shownBody(request.body)} label={`Request body: ${title}`} />
      )}
    </section>
  );
}

function AnswerPart({ answer, title }: { readonly answer: Answer; readonly title: string }) {
  return (
    <section>
      <h3>Answer</h3>
      <HeaderList headers={answer.headers} />
      <JsonText value={shownBody(answer.body)} label={`Answer body: ${title}`} />
    </section>
  );
}

function HeaderList({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  return (
    <dl class="headers">
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
