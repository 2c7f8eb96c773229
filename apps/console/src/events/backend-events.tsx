import { useState } from 'preact/hooks';
import { announce } from '../shell/announcer.js';
import { Empty, Liveness } from '../shell/parts.js';
import { type BackendEvents, sandbox } from '../shell/sandbox-api.js';
import { usePolled } from '../shell/use-polled.js';
import { readableTime, spoken } from '../shell/words.js';
import { EventParts } from './delivery-list.js';
import { deliveryText, isRetried, partsOf } from './events.js';
import { ResumeCommand } from './resume-command.js';

const POLL_MS = 3_000;

const STATE_KINDS = { WAITING: 'warn', DELIVERED: 'good', PARKED: 'bad' } as const;

type Read = BackendEvents['events'][number];

/** The events as the backend reads them with its key, to be replayed. */
export function BackendEventsPanel(props: {
  readonly partnerUrl: string;
  /** Whether nothing is tried until an operator resumes the deliveries. */
  readonly isPaused: boolean;
}) {
  const { data, problem, refresh } = usePolled(sandbox.backendEvents, POLL_MS);
  const [result, setResult] = useState('');
  const replay = async ({ id, type }: Read['event']): Promise<void> => {
    const text = await sandbox.replayEvent(id).then(
      ({ is_replayed: isReplayed, problem: refusal }) => {
        if (refusal !== null) return `${type} was not replayed. ${refusal}`;
        return isReplayed
          ? `${type} is delivered again.`
          : `${type} was not replayed: its delivery is still tried.`;
      },
      ({ message }: Error) => `${type} was not replayed. ${message}.`,
    );
    setResult(text);
    announce(text);
    refresh();
  };
  return (
    <section class="panel" aria-labelledby="backend-events">
      <div class="part-head">
        <h2 id="backend-events">As the backend reads them</h2>
        <Liveness problem={problem} isLoading={!data} />
      </div>
      <p class="hint">
        The newest of <code>GET /partner/v1/events</code>. The sandbox calls it with the key of the backend,
        which the browser does not have.
      </p>
      {data?.problem && <p class="notice bad">{data.problem}</p>}
      {result && <p class="notice">{result}</p>}
      {data && !data.problem && data.events.length === 0 && (
        <Empty title="No events">users-service has none of the last 30 days for this partner.</Empty>
      )}
      {!props.isPaused && data?.events.some(({ delivery }) => isRetried(delivery)) && (
        <div class="notice">
          <p>Failed deliveries wait for their next try. To try all at once, run in a terminal:</p>
          <ResumeCommand partnerUrl={props.partnerUrl} />
        </div>
      )}
      {data && data.events.length > 0 && (
        <ol class="cards" aria-label="Events, newest first">
          {data.events.map((read) => (
            <EventCard key={read.event.id} read={read} onReplay={() => void replay(read.event)} />
          ))}
        </ol>
      )}
    </section>
  );
}

function EventCard({
  read: { event, delivery },
  onReplay,
}: {
  readonly read: Read;
  readonly onReplay: () => void;
}) {
  const { type, timestamp } = event;
  const isTried = delivery.state === 'WAITING';
  return (
    <li class="card">
      <div class="card-head">
        <span class="to">{type}</span>
        <span class={`chip ${STATE_KINDS[delivery.state]}`}>{spoken(delivery.state)}</span>
        <time dateTime={timestamp}>{readableTime(timestamp)}</time>
      </div>
      <EventParts parts={partsOf(event)} />
      <div class="event-foot">
        <span class="hint">{deliveryText(delivery)}</span>
        <button
          type="button"
          class="quiet small"
          aria-label={`Replay ${type} of ${readableTime(timestamp)}`}
          aria-disabled={isTried}
          onClick={() => (isTried ? undefined : onReplay())}
        >
          Replay
        </button>
      </div>
    </li>
  );
}
