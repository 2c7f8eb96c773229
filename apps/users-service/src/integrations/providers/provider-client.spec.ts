import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { withDeadline, withRequestStore } from '@fd/envelope';
import { AppError, GeneralErrors, ProviderError, type ProviderFailure } from '@fd/errors';
import { eventually } from '@fd/testing';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { scriptedClient } from '../../../test/support/provider-calls.js';
import {
  answersJson,
  type Behaviour,
  BEHAVIOURS,
  ScriptedProvider,
} from '../../../test/support/scripted-provider.js';
import type { ProviderClient } from './provider-client.js';
import type { ProviderEndpoint } from './http-exchange.js';
import { isFree, orUnavailable } from './provider-failures.js';
import { RESILIENCE_LIMITS, type ResilienceLimits } from './resilience.js';

let provider: ScriptedProvider;
beforeEach(async () => {
  provider = await ScriptedProvider.start();
});
afterEach(() => provider.stop());

const FAST: ResilienceLimits = { ...RESILIENCE_LIMITS, pauseMs: 1 };

/** Only a silent provider is to meet the time limit: on a busy machine others may take longer than a short one. */
const limitAt = (behaviour: Behaviour): number =>
  [BEHAVIOURS.hangs, BEHAVIOURS.drips].includes(behaviour) ? 2_000 : 10_000;

function clientOf(
  limits: Partial<ResilienceLimits> = {},
  timeoutMs = limitAt(provider.behaviour),
  baseUrl = new URL(provider.url).origin,
  more: Partial<ProviderEndpoint> & { registry?: Registry } = {},
): ProviderClient<'ask'> {
  return scriptedClient(baseUrl, timeoutMs, { limits: { ...FAST, ...limits }, ...more }).forOperations('ask');
}

const accepted = z.object({ message_id: z.string() });

const ask = (client: ProviderClient<'ask'>, isRepeatable = true) =>
  client.call({
    operation: 'ask',
    method: 'POST',
    path: '/things',
    body: { a: 1 },
    idempotencyKey: 'key-1',
    isRepeatable,
    answers: { 202: accepted, 404: z.object({ why: z.string() }) },
  });

const failureOf = async (call: Promise<unknown>): Promise<string> => {
  const error: unknown = await call.then(
    () => 'answered',
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ProviderError);
  return (error as ProviderError).failure;
};

beforeAll(() => Logger.overrideLogger(false));

