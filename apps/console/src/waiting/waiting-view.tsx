import { sandboxClock } from '../clock/sandbox-clock.js';
import { announce } from '../shell/announcer.js';
import { Empty, Liveness, ViewHead } from '../shell/parts.js';
import { sandbox } from '../shell/sandbox-api.js';
import { usePolled } from '../shell/use-polled.js';
import { minutesLeft } from '../shell/words.js';
import { type Waiting, waitingOf } from './waiting.js';

const POLL_MS = 2_000;

const load = async (signal: AbortSignal): Promise<readonly Waiting[]> =>
  waitingOf(...(await Promise.all([sandbox.ekycs(signal), sandbox.lockers(signal)])));

/** eKYC requests and locker sessions that wait for a decision. */
export function WaitingView() {
  const { data, problem, refresh } = usePolled(load, POLL_MS);
  const decide = async (item: Waiting, outcome: string): Promise<void> => {
    const result = await item.decide(outcome).then(
      () => item.outcomes[outcome]!,
      () => 'could not be ended',
    );
    announce(`${item.title}: ${result}`);
    refresh();
    // the pressed button disappears
    document.getElementById('content')?.focus();
  };
  return (
    <>
      <ViewHead
        title="Waiting for a decision"
        lead="Open eKYC requests and document lockers. Open the page as the person would, or decide here. The pages are https: a browser warns once of the certificate, which is made at each start."
      >
        <Liveness problem={problem} isLoading={!data} />
      </ViewHead>
      <div class="column">
        {data?.length === 0 && (
          <Empty title="Nothing is open">
            A request appears here as soon as a journey reaches the step eKYC.
          </Empty>
        )}
        <ul class="cards" aria-label="Waiting for a decision, latest expiry first">
          {data?.map((item) => (
            <WaitingCard key={item.key} item={item} onDecide={(outcome) => void decide(item, outcome)} />
          ))}
        </ul>
      </div>
    </>
  );
}

function WaitingCard({
  item,
  onDecide,
}: {
  readonly item: Waiting;
  readonly onDecide: (outcome: string) => void;
}) {
  const state = [item.state, `${minutesLeft(item.until, sandboxClock.now())} min left`]
    .filter(Boolean)
    .join(', ');
  return (
    <li class="card">
      <div class="card-head">
        <span class="to">{item.title}</span>
        <span class="chip">{item.kind}</span>
        <span class="card-state">{state}</span>
      </div>
      <p class="reference">
        <code>{item.reference}</code>
      </p>
      <div class="actions">
        <a
          class="button"
          href={item.url}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={`Open page: ${item.title}`}
        >
          Open page
        </a>
        {Object.entries(item.outcomes).map(([outcome, label]) => (
          <button
            key={outcome}
            type="button"
            class="quiet"
            aria-label={`${label}: ${item.title}`}
            onClick={() => onDecide(outcome)}
          >
            {label}
          </button>
        ))}
      </div>
    </li>
  );
}
