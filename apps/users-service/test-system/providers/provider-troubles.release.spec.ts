import type { PanPendingPayload } from '@fd/contracts';
import { GeneralErrors, PanErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import type { Response } from 'supertest';
import { issuerPath } from '../../test/support/issuers.js';
import { as, logIn } from '../../test/support/login.js';
import { getPan, panBody, postPan } from '../../test/support/pan.js';
import { answersJson, BEHAVIOURS, ScriptedProvider } from '../../test/support/scripted-provider.js';
import { sandboxUrl } from '../../test/support/sandbox.config.js';
import { providerSettings } from '../../test/support/settings.js';
import { startService, type TestService } from '../../test/support/users-app.js';

let service: TestService;
let provider: ScriptedProvider;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  // short, so that each look-up times out while its request waits for it
  service = await startService({
    PAN_REGISTRY_URL: new URL(provider.url).origin,
    PAN_LOOKUP_TIMEOUT_MS: '600',
  });
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

/** Returns the outcome of a look-up: the answer itself, or the poll's if the look-up was still queued (202). */
async function resultOf(api: ApiClient, answer: Response): Promise<Response> {
  if (answer.status !== 202) return answer;
  const { verification_id: id } = (answer.body as { payload: PanPendingPayload }).payload;
  return eventually(async () => {
    const polled = await getPan(api, id);
    expect(polled.status).not.toBe(202);
    return polled;
  });
}

describe('hanging provider', () => {
  it('refuses the calls of 30 users while a provider hangs, and serves another user', async () => {
    provider.behaviour = BEHAVIOURS.hangs;
    const [other, ...users] = await inParallel(31, () => logIn(service));
    const waiting = users.map((user) => postPan(as(service.api, user)));
    await eventually(() => expect(provider.calls.length).toBeGreaterThan(5));
    const profile = await as(service.api, other!).get('/api/v1/user-profile');
    const answers = await Promise.all(waiting);
    expect(profile.status).toBe(200);
    for (const [index, answer] of answers.entries())
      expectRefusal(await resultOf(as(service.api, users[index]!), answer), PanErrors.registryUnavailable);
    expect(provider.calls.length).toBeLessThanOrEqual(31);
  });

  it('asks a provider no more often in parallel than its limit, queues as many and refuses the rest', async () => {
    provider.behaviour = BEHAVIOURS.hangs;
    const narrow = await service.replica({ PROVIDER_MAX_CALLS: '2' });
    const users = await inParallel(10, () => logIn(service));
    const before = provider.calls.length;
    const apis = users.map((user) => as(narrow.api, user));
    const answers = await Promise.all(apis.map((api) => postPan(api)));
    for (const [index, answer] of answers.entries())
      expectRefusal(await resultOf(apis[index]!, answer), PanErrors.registryUnavailable);
    expect(provider.calls.length - before).toBeGreaterThanOrEqual(2);
    expect(provider.calls.length - before).toBeLessThanOrEqual(4);
  });

  it('stops asking a failing provider, reports it in the metrics, and asks it again after its recovery', async () => {
    const metrics = async () => (await service.api.get('/metrics')).text;
    await eventually(async () => {
      await postPan(as(service.api, await logIn(service)));
      expect(await metrics()).toMatch(/provider_circuit_open\{provider="pan-registry"\} 1/);
    });
    const asked = provider.calls.length;
    expectRefusal(await postPan(as(service.api, await logIn(service))), PanErrors.registryUnavailable);
    expect(provider.calls).toHaveLength(asked);
    provider.behaviour = (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          reference: 'r-1',
          status: 'VALID',
          name: { full: 'ASHA RAO', first: 'ASHA', middle: null, last: 'RAO' },
          father_name: 'RAVI RAO',
          date_of_birth_match: true,
          aadhaar_link: 'LINKED',
        }),
      );
    await eventually(async () => {
      expect((await postPan(as(service.api, await logIn(service)))).status).toBe(200);
    });
    expect(await metrics()).toMatch(/provider_circuit_open\{provider="pan-registry"\} 0/);
  });
});

describe('per-user bulkhead for calls to a slow provider', () => {
  it('answers 429 to a user who makes too many calls to a slow provider, and serves the others', async () => {
    const issuer = await ScriptedProvider.start();
    const replica = await service.replica({
      PROVIDER_TIMEOUT_MS: '1000',
      PAN_LOOKUP_TIMEOUT_MS: '1000',
      PAN_REGISTRY_URL: providerSettings(sandboxUrl())['PAN_REGISTRY_URL'],
      ISSUER_API_OVERRIDES: JSON.stringify({ aravalli: { url: issuer.url, api_key: 'aravalli-key' } }),
    });
    issuer.behaviour = (response) =>
      setTimeout(() => answersJson(200, { found: false, customer: null })(response), 300);
    const aCustomer = async () => {
      const api = as(replica.api, await logIn(service));
      const body = panBody();
      expect((await postPan(api, body)).status).toBe(200);
      return api;
    };
    const check = (api: ApiClient) => api.post(issuerPath('aravalli', 'v2/check-etb'), {});
    const [greedy, ...others] = await inParallel(11, aCustomer);
    const many = inParallel(40, () => check(greedy!));
    await eventually(() => expect(issuer.calls.length).toBeGreaterThan(0));
    for (const { status } of await Promise.all(others.map(check))) expect(status).toBe(200);
    const answers = await many;
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expectRefusal(answer, GeneralErrors.tooManyRequests);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await replica.api.get('/metrics')).text).toMatch(
      /provider_circuit_open\{provider="issuer-aravalli"\} 0/,
    );
    await issuer.stop();
  });
});