describe('a call to a provider', () => {
  it('sends our key, the idempotency key and the body, and returns the answer with its status', async () => {
    expect(await ask(clientOf())).toEqual({ status: 202, body: { message_id: 'm-1' } });
    const [call] = provider.calls;
    expect([call!.method, call!.path, call!.body]).toEqual(['POST', '/things', { a: 1 }]);
    expect(call!.headers).toMatchObject({
      authorization: 'Bearer our-key',
      'idempotency-key': 'key-1',
      'content-type': 'application/json',
    });
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH'] as const)('sends %s', async (method) => {
    const answers = { 202: accepted };
    await clientOf().call({ operation: 'ask', method, path: '/things', isRepeatable: false, answers });
    expect(provider.calls.map((call) => call.method)).toEqual([method]);
  });

  it.each([
    ['no body', 'GET', 2, {}],
    ['a body', 'POST', 1, { body: { a: 1 } }],
    ['a body and an idempotency key', 'POST', 2, { body: { a: 1 }, idempotencyKey: 'key-1' }],
  ] as const)('sends %s by %s by default, tries: %i', async (_content, method, tries, content) => {
    provider.behaviour = BEHAVIOURS.fails;
    const call = { operation: 'ask', path: '/things', answers: { 202: accepted }, ...content } as const;
    expect(await failureOf(clientOf().call(call))).toBe('timeout');
    expect(provider.calls.map((sent) => sent.method)).toEqual(Array(tries).fill(method));
  });

  it('returns a declared refusal as an answer, without a retry', async () => {
    provider.behaviour = answersJson(404, { why: 'unknown' });
    expect(await ask(clientOf())).toEqual({ status: 404, body: { why: 'unknown' } });
    expect(provider.calls).toHaveLength(1);
  });

  it.each<[keyof typeof BEHAVIOURS, ProviderFailure, number]>([
    ['fails', 'timeout', 2],
    ['throttles', 'unavailable', 1],
    ['hangs', 'timeout', 2],
    ['resets', 'timeout', 2],
    ['breaksOff', 'timeout', 2],
    ['drips', 'timeout', 2],
    ['redirects', 'timeout', 2],
    ['answersHtml', 'malformed', 2],
    ['answersNothing', 'malformed', 2],
    ['answersOtherJson', 'malformed', 2],
    ['answersHuge', 'malformed', 2],
    ['rejectsKey', 'misconfigured', 1],
    ['refuses', 'refused', 1],
  ])('fails when the provider %s: %s, %i tries', async (behaviour, failure, tries) => {
    provider.behaviour = BEHAVIOURS[behaviour];
    expect(await failureOf(ask(clientOf()))).toBe(failure);
    expect(provider.calls).toHaveLength(tries);
  });

  it('reads a larger answer if the call declares it', async () => {
    provider.behaviour = answersJson(202, { message_id: 'm-1', photo: 'x'.repeat(500_000) });
    const client = clientOf();
    const call = {
      operation: 'ask',
      method: 'GET',
      path: '/things',
      isRepeatable: false,
      answers: { 202: accepted },
    } as const;
    expect(await failureOf(client.call(call))).toBe('malformed');
    expect((await client.call({ ...call, maxAnswerBytes: 1_000_000 })).body.message_id).toBe('m-1');
  });

  it.each([
    [1_900, 'answered'],
    [20_000, 'malformed'],
  ])(
    'with %i elements in an answer is %s, and shows no more of them to its shape',
    async (count, outcome) => {
      provider.behaviour = answersJson(
        202,
        Array.from({ length: count }, () => ({})),
      );
      let seen = 0;
      const element = z.looseObject({}).refine(() => ++seen > 0);
      const call = clientOf().call({
        operation: 'ask',
        method: 'GET',
        path: '/things',
        isRepeatable: false,
        // as for a document
        maxAnswerBytes: 1_000_000,
        answers: { 202: z.array(element) },
      });
      expect(
        await call.then(
          () => 'answered',
          ({ failure }: ProviderError) => failure,
        ),
      ).toBe(outcome);
      expect(seen).toBeLessThanOrEqual(1_900);
    },
  );

  it.each([
    [422, { error: 'wallet empty' }, 'misconfigured', 'provider: misconfigured (status 422: wallet)'],
    [202, { error: 'wallet empty' }, 'misconfigured', 'provider: misconfigured (status 202: wallet)'],
    [202, { message_id: 'm-1', error: 'wallet empty' }, 'answered', ''],
    [422, { error: 'ABCDE1234F is odd' }, 'refused', 'provider: refused (status 422)'],
    [202, { error: 'ABCDE1234F is odd' }, 'malformed', 'provider: malformed (status 202: message_id)'],
  ])('classifies an answer %i with %j as %s', async (status, body, outcome, message) => {
    provider.behaviour = answersJson(status, body);
    const client = clientOf({}, undefined, new URL(provider.url).origin, {
      failureIn: ({ body }) =>
        (body as { error: string }).error === 'wallet empty'
          ? { failure: 'misconfigured', code: 'wallet' }
          : undefined,
    });
    const error: unknown = await ask(client, false).catch((thrown: unknown) => thrown);
    const [seen, text] = error instanceof ProviderError ? [error.failure, error.message] : ['answered', ''];
    expect([seen, text]).toEqual([outcome, message]);
  });

  it('retries with the same key', async () => {
    provider.behaviour = (response) =>
      (provider.calls.length === 1 ? BEHAVIOURS.fails : BEHAVIOURS.accepts)(response);
    expect((await ask(clientOf())).status).toBe(202);
    expect(provider.calls.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', 'key-1']);
  });

  it.each(['throttles', 'refuses', 'rejectsKey'] as const)(
    'fails as the first try did when the provider may have acted on that one, and %s the second',
    async (second) => {
      provider.behaviour = (response) => BEHAVIOURS[provider.calls.length === 1 ? 'hangs' : second](response);
      expect(await failureOf(ask(clientOf({}, 2_000)))).toBe('timeout');
      expect(provider.calls).toHaveLength(2);
    },
  );

  it('does not retry if a repeat is unsafe', async () => {
    provider.behaviour = BEHAVIOURS.fails;
    expect(await failureOf(ask(clientOf(), false))).toBe('timeout');
    expect(provider.calls).toHaveLength(1);
  });

  it('fails as unavailable without a server', async () => {
    const client = clientOf();
    await provider.stop();
    expect(await failureOf(ask(client))).toBe('unavailable');
    provider = await ScriptedProvider.start();
  });

  it('fails at the time limit while connecting', async () => {
    const sockets: Socket[] = [];
    // answers no TLS handshake
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const begin = performance.now();
    expect(await failureOf(ask(clientOf({}, 200, `https://127.0.0.1:${port}`), false))).toBe('timeout');
    // undici waits for a connection for ten seconds
    expect(performance.now() - begin).toBeLessThan(9_500);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it.each<[keyof typeof BEHAVIOURS, number]>([
    ['answersOtherJson', 2],
    ['answersHtml', 2],
    ['answersHuge', 2],
    ['refuses', 0],
    ['fails', 0],
    ['accepts', 0],
  ])('counts answers of a provider that %s as contract drift: %i', async (behaviour, count) => {
    const registry = new Registry();
    provider.behaviour = BEHAVIOURS[behaviour];
    await ask(clientOf({}, undefined, provider.url, { registry })).catch(() => undefined);
    const counted = (await registry.getSingleMetric('drift')!.get()).values;
    const labels = { provider: 'provider', operation: 'ask' };
    expect(counted).toEqual([{ labels, value: count }]);
  });

  it('logs an answer that contradicts itself, which an adapter finds after the call', () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const failure = clientOf().malformed('ask', 'the kind of holder');
    expect(failure).toMatchObject({ failure: 'malformed', detail: 'the kind of holder' });
    const said = {
      provider: 'provider',
      operation: 'ask',
      failure: 'malformed',
      reason: 'the kind of holder',
    };
    expect(warned).toHaveBeenCalledWith({ msg: 'a provider failed', ...said });
  });

  it('fails with an error without sent or received values', async () => {
    provider.behaviour = answersJson(202, { message_id: 42, secret: 'ABCDE1234F' });
    const error = (await ask(clientOf()).catch((thrown: unknown) => thrown)) as ProviderError;
    expect(error.message).toBe('provider: malformed (status 202: message_id)');
  });
});

describe('a failed call that counts for its user', () => {
  const isFreeAfter = (client: ProviderClient<'ask'>, isRepeatable = false): Promise<boolean> =>
    ask(client, isRepeatable).then(() => false, isFree);

  it.each<[what: string, Behaviour, free: boolean]>([
    ['throttles', BEHAVIOURS.throttles, true],
    ['refuses our key', BEHAVIOURS.rejectsKey, true],
    ['refuses the request', BEHAVIOURS.refuses, false],
    ['is down (503)', answersJson(503, {}), false],
    ['breaks', BEHAVIOURS.fails, false],
    ['hangs', BEHAVIOURS.hangs, false],
  ])('uncounts a failed call only if nothing was done: the provider %s', async (_what, behaviour, free) => {
    provider.behaviour = behaviour;
    expect(await isFreeAfter(clientOf())).toBe(free);
  });

  it('uncounts a failed call if the provider was not reached, or its circuit is open', async () => {
    const client = clientOf({ minCalls: 1 });
    await provider.stop();
    expect(await isFreeAfter(client)).toBe(true);
    provider = await ScriptedProvider.start();
    expect(await isFreeAfter(client)).toBe(true);
    expect(provider.calls).toEqual([]);
  });

  it('keeps a call counted if only its second try was throttled', async () => {
    provider.behaviour = (response) =>
      (provider.calls.length === 1 ? answersJson(503, {}) : BEHAVIOURS.throttles)(response);
    expect(await isFreeAfter(clientOf(), true)).toBe(false);
    expect(provider.calls).toHaveLength(2);
  });
});

describe('a provider that throttles', () => {
  const throttlesFor =
    (retryAfter: string): Behaviour =>
    (response) =>
      response.writeHead(429, { 'retry-after': retryAfter }).end();

  it('calls a provider that throttles again, each time after a pause', async () => {
    provider.behaviour = BEHAVIOURS.throttles;
    const client = clientOf({ minCalls: 2, throttledMs: 30 }, 20_000);
    const begin = performance.now();
    for (let times = 0; times < 10; times++) expect(await failureOf(ask(client, false))).toBe('unavailable');
    expect(provider.calls).toHaveLength(10);
    // timers may be a millisecond early
    expect(performance.now() - begin).toBeGreaterThan(9 * 28);
    provider.behaviour = BEHAVIOURS.accepts;
    expect((await ask(client, false)).status).toBe(202);
  });

  it.each([
    ['no time', '0', 10_000, 0],
    ['more than the longest pause', '3600', 0, 145],
    ['no number', 'Wed, 21 Oct 2026 07:28:00 GMT', 150, 145],
  ])('pauses calls for the Retry-After: %s', async (_what, retryAfter, throttledMs, least) => {
    provider.behaviour = throttlesFor(retryAfter);
    const client = clientOf({ throttledMs, maxThrottledMs: 150 }, 20_000);
    // before the answer, from which the pause counts
    const begin = performance.now();
    await failureOf(ask(client, false));
    provider.behaviour = BEHAVIOURS.accepts;
    expect((await ask(client, false)).status).toBe(202);
    expect(performance.now() - begin).toBeGreaterThanOrEqual(least);
    expect(performance.now() - begin).toBeLessThan(10_000);
  });

  it.each([
    ['calls without enough time', {}, 10_000],
    ['calls that do not wait', { waitsForProbe: false }, 60_000],
  ])(
    'makes no %s during the pause of a provider, and charges nothing for them',
    async (_what, limits, timeoutMs) => {
      provider.behaviour = BEHAVIOURS.throttles;
      const client = clientOf({ throttledMs: 20_000, maxThrottledMs: 20_000, ...limits }, timeoutMs);
      for (let times = 0; times < 3; times++) {
        const error: unknown = await ask(client, false).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ failure: 'unavailable', isFree: true });
      }
      expect(provider.calls).toHaveLength(1);
    },
  );
});

