import { useEffect, useState } from 'preact/hooks';
import type { JourneyState } from '../journey/journey-state.js';
import { announce } from '../shell/announcer.js';
import { useStore } from '../shell/store.js';
import { usePolled } from '../shell/use-polled.js';
import { inUnits, type Lifetime, lifetimesOf } from './lifetimes.js';
import { sandboxClock } from './sandbox-clock.js';
import './clock.css';

const POLL_MS = 2_000;

/** Seconds by which each button moves the clock; the label names what expires. */
const MOVES = [
  { seconds: 600, label: '10 minutes: codes expire' },
  { seconds: 960, label: '16 minutes: the access token expires' },
  { seconds: 1_800, label: '30 minutes: links expire' },
  { seconds: 8 * 86_400, label: '8 days: the session ends' },
] as const;

/**
 * The clock of the sandbox: the remaining lifetimes in this journey, and buttons that let them expire. Closed on a phone, where it is
 * between the person and the form.
 */
export function ClockStrip({ state }: { readonly state: JourneyState }) {
  const { problem, data } = usePolled(sandboxClock.read, POLL_MS);
  const { ahead_seconds: ahead, most_ahead_seconds: most, followers } = useStore(sandboxClock);
  const [isMoving, setMoving] = useState(false);
  const [refusal, setRefusal] = useState('');
  const now = useNow();
  const aheadText = ahead === 0 ? 'real time' : `+${inUnits(ahead * 1_000, 3)}`;

  const move = async (seconds: number): Promise<void> => {
    setMoving(true);
    setRefusal('');
    try {
      await sandboxClock.advance(seconds);
      announce(`The sandbox clock is ${inUnits(sandboxClock.state.ahead_seconds * 1_000, 3)} ahead`);
    } catch (error) {
      setRefusal(`The clock was not moved. ${(error as Error).message}.`);
    }
    setMoving(false);
  };

  return (
    <section class="clock" aria-labelledby="clock-title">
      <details open={!matchMedia('(max-width: 40rem)').matches}>
        <summary>
          <h2 id="clock-title">Sandbox clock: {aheadText}</h2>
        </summary>
        <p class="hint">{hintOf({ isKnown: data !== undefined, problem, followers })}</p>
        <Lifetimes list={lifetimesOf(state, now)} now={now} />
        <div class="actions" role="group" aria-label="Move the clock forwards">
          {MOVES.map(({ seconds, label }) => {
            const isOff = isMoving || !data || ahead + seconds > most;
            return (
              <button
                key={seconds}
                type="button"
                class="quiet small"
                aria-disabled={isOff}
                onClick={() => (isOff ? undefined : void move(seconds))}
              >
                {label}
              </button>
            );
          })}
        </div>
        {data && ahead + MOVES.at(-1)!.seconds > most && (
          <p class="hint">
            It moves {inUnits(most * 1_000)} at most. To set it back, stop everything and run{' '}
            <code>npm run reset</code>.
          </p>
        )}
        {refusal && (
          <p class="clock-problem" role="alert">
            {refusal}
          </p>
        )}
      </details>
    </section>
  );
}

function hintOf(props: {
  readonly isKnown: boolean;
  readonly problem: string | undefined;
  readonly followers: number;
}): string {
  if (props.problem !== undefined) return 'The sandbox does not answer.';
  if (!props.isKnown) return '';
  return props.followers > 0
    ? 'users-service and the providers use it. It only moves forwards.'
    : 'Only the providers use it: users-service runs without CLOCK_URL, so its codes and tokens keep real time.';
}

function Lifetimes({ list, now }: { readonly list: readonly Lifetime[]; readonly now: number }) {
  if (list.length === 0) return <p class="hint">Nothing of this journey can expire yet.</p>;
  return (
    <ul class="lives" aria-label="What expires">
      {list.map(({ what, until, then }) => (
        <li key={what}>
          {what}{' '}
          {until > now ? (
            <span class="chip">{inUnits(until - now)}</span>
          ) : (
            <>
              <span class="chip bad">expired</span> <span class="hint">{then}</span>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The sandbox's time in milliseconds since 1970, updated each second and after each move. */
function useNow(): number {
  const { ahead_seconds: ahead } = useStore(sandboxClock);
  const [, render] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => render((times) => times + 1), 1_000);
    return () => clearInterval(timer);
  }, [ahead]);
  return sandboxClock.now().getTime();
}
