import type { Fetch } from '@fd/client';
import type { Answer, Exchange, Outgoing } from './exchange.js';

/** Longer than the services take for any answer. */
const LIMIT_MS = 15_000;

/** Options of the console's clients: each press of a button is one request, and every refusal is shown. */
export const ONE_ATTEMPT = { timeoutMs: LIMIT_MS, maxRetries: 0 } as const;

type About = Pick<Exchange, 'title' | 'isBackground'>;

type Recorder = (exchange: Exchange) => void;

let made = 0;

/** Continues the numbering after the calls that were stored before a reload. */
export const countFrom = (id: number): void => {
  made = Math.max(made, id);
};

const begun = (about: About) => ({ ...about, id: ++made, at: new Date().toISOString() });

/**
 * Makes a call with @fd/client and returns its outcome, the last one if it was repeated with new tokens; never rejects.
 * @param request what the log shows if the client sends nothing
 */
export async function exchangeOf(
  { request, ...about }: About & Pick<Exchange, 'request'>,
  make: (fetch: Fetch) => Promise<unknown>,
  record: Recorder = () => undefined,
): Promise<Exchange> {
  let last: Exchange | undefined;
  const keep = (exchange: Exchange): void => record((last = exchange));
  await make(recording(about, keep)).catch((error: Error) => {
    // the client sends nothing if a header has an invalid value
    if (!last) keep({ ...begun(about), request, problem: error.message, durationMs: 0 });
  });
  return last!;
}

/** Sends a request as the platform does, and records it with its answer. */
export const recording =
  (about: About, record: Recorder): Fetch =>
  async (request, { signal }) => {
    const startedAt = performance.now();
    const exchange = { ...begun(about), request: await outgoingOf(request.clone()) };
    const took = (): number => Math.round(performance.now() - startedAt);
    try {
      // the services know tokens and keys, not cookies
      const response = await fetch(request, { signal, credentials: 'omit' });
      const answer = await answerOf(response.clone());
      record({ ...exchange, answer, durationMs: took() });
      return response;
    } catch (error) {
      record({ ...exchange, problem: problemOf(error as Error, request), durationMs: took() });
      throw error;
    }
  };

async function outgoingOf(request: Request): Promise<Outgoing> {
  const { method, url, headers } = request;
  const text = await request.text();
  const body = text === '' ? undefined : (JSON.parse(text) as unknown);
  return { method, url, headers: Object.fromEntries([...headers]), body };
}

async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  return { status, headers: Object.fromEntries([...headers]), body: parsed(await response.text()) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Names both possible reasons: a browser does not distinguish a service that is down from one that refuses this page (CORS). */
function problemOf({ name }: Error, { url }: Request): string {
  if (!navigator.onLine) return 'This device is offline.';
  const { origin } = new URL(url);
  if (name === 'TimeoutError') return `${origin} did not answer within ${LIMIT_MS / 1_000} seconds.`;
  return `${origin} cannot be reached: it is not running, or its CORS_ORIGINS do not name ${location.origin}.`;
}
