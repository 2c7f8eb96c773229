import { useEffect, useState } from 'preact/hooks';
import type { Exchange } from '../calls/exchange.js';
import { isDecided, LONGEST_WAIT_MS, pauseBefore } from './waiting-for.js';
import { PlainButton } from './plain-button.js';
import type { JourneyState } from './journey-state.js';
import type { JourneyClient } from './journey-client.js';

interface Asked {
  readonly times: number;
  readonly since: number;
  readonly isOver: boolean;
}

/** Polls until the result is final, with growing pauses, while the page is visible. */
function usePolledResult(client: JourneyClient, state: JourneyState): Asked {
  const { waiting } = client;
  const begun = (): Asked => ({ times: 0, since: Date.now(), isOver: false });
  const [asked, setAsked] = useState(begun);
  useEffect(() => {
    if (!waiting) return;
    const first = begun();
    setAsked(first);
    let timer: ReturnType<typeof setTimeout>;
    let isGone = false;
    const ask = async (times: number): Promise<void> => {
      if (document.hidden) return next(times, undefined);
      const last = await client.look(waiting);
      if (isGone) return;
      const isOver = Date.now() - first.since > LONGEST_WAIT_MS;
      setAsked({ ...first, times, isOver });
      if (!isOver && !(last && isDecided(last))) next(times + 1, last);
    };
    const next = (times: number, last: Exchange | undefined): void => {
      timer = setTimeout(() => void ask(times), pauseBefore(times, last));
    };
    next(1, undefined);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [waiting?.key, state.facts]);
  return asked;
}

/** Shows automatic polling of a result: the call, the number of polls, and the elapsed time. */
export function WaitingLine({
  client,
  state,
}: {
  readonly client: JourneyClient;
  readonly state: JourneyState;
}) {
  const { waiting } = client;
  const { times, since, isOver } = usePolledResult(client, state);
  const seconds = useSecondsSince(since, waiting !== undefined && !isOver);
  if (!waiting) return null;
  const label = `Waiting for ${waiting.what}`;
  return (
    <div class="waiting-line">
      <p>{label}</p>
      {!isOver && <progress aria-label={label} />}
      <p class="hint">
        {isOver
          ? 'No result within five minutes. The work continues: send the call below to ask again.'
          : `Asked ${times} ${times === 1 ? 'time' : 'times'} in ${seconds} s. The answer appears here by itself.`}
      </p>
      {client.hasProvoked && <PlainButton client={client} />}
    </div>
  );
}

function useSecondsSince(since: number, isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return Math.max(0, Math.round((now - since) / 1_000));
}
