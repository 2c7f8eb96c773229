import type { Answer, Exchange, Outgoing } from './exchange.js';

/** Longer than the services take for any answer. */
const LIMIT_MS = 15_000;

let made = 0;

/** Continues the numbering after the calls that were stored before a reload. */
export const countFrom = (id: number): void => {
  made = Math.max(made, id);
};

/** Makes a call and returns its outcome; never rejects. */
export async function send(
  request: Outgoing,
  { title, isBackground = false }: { title: string; isBackground?: boolean },
): Promise<Exchange> {
  const startedAt = performance.now();
  const rest = { id: ++made, at: new Date().toISOString(), title, isBackground, request };
  const took = (): number => Math.round(performance.now() - startedAt);
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      // the services know tokens and keys, not cookies
      credentials: 'omit',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    return { ...rest, answer: await answerOf(response), durationMs: took() };
  } catch (error) {
    return { ...rest, problem: problemOf(error as Error, request), durationMs: took() };
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries([...response.headers]),
    body: parsed(text),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Names both possible reasons: a browser does not distinguish a service that is down from one that refuses this page (CORS). */
function problemOf({ name }: Error, { url }: Outgoing): string {
  if (!navigator.onLine) return 'This device is offline.';
  const { origin } = new URL(url);
  if (name === 'TimeoutError') return `${origin} did not answer within ${LIMIT_MS / 1_000} seconds.`;
  return `${origin} cannot be reached: it is not running, or its CORS_ORIGINS do not name ${location.origin}.`;
}
