import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { pauseAfter } from './pauses.js';

const ANSWER_LIMIT_MS = 5_000;

export interface Polled<Data> {
  /** The last answer; undefined before the first one. */
  readonly data: Data | undefined;
  /** Reason for the missing answer. */
  readonly problem: string | undefined;
  /** Polls immediately. */
  readonly refresh: () => void;
}

/**
 * Polls while the page is visible: one request at a time, each with a time limit, and at growing intervals after
 * failures.
 * @param load must be the same function as long as the request is the same
 */
export function usePolled<Data>(load: (signal: AbortSignal) => Promise<Data>, everyMs: number): Polled<Data> {
  const [state, setState] = useState<{ data?: Data; problem?: string }>({});
  const askNow = useRef<() => void>(() => undefined);

  useEffect(() => {
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    const ask = async (): Promise<void> => {
      clearTimeout(timer);
      const signal = AbortSignal.any([over.signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
      try {
        const data = await load(signal);
        failures = 0;
        if (!over.signal.aborted) setState({ data });
      } catch (error) {
        failures += 1;
        if (!over.signal.aborted)
          setState(({ data }) => ({ data, problem: String((error as Error).message) }));
      }
      if (!over.signal.aborted) timer = setTimeout(next, pauseAfter(failures, everyMs));
    };
    // a hidden page polls again once it is visible
    const next = (): void => void (document.hidden ? undefined : ask());
    const follow = (): void => void (document.hidden ? clearTimeout(timer) : next());
    askNow.current = next;
    document.addEventListener('visibilitychange', follow);
    next();
    return () => {
      over.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', follow);
    };
  }, [load, everyMs]);

  const refresh = useCallback(() => askNow.current(), []);
  return { data: state.data, problem: state.problem, refresh };
}