describe('a process that is blocked during a call', () => {
  it('takes an answer that came in time, although its time limit has passed meanwhile', async () => {
    provider.behaviour = (response) => {
      // "finish": the answer is in the socket
      response.once('finish', () => {
        for (const end = performance.now() + 2_200; performance.now() < end;);
      });
      BEHAVIOURS.accepts(response);
    };
    expect((await ask(clientOf({}, 2_000), false)).status).toBe(202);
  });
});

describe('a failing provider', () => {
  it('stops calling a provider once half of the calls fail, and probes it after a while', async () => {
    provider.behaviour = BEHAVIOURS.fails;
    const client = clientOf({ minCalls: 5, sampleMs: 60_000, openMs: 2_000 });
    for (let tries = 0; tries < 12; tries++) await failureOf(ask(client, false));
    const asked = provider.calls.length;
    expect(asked).toBeLessThan(12);
    expect(await failureOf(ask(client, false))).toBe('unavailable');
    expect(provider.calls).toHaveLength(asked);
    provider.behaviour = BEHAVIOURS.accepts;
    await sleep(2_100);
    expect((await ask(client, false)).status).toBe(202);
    expect((await ask(client, false)).status).toBe(202);
  });

  it.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('probes a failing provider after the same time when the clock is set %s', async (_name, step) => {
    provider.behaviour = BEHAVIOURS.fails;
    const client = clientOf({ minCalls: 5, sampleMs: 60_000, openMs: 1_500 });
    for (let tries = 0; tries < 12; tries++) await failureOf(ask(client, false));
    const asked = provider.calls.length;
    const realNow = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + step);
    expect(await failureOf(ask(client, false))).toBe('unavailable');
    expect(provider.calls).toHaveLength(asked);
    provider.behaviour = BEHAVIOURS.accepts;
    await eventually(async () => expect((await ask(client, false)).status).toBe(202));
  });

  it('keeps calling a provider that refuses requests', async () => {
    provider.behaviour = BEHAVIOURS.refuses;
    const client = clientOf({ minCalls: 2, sampleMs: 1_000 });
    for (let tries = 0; tries < 10; tries++) expect(await failureOf(ask(client))).toBe('refused');
    expect(provider.calls).toHaveLength(10);
  });

  it('keeps calling a provider while only something behind it is down', async () => {
    provider.behaviour = answersJson(503, { error: 'bank away' });
    const failureIn = () => ({ failure: 'unavailable', reason: 'elsewhere', code: 'away' }) as const;
    const client = clientOf({ minCalls: 2 }, 20_000, new URL(provider.url).origin, { failureIn });
    for (let tries = 0; tries < 10; tries++) expect(await failureOf(ask(client, false))).toBe('unavailable');
    expect(provider.calls).toHaveLength(10);
  });

  it('stops calling a provider that refuses our credentials, and probes it after a while', async () => {
    provider.behaviour = BEHAVIOURS.rejectsKey;
    const client = clientOf({ openMs: 2_000 });
    expect(await failureOf(ask(client))).toBe('misconfigured');
    provider.behaviour = BEHAVIOURS.accepts;
    expect(await failureOf(ask(client))).toBe('unavailable');
    expect(provider.calls).toHaveLength(1);
    await sleep(2_100);
    expect((await ask(client)).status).toBe(202);
  });

  it('limits parallel calls to a provider, and refuses calls beyond the queue at once', async () => {
    provider.behaviour = BEHAVIOURS.hangs;
    // long enough that the provider, in this process, sees each call before its end
    const client = clientOf({ maxRunning: 3, maxWaiting: 2 }, 3_000);
    const calls = Array.from({ length: 8 }, () => failureOf(ask(client, false)));
    expect((await Promise.all(calls.slice(5))).every((failure) => failure === 'unavailable')).toBe(true);
    expect(provider.calls.length).toBeLessThanOrEqual(3);
    await Promise.all(calls);
    expect(provider.calls).toHaveLength(5);
  });
});

