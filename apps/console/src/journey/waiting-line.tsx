import { NotYetError, waitFor } from '@fd/client';
import { useEffect, useState } from 'preact/hooks';
import type { Exchange } from '../calls/exchange.js';
import { secondsToWait } from './recovery.js';
import { isDecided } from './waiting-for.js';
import { PlainButton } from './plain-button.js';
import type { JourneyState } from './journey-state.js';
import type { JourneyClient } from './journey-client.js';

interface Asked {
  readonly times: number;
  readonly since: number;
  readonly isOver: boolean;
}

/** Polls until the result is final, while the page is visible. */
function usePolledResult(client: JourneyClient, state: JourneyState): Asked {
  const { waiting } = client;
  const begun = (): Asked => ({ times: 0, since: Date.now(), isOver: false });
  const [asked, setAsked] = useState(begun);
  useEffect(() => {
    if (!waiting) return;
    const first = begun();
    setAsked(first);
    const gone = new AbortController();
    let times = 0;
    // the call that led here has just been answered
    let isEarly = true;
    const ask = async () => {
      const isSkipped = isEarly || document.hidden;
      isEarly = false;
      const last = isSkipped ? undefined : await client.look(waiting);
      if (!isSkipped && !gone.signal.aborted) setAsked({ ...first, times: ++times });
      return { last, retryAfterSeconds: isSkipped ? 1 : (last && secondsToWait(last)) || null };
    };
    const isLast = ({ last }: { readonly last: Exchange | undefined }) =>
      last !== undefined && isDecided(last);
    waitFor(ask, isLast, { signal: gone.signal }).catch((error: unknown) => {
      if (error instanceof NotYetError) setAsked({ ...first, times, isOver: true });
    });
    return () => gone.abort();
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
