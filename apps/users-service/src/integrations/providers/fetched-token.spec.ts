import '@fd/testing/use-generous-limits';
import { inspect } from 'node:util';
import { Logger } from '@nestjs/common';
import { timeLimit, withDeadline } from '@fd/envelope';
import type { ProviderFailure } from '@fd/errors';
import { eventually, inParallel } from '@fd/testing';
import { z } from 'zod';
import { scriptedClient } from '../../../test/support/provider-calls.js';
import {
  answersJson,
  type Behaviour,
  BEHAVIOURS,
  ScriptedProvider,
} from '../../../test/support/scripted-provider.js';
import { FetchedToken, type TokenEndpoint } from './fetched-token.js';
import { exchange } from './http-exchange.js';

let server: ScriptedProvider;
/** The answer of the token endpoint, and of the provider. */
let token: Behaviour;
let answer: Behaviour;
let lateMs = 0;
const now = performance.now.bind(performance);

beforeAll(async () => {
  Logger.overrideLogger(false);
  server = await ScriptedProvider.start();
  server.behaviour = (response) => (isTokenCall(server.calls.at(-1)!) ? token : answer)(response);
});
beforeEach(() => {
  server.calls.length = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + lateMs);
  let issued = 0;
  token = (response) => answersJson(200, { access_token: `token-${++issued}`, expires_in: 600 })(response);
  answer = answersJson(200, {});
});
afterAll(() => server.stop());

const isTokenCall = ({ path }: { readonly path: string }): boolean => path === '/token';
const tokenCalls = () => server.calls.filter(isTokenCall);
/** Values of the header `authorization` of the calls to the provider. */
const sentTokens = () =>
  server.calls.filter((call) => !isTokenCall(call)).map(({ headers }) => headers.authorization);

const base = () => new URL(server.url).origin;
const tokenOf = (more: Partial<TokenEndpoint> = {}) =>
  new FetchedToken({ name: 'p', url: `${base()}/token`, clientId: 'fd', clientSecret: 's:ecret ä', ...more });

const call = (credentials: FetchedToken, signal = AbortSignal.timeout(60_000)) =>
  exchange('p', { method: 'POST', url: `${base()}/things`, credentials, body: { a: 1 } }, signal);

const failing = (failure: ProviderFailure, detail: string) =>
  expect.objectContaining({ name: 'ProviderError', failure, detail }) as unknown;

