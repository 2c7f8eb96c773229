import { useState } from 'preact/hooks';
import { HeaderList } from '../calls/exchange-card.js';
import { JsonText } from '../calls/json-text.js';
import { CopyButton } from '../shell/copy-button.js';
import type { DeliveryTry } from '../shell/sandbox-api.js';
import { readableTime } from '../shell/words.js';
import { answerOf, eventIn, partsOf } from './events.js';

/** The tries to deliver events, each as a line, and all of it on demand. */
export function DeliveryList({ tries }: { readonly tries: readonly DeliveryTry[] }) {
  return (
    <ol class="exchanges" aria-label="Deliveries, newest first">
      {tries.map((one) => (
        <DeliveryCard key={one.id} delivery={one} />
      ))}
    </ol>
  );
}

function DeliveryCard({ delivery }: { readonly delivery: DeliveryTry }) {
  const { body, received_at: at, try_number: number, signature_problem: problem } = delivery;
  const [isOpen, setIsOpen] = useState(false);
  const event = eventIn(body);
  const answer = answerOf(delivery);
  const title = `${event?.type ?? 'No event'}, try ${number}`;
  return (
    <li class={`exchange ${answer.kind === 'good' ? 'is-good' : 'is-bad'}`}>
      <details onToggle={(toggled) => setIsOpen(toggled.currentTarget.open)}>
        <summary>
          <span class={`chip ${answer.kind}`}>{answer.text}</span>
          <span class="exchange-title">
            {event?.type ?? 'No event'} <span class="try-number">try {number}</span>
          </span>
          <span class="exchange-time">
            <time dateTime={at}>{readableTime(at)}</time>
          </span>
          <span class="delivery-line">
            <span class={`chip ${problem === null ? 'good' : 'bad'}`}>
              {problem === null ? 'signature verified' : 'not verified'}
            </span>
            {event && <EventParts parts={partsOf(event)} />}
          </span>
        </summary>
        {isOpen && <DeliveryBody delivery={delivery} title={title} />}
      </details>
    </li>
  );
}

/** What an event is about, in one line. */
export function EventParts({
  parts,
}: {
  readonly parts: readonly (readonly [term: string, value: string])[];
}) {
  return (
    <span class="event-parts">
      {parts.map(([term, value]) => (
        <span key={term}>
          {term} <code>{value}</code>
        </span>
      ))}
    </span>
  );
}

function DeliveryBody({ delivery, title }: { readonly delivery: DeliveryTry; readonly title: string }) {
  const { headers, body, signature_problem: problem } = delivery;
  const { 'webhook-signature': signature, ...others } = headers;
  return (
    <div class="exchange-body">
      <section>
        <h3>Signature</h3>
        <p class={problem === null ? 'verified' : 'problem'}>
          {problem === null
            ? 'Verified: the HMAC of webhook-id, webhook-timestamp and the body with the secret, within five minutes.'
            : `Not verified. ${problem}`}
        </p>
        <code class="url">{signature ?? 'There is no header webhook-signature.'}</code>
      </section>
      <section>
        <div class="part-head">
          <h3>Body, as received</h3>
          {body !== '' && (
            <CopyButton text={body} label={`Copy body: ${title}`}>
              Copy body
            </CopyButton>
          )}
        </div>
        {body === '' ? <p>The body is empty.</p> : <JsonText value={body} label={`Body: ${title}`} />}
      </section>
      <section>
        <h3>Headers</h3>
        <HeaderList headers={others} />
      </section>
    </div>
  );
}