describe('a healthy provider', () => {
  const slowly = (ms: number): Behaviour => {
    return (response) => setTimeout(() => BEHAVIOURS.accepts(response), ms);
  };

  it('makes no call without remaining time, and counts no failure', async () => {
    const client = clientOf({ minCalls: 2, sampleMs: 1_000 });
    for (let call = 0; call < 10; call++) {
      expect(await withDeadline(() => failureOf(ask(client)), 300)).toBe('unavailable');
    }
    expect(provider.calls).toHaveLength(0);
    expect((await ask(client)).status).toBe(202);
  });

  it('counts no failure for the timeout of a call with too little time', async () => {
    provider.behaviour = slowly(10_000);
    const client = clientOf({ minCalls: 2, sampleMs: 60_000 });
    for (let call = 1; call <= 4; call++) {
      expect(await withDeadline(() => failureOf(ask(client)), 2_300)).toBe('timeout');
      // a second try would have had no time at all
      expect(provider.calls).toHaveLength(call);
    }
    provider.behaviour = BEHAVIOURS.accepts;
    expect((await ask(client)).status).toBe(202);
  });

  it('sends a healthy provider only one probe while its circuit is open', async () => {
    const client = clientOf({ minCalls: 2, sampleMs: 60_000, openMs: 1_000 });
    provider.behaviour = BEHAVIOURS.fails;
    for (let tries = 0; tries < 4; tries++) await failureOf(ask(client, false));
    provider.behaviour = BEHAVIOURS.hangs;
    await sleep(1_100);
    const asked = provider.calls.length;
    expect(await withDeadline(() => failureOf(ask(client)), 2_300)).toBe('timeout');
    expect(await failureOf(ask(client))).toBe('unavailable');
    expect(provider.calls).toHaveLength(asked + 1);
  });

  it('sends the request id of each request, even of queued ones', async () => {
    provider.behaviour = slowly(20);
    const client = clientOf({ maxRunning: 1 });
    const ids = ['request-1', 'request-2', 'request-3'];
    await Promise.all(ids.map((requestId) => withRequestStore({ requestId }, () => ask(client))));
    expect(provider.calls.map(({ headers }) => headers['x-request-id'])).toEqual(ids);
  });

  const of = <T>(userId: string, work: () => Promise<T>, deadlineMs = 60_000): Promise<T> =>
    withRequestStore({ requestId: `request-of-${userId}`, userId }, () => withDeadline(work, deadlineMs));

  it('lets other users call the provider beside one with many calls', async () => {
    provider.behaviour = slowly(200);
    const client = clientOf({}, 20_000);
    let refused = 0;
    for (let round = 0; round < 3; round++) {
      const many = Array.from({ length: 60 }, () =>
        of('greedy', () => ask(client), 700).catch((error: ProviderError) => {
          refused++;
          return error;
        }),
      );
      const few = Array.from({ length: 3 }, () => of('modest', () => ask(client)));
      for (const { status } of await Promise.all(few)) expect(status).toBe(202);
      await Promise.all(many);
    }
    expect(refused).toBeGreaterThanOrEqual(3 * 30);
    expect((await of('greedy', () => ask(client))).status).toBe(202);
  });

  it('makes three parallel calls of a user, queues 27 and refuses further ones', async () => {
    provider.behaviour = slowly(50);
    const client = clientOf({}, 20_000);
    const calls = Array.from({ length: 30 }, () => of('user', () => ask(client)));
    const refusal: unknown = await of('user', () => orUnavailable('bank', () => ask(client))).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({
      code: GeneralErrors.tooManyRequests.code,
      retryAfterSeconds: 1,
    });
    // the error says that nothing was sent, so callers uncount the call
    expect(isFree(refusal)).toBe(true);
    expect(provider.calls.length).toBeLessThanOrEqual(3);
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(30).fill(202));
    expect((await of('user', () => ask(client))).status).toBe(202);
  });

  it('lets background work make as many parallel calls as allowed', async () => {
    provider.behaviour = slowly(50);
    const client = clientOf({ maxRunningOfUser: 1, maxWaitingOfUser: 0 }, 20_000);
    const calls = await Promise.all(Array.from({ length: 20 }, () => ask(client)));
    expect(calls.map(({ status }) => status)).toEqual(Array(20).fill(202));
  });
});