describe('FetchedToken', () => {
  it('fetches a token with our client id and secret, and sends it with the call', async () => {
    expect((await call(tokenOf({ scope: 'fd.write', more: { 'x-tenant': 't' } }))).status).toBe(200);
    const [fetched, called] = server.calls;
    const basic = Buffer.from('fd:s%3Aecret+%C3%A4').toString('base64');
    expect(fetched).toMatchObject({ method: 'POST', headers: { authorization: `Basic ${basic}` } });
    expect(fetched!.body).toEqual({ grant_type: 'client_credentials', scope: 'fd.write' });
    expect(called!.headers).toMatchObject({ authorization: 'Bearer token-1', 'x-tenant': 't' });
    expect(called!.body).toEqual({ a: 1 });
  });

  it('sends the token without a prefix to a provider that expects none', async () => {
    await call(tokenOf({ prefix: '' }));
    expect(sentTokens()).toEqual(['token-1']);
  });

  it.each([
    ['half a minute before its end', 600, 570],
    ['after half of a short life', 20, 10],
    ['after four and a half minutes without a stated life', undefined, 270],
  ])('fetches the token again %s, not before', async (_when, expires_in, usableSeconds) => {
    token = answersJson(200, { access_token: 't', expires_in });
    const credentials = tokenOf();
    await call(credentials);
    lateMs += usableSeconds * 1_000 - 1_000;
    await call(credentials);
    expect(tokenCalls()).toHaveLength(1);
    lateMs += 1_000;
    await call(credentials);
    expect(tokenCalls()).toHaveLength(2);
  });

  it('fetches one token for parallel callers', async () => {
    const credentials = tokenOf();
    await inParallel(8, () => call(credentials));
    expect(tokenCalls()).toHaveLength(1);
    expect(new Set(sentTokens())).toEqual(new Set(['Bearer token-1']));
  });

  const refusesFirst: Behaviour = (response) =>
    answersJson(server.calls.at(-1)!.headers.authorization === 'Bearer token-1' ? 401 : 200, {})(response);

  it('fetches the token again once after 401, and repeats the call once', async () => {
    answer = refusesFirst;
    const credentials = tokenOf();
    expect((await call(credentials)).status).toBe(200);
    expect(sentTokens()).toEqual(['Bearer token-1', 'Bearer token-2']);
    await call(credentials);
    expect(tokenCalls()).toHaveLength(2);
  });

  it('fetches the token again once for parallel callers that all get 401', async () => {
    answer = refusesFirst;
    const credentials = tokenOf();
    const answers = await inParallel(8, () => call(credentials));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(tokenCalls()).toHaveLength(2);
  });

  it('does not fetch the token again for a late 401 about the previous one', async () => {
    const credentials = tokenOf();
    await call(credentials);
    let answerLate = (): void => undefined;
    answer = (response) => void (answerLate = () => answersJson(401, {})(response));
    const late = call(credentials);
    await eventually(() => expect(sentTokens()).toHaveLength(2));
    answer = refusesFirst;
    await call(credentials);
    answerLate();
    expect((await late).status).toBe(200);
    expect(tokenCalls()).toHaveLength(2);
  });

  it('returns a second 401 as the answer', async () => {
    answer = answersJson(401, {});
    expect((await call(tokenOf())).status).toBe(401);
    expect(sentTokens()).toHaveLength(2);
  });

  it.each<[what: string, behaviour: Behaviour, failure: ProviderFailure, detail: string]>([
    [
      'refuses our client',
      answersJson(401, { error: 'invalid_client' }),
      'misconfigured',
      'status 401: token refused',
    ],
    [
      'refuses our scope',
      answersJson(400, { error: 'invalid_scope' }),
      'misconfigured',
      'status 400: token refused',
    ],
    ['answers a page', BEHAVIOURS.answersHtml, 'misconfigured', 'status 200: no token'],
    [
      'answers an unsendable token',
      answersJson(200, { access_token: 'a\nb' }),
      'misconfigured',
      'status 200: no token',
    ],
    ['is at another address', answersJson(404, {}), 'misconfigured', 'status 404: no token'],
    ['takes too many calls', answersJson(429, {}), 'unavailable', 'status 429: token endpoint'],
    ['fails', answersJson(500, {}), 'unavailable', 'status 500: token endpoint'],
    ['resets the connection', BEHAVIOURS.resets, 'unavailable', 'ECONNRESET: token endpoint'],
    ['redirects', BEHAVIOURS.redirects, 'unavailable', 'redirect: token endpoint'],
  ])('does not send the call when the token endpoint %s', async (_what, behaviour, failure, detail) => {
    token = behaviour;
    const credentials = tokenOf();
    await expect(call(credentials)).rejects.toEqual(failing(failure, detail));
    expect(sentTokens()).toEqual([]);
    // a failure is not kept
    token = answersJson(200, { access_token: 't' });
    expect((await call(credentials)).status).toBe(200);
  });

  it('fails a call at its own time limit, and serves the next one with the token that was late', async () => {
    let release = (): void => undefined;
    token = (response) => {
      release = () => answersJson(200, { access_token: 'late' })(response);
    };
    const credentials = tokenOf();
    const late = call(credentials, AbortSignal.timeout(100));
    await expect(late).rejects.toEqual(failing('unavailable', 'token endpoint'));
    const next = call(credentials);
    await eventually(() => expect(tokenCalls()).toHaveLength(1));
    release();
    expect((await next).status).toBe(200);
    expect([tokenCalls().length, sentTokens()]).toEqual([1, ['Bearer late']]);
  });

  /** A client of the provider. */
  const clientWith = (credentials: FetchedToken) => {
    const provider = scriptedClient(base(), 10_000, { credentials }).forOperations('ask');
    const answers = { 200: z.object({}) };
    return () =>
      provider.call({ operation: 'ask', method: 'GET', path: '/things', isRepeatable: true, answers });
  };

  it('opens the circuit of its provider when the token endpoint refuses our client', async () => {
    token = answersJson(401, {});
    const ask = clientWith(tokenOf());
    await expect(ask()).rejects.toEqual(failing('misconfigured', 'status 401: token refused'));
    await expect(ask()).rejects.toEqual(failing('unavailable', 'circuit open'));
    expect(server.calls).toHaveLength(1);
  });

  it('counts no failure for a request that ends while it waits for a token', async () => {
    token = BEHAVIOURS.hangs;
    const ended = withDeadline(() => clientWith(tokenOf())(), timeLimit(300) + 200);
    await expect(ended).rejects.toEqual(failing('unavailable', 'cut short'));
  });

  it('writes neither a token nor our secret into errors and logs', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const errors: unknown[] = [];
    for (const behaviour of [answersJson(403, {}), answersJson(200, []), BEHAVIOURS.resets]) {
      answer = behaviour;
      await clientWith(tokenOf())().catch((error: unknown) => errors.push(error));
    }
    expect(errors).toHaveLength(3);
    const said = inspect([errors, warn.mock.calls], { depth: 10 });
    expect(said).toContain('a provider failed');
    expect(said).not.toMatch(/token-\d|:ecret|%3Aecret/);
  });
});
