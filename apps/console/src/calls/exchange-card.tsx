import type { ComponentChildren } from 'preact';
import { CopyButton } from '../shell/copy-button.js';
import { readableTime } from '../shell/words.js';
import { CallCode } from './call-code.js';
import type { ClientService } from './client-code.js';
import { type Answer, type Exchange, isGood, type Outgoing, refusalsOf } from './exchange.js';
import { JsonText } from './json-text.js';
import { shownBody, shownHeaders } from './secrets.js';

function pathOf({ url }: Outgoing): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

interface CardProps {
  readonly exchange: Exchange;
  readonly isOpen: boolean;
  readonly service: ClientService;
  /** Sends the same request again; undefined where that is useless. */
  readonly onRepeat?: (exchange: Exchange) => void;
}

/** A call and its answer: a line, and all of it on demand. */
export function ExchangeCard({ exchange, isOpen, service, onRepeat }: CardProps) {
  const { request, answer, title, durationMs } = exchange;
  const requestId = answer?.headers['x-request-id'];
  const key = request.headers['idempotency-key'];
  return (
    <li class={`exchange ${isGood(exchange) ? 'is-good' : 'is-bad'}`}>
      <details open={isOpen}>
        <summary>
          <StatusChip exchange={exchange} />
          <span class="exchange-title">
            {title}
            {answer?.headers['idempotent-replayed'] === 'true' && (
              <span class="replayed"> the first answer, replayed</span>
            )}
          </span>
          <span class="exchange-time">
            <time dateTime={exchange.at}>{readableTime(exchange.at)}</time>, {durationMs} ms
          </span>
          <code class="exchange-path">
            {request.method} {pathOf(request)}
          </code>
        </summary>
        <div class="exchange-body">
          <CallCode request={request} service={service} title={title} />
          {key !== undefined && (
            <Copied name="Idempotency-Key" value={key} title={title}>
              {onRepeat && (
                <button
                  type="button"
                  class="quiet small"
                  aria-label={`Repeat with the same key: ${title}`}
                  onClick={() => onRepeat(exchange)}
                >
                  Repeat
                </button>
              )}
            </Copied>
          )}
          {requestId !== undefined && <Copied name="Request id" value={requestId} title={title} />}
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

function Copied(props: {
  readonly name: string;
  readonly value: string;
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  const { name, value, title, children } = props;
  return (
    <p class="copied-value">
      {name} <code>{value}</code>
      <CopyButton text={value} label={`Copy ${name}: ${title}`}>
        Copy
      </CopyButton>
      {children}
    </p>
  );
}

function RequestPart({ request, title }: { readonly request: Outgoing; readonly title: string }) {
  return (
    <section>
      <div class="part-head">
        <h3>Request</h3>
        {request.body !== undefined && (
          <CopyButton text={JSON.stringify(request.body, null, 2)} label={`Copy body: ${title}`}>
            Copy body
          </CopyButton>
        )}
      </div>
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
      <div class="part-head">
        <h3>Answer</h3>
        <CopyButton text={JSON.stringify(answer.body, null, 2)} label={`Copy answer: ${title}`}>
          Copy answer
        </CopyButton>
      </div>
      <HeaderList headers={answer.headers} />
      <JsonText value={shownBody(answer.body)} label={`Answer body: ${title}`} />
    </section>
  );
}

export function HeaderList({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
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
