import { type NoAnswerError } from './api-error.js';
import { newIdempotencyKey } from './idempotency-key.js';
import { Transport, type TransportOptions } from './transport.js';

type Reply = () => Promise<Response>;

const answer =
  (
    status: number,
    { body = {}, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ): Reply =>
  () =>
    Promise.resolve(Response.json(body, { status, headers }));

const lost: Reply = () => Promise.reject(new TypeError('fetch failed'));

/** Half of a body, then the connection is cut. */
const brokenOff: Reply = () =>
  Promise.resolve(
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"succ'));
          controller.error(new TypeError('terminated'));
        },
      }),
    ),
  );

/** Never answers, and rejects when it is aborted. */
const silent = (signal: AbortSignal): Promise<Response> =>
  new Promise((_, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp);
  });

/** A transport to a service that gives these answers in order, and then repeats the last one. */
function transportTo(replies: (Reply | 'silent')[], options: Partial<TransportOptions> = {}) {
  const seen: { body: string; key: string | null }[] = [];
  const transport = new Transport({
    timeoutMs: 10_000,
    maxRetries: 2,
    maxRetryAfterSeconds: 1,
    fetch: async (request, { signal }) => {
      seen.push({ body: await request.clone().text(), key: request.headers.get('idempotency-key') });
      const reply = replies[Math.min(seen.length, replies.length) - 1]!;
      return reply === 'silent' ? silent(signal) : reply();
    },
    ...options,
  });
  return { transport, seen };
}

const request = (method: string, init: RequestInit = {}): Request =>
  new Request('http://service.example/x', {
    method,
    ...(method === 'POST' ? { body: '{"a":1}', headers: { 'idempotency-key': 'k' } } : {}),
    ...init,
  });

const refusal = (status: number, errorCode: string): Reply =>
  answer(status, { body: { error: [{ errorCode }] } });

type Case = [string, Request, Reply[], number, number | 'lost'];

describe('Transport.send', () => {
  // each pauses for up to a second
  it.concurrent.each<Case>([
    ['a success', request('GET'), [answer(200)], 1, 200],
    ['a refusal', request('POST'), [answer(400)], 1, 400],
    ['a lost answer to a POST with a key', request('POST'), [lost, answer(201)], 2, 201],
    [
      'a lost answer to a POST without a key',
      request('POST', { headers: {} }),
      [lost, answer(201)],
      1,
      'lost',
    ],
    ['an answer that breaks off', request('GET'), [brokenOff, answer(200)], 2, 200],
    ['a lost answer to a DELETE', request('DELETE'), [lost, answer(404)], 1, 'lost'],
    ['429 to a DELETE', request('DELETE'), [answer(429), answer(200)], 2, 200],
    ['503 to a DELETE, which may have worked', request('DELETE'), [answer(503), answer(404)], 1, 503],
    ['a lost answer to a PUT', request('PUT'), [lost, answer(200)], 2, 200],
    ['503', request('GET'), [answer(503), answer(200)], 2, 200],
    ['503 to a POST', request('POST'), [answer(503), answer(201)], 2, 201],
    ...['SVCUSER2991', 'SVCMAS2991'].map((code): Case => [
      `503 ${code}`,
      request('POST'),
      [refusal(503, code), answer(201)],
      ...([2, 201] as const),
    ]),
    ...['SVCUSER2208', 'SVCUSER2753', 'SVCUSER2403'].flatMap((code) =>
      ['GET', 'POST', 'PUT'].map((method): Case => [
        `503 ${code} to a ${method}, of a provider`,
        request(method),
        [refusal(503, code)],
        ...([1, 503] as const),
      ]),
    ),
    ['503 to every attempt', request('GET'), [answer(503)], 3, 503],
    ['a lost answer to every attempt', request('GET'), [lost], 3, 'lost'],
    [
      'a short Retry-After',
      request('GET'),
      [answer(429, { headers: { 'retry-after': '0' } }), answer(200)],
      2,
      200,
    ],
    [
      'a Retry-After above the limit',
      request('GET'),
      [answer(429, { headers: { 'retry-after': '2' } })],
      1,
      429,
    ],
    ['500', request('GET'), [answer(500)], 1, 500],
    ['a conflict', request('POST'), [answer(409)], 1, 409],
    [
      'a conflict with our own first attempt',
      request('POST'),
      [lost, refusal(409, 'SVCUSER2911'), answer(201)],
      3,
      201,
    ],
    ['a conflict with another request', request('POST'), [refusal(409, 'SVCUSER2911')], 1, 409],
  ])('repeats only what is safe to repeat: %s', async (_, sent, replies, attempts, outcome) => {
    const { transport, seen } = transportTo(replies);
    const got = await transport.send(sent).then(
      ({ status }) => status,
      (error: unknown) => (error as NoAnswerError).why,
    );
    expect([seen.length, got]).toEqual([attempts, outcome]);
    // the same key each time
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
  });
});

describe('time limits', () => {
  it('aborts each attempt at its time limit', async () => {
    const { transport, seen } = transportTo(['silent'], { timeoutMs: 20, maxRetries: 1 });
    await expect(transport.send(request('GET'))).rejects.toMatchObject({
      name: 'NoAnswerError',
      why: 'timeout',
    });
    expect(seen).toHaveLength(2);
  });

  it('stops when the caller aborts: during an attempt, before a repeat, and before the first attempt', async () => {
    const reason = new Error('the page was left');
    const during = new AbortController();
    const { transport, seen } = transportTo(['silent']);
    const waiting = transport.send(request('GET', { signal: during.signal }));
    during.abort(reason);
    await expect(waiting).rejects.toBe(reason);

    const between = new AbortController();
    const busy = transportTo([answer(503, { headers: { 'retry-after': '1' } })]);
    const repeating = busy.transport.send(request('GET', { signal: between.signal }));
    setTimeout(() => between.abort(reason), 50);
    await expect(repeating).rejects.toBe(reason);
    expect(busy.seen).toHaveLength(1);

    await expect(transport.send(request('GET', { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(seen.length).toBeLessThanOrEqual(1);
  });

  it('makes unique keys', () => {
    const keys = Array.from({ length: 1_000 }, newIdempotencyKey);
    expect(new Set(keys).size).toBe(1_000);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  });
});
