import type { PanVerificationPayload } from '@fd/contracts';
import { PanErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel } from '@fd/testing';
import type { Response } from 'supertest';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { effectsOf } from '../support/effects.js';
import { as, logIn } from '../support/login.js';
import { byCall, holderOf, kindsOf, lookupsOf, vendors, WALLET_EMPTY } from '../support/pan-vendors.js';
import { aPan, panBody, postPan, verifyPan } from '../support/pan.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

describe('parallel PAN verifications', () => {
  let service: TestService;
  let replica: UsersApp;
  beforeAll(async () => {
    service = await startService();
    replica = await service.replica();
  });
  afterAll(() => service.close());

  const on = (i: number): UsersApp => (i % 2 ? replica : service);
  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user), on: (i: number) => as(on(i).api, user) };
  };
  const idOf = (response: Response) =>
    (response.body as { payload: PanVerificationPayload }).payload.verification_id;
  /** Moves the look-ups of a user into the past. */
  const ageLookups = (userId: string, seconds: number) =>
    service.dataSource.query(
      'UPDATE onboarding.pan_lookups SET started_at = started_at - make_interval(secs => $2) WHERE user_id = $1',
      [userId, seconds],
    );
  const lookupsOf = async (userId: string) =>
    (
      await service.dataSource.query<unknown[]>('SELECT 1 FROM onboarding.pan_lookups WHERE user_id = $1', [
        userId,
      ])
    ).length;

  it('verifies a PAN for exactly one of eight users who send it in parallel', async () => {
    const users = await inParallel(8, () => aUser());
    const body = panBody();
    const responses = await Promise.all(users.map((user, i) => postPan(user.on(i), body)));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(7);
    for (const response of refused) expectRefusal(response, PanErrors.belongsToAnotherUser);
    const winner = users[responses.findIndex(({ status }) => status === 200)]!;
    expect(await verifyPan(winner.api, body)).toMatchObject({ is_pan_verified: true });
  });

  it('makes one verification for eight parallel calls of a user, with at most one look-up on each replica', async () => {
    const user = await aUser();
    const body = panBody();
    const responses = await inParallel(8, (i) => postPan(user.on(i), body));
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(responses.map(idOf)).size).toBe(1);
    const lookups = await effectsOf('pan', body.number);
    expect([1, 2]).toContain(lookups.length);
    expect(await lookupsOf(user.user_id)).toBe(lookups.length);
  });

  it('verifies exactly one of eight PANs that a user sends in parallel', async () => {
    const user = await aUser();
    const responses = await inParallel(8, (i) => postPan(user.on(i)));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(7);
    for (const response of refused) expectRefusal(response, PanErrors.anotherPanVerified);
  });

  describe('daily limit of PAN look-ups', () => {
    const unknownPan = () => panBody(aPan({ digits: '0404' }));

    it('makes exactly ten of 15 look-ups requested at once on two replicas', async () => {
      const user = await aUser();
      const bodies = Array.from({ length: 15 }, unknownPan);
      const responses = await inParallel(15, (i) => postPan(user.on(i), bodies[i]));
      const refused = responses.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(5);
      for (const response of refused) expectRefusal(response, PanErrors.tooManyLookups);
      for (const response of responses.filter(({ status }) => status !== 429))
        expectRefusal(response, PanErrors.notFound);
      const effects = await Promise.all(bodies.map(({ number }) => effectsOf('pan', number)));
      expect(effects.flat()).toHaveLength(10);
    });

    it('answers 429 with Retry-After after ten look-ups in 24 hours, and frees them one by one', async () => {
      const user = await aUser();
      expectRefusal(await postPan(user.api, unknownPan()), PanErrors.notFound);
      await ageLookups(user.user_id, 3_600);
      for (let i = 1; i < 10; i++) expectRefusal(await postPan(user.api, unknownPan()), PanErrors.notFound);
      const refused = await postPan(user.api);
      expectRefusal(refused, PanErrors.tooManyLookups);
      const seconds = Number(refused.headers['retry-after']);
      expect(seconds).toBeGreaterThan(82_000);
      expect(seconds).toBeLessThanOrEqual(82_800);
      await ageLookups(user.user_id, seconds);
      expectRefusal(await postPan(user.api, unknownPan()), PanErrors.notFound);
      expectRefusal(await postPan(user.api), PanErrors.tooManyLookups);
    });

    it('counts look-ups of PANs of other users, so that PANs cannot be probed', async () => {
      const [user, other] = [await aUser(), await aUser()];
      const { number } = await verifyPan(other.api);
      for (let i = 0; i < 10; i++)
        expectRefusal(await postPan(user.api, panBody(number)), PanErrors.belongsToAnotherUser);
      expectRefusal(await postPan(user.api, panBody(number)), PanErrors.tooManyLookups);
    });

    it('answers a repeat of a verified PAN when no look-up is left', async () => {
      const user = await aUser();
      for (let i = 0; i < 9; i++) await postPan(user.api, unknownPan());
      const body = panBody();
      const first = await verifyPan(user.api, body);
      expect(await verifyPan(user.api, body)).toEqual(first);
      expect(await lookupsOf(user.user_id)).toBe(10);
    });

    it('deletes the records of look-ups after 24 hours', async () => {
      const user = await aUser();
      await postPan(user.api, unknownPan());
      await ageLookups(user.user_id, 86_400);
      await postPan(user.api, unknownPan());
      await service.app.get(Jobs).runCleanup();
      expect(await lookupsOf(user.user_id)).toBe(1);
    });

    it('counts the look-ups of each user separately', async () => {
      const [user, other] = [await aUser(), await aUser()];
      for (let i = 0; i < 10; i++) await postPan(user.api, unknownPan());
      await verifyPan(other.api);
    });
  });
});

describe('POST /api/v1/pan-verification over real vendors', () => {
  let service: TestService;
  let cashfree: ScriptedProvider;
  beforeAll(async () => {
    cashfree = await ScriptedProvider.start();
    service = await startService(vendors());
  });
  afterAll(async () => {
    await service.close();
    await cashfree.stop();
  });

  it('verifies at the first provider alone, and pays once for its two calls', async () => {
    const user = await logIn(service);
    const number = aPan();
    await verifyPan(as(service.api, user), panBody(number));
    await verifyPan(as(service.api, user), panBody(number));
    expect(await kindsOf('cashfree', number)).toEqual(['pan', 'pan_lite']);
    expect(await kindsOf('setu', number)).toEqual([]);
  });

  it.each([
    ['unknown', '0404', PanErrors.notFound, ['pan']],
    ['not valid', '0410', PanErrors.notValid, ['pan']],
    ['of another date of birth', '0406', PanErrors.birthDateDiffers, ['pan', 'pan_lite']],
  ] as const)(
    'refuses a PAN that is %s without asking the second provider',
    async (_what, digits, refusal, paid) => {
      const number = aPan({ digits });
      expectRefusal(await postPan(as(service.api, await logIn(service)), panBody(number)), refusal);
      expect(await kindsOf('cashfree', number)).toEqual(paid);
      expect(await kindsOf('setu', number)).toEqual([]);
    },
  );

  it('uses the second provider, for one payment and one try, while our wallet at the first is empty', async () => {
    cashfree.behaviour = WALLET_EMPTY;
    const replica = await service.replica(vendors({ CASHFREE_URL: new URL(cashfree.url).origin }));
    const before = cashfree.calls.length;
    for (let times = 0; times < 3; times++) {
      const user = await logIn(replica);
      const number = aPan();
      await verifyPan(as(replica.api, user), panBody(number));
      expect(await kindsOf('setu', number)).toEqual(['pan']);
      expect(await lookupsOf(service, user.user_id)).toHaveLength(1);
    }
    // its circuit opens after the first refusal
    expect(cashfree.calls.length - before).toBe(1);
    const { text } = await replica.api.get('/metrics');
    expect(text).toMatch(/provider_circuit_open\{provider="cashfree-pan"\} 1/);
    expect(text).toMatch(/provider_call_duration_seconds_count\{[^}]*outcome="misconfigured"[^}]*\} 1/);
  });

  it('uses up no try of the user while our wallet is empty and there is no other provider', async () => {
    cashfree.behaviour = WALLET_EMPTY;
    const alone = vendors({ PAN_PROVIDERS: 'cashfree', CASHFREE_URL: new URL(cashfree.url).origin });
    const replica = await service.replica(alone);
    const user = await logIn(replica);
    for (let times = 0; times < 12; times++) {
      expectRefusal(await postPan(as(replica.api, user)), PanErrors.registryUnavailable);
    }
    expect(await lookupsOf(service, user.user_id)).toEqual([]);
  });

  it('uses up no try of the user, and asks no other provider, when our wallet runs out between the two calls', async () => {
    const body = panBody();
    cashfree.behaviour = byCall(cashfree, holderOf(body.number), WALLET_EMPTY);
    const replica = await service.replica(vendors({ CASHFREE_URL: new URL(cashfree.url).origin }));
    const user = await logIn(replica);
    const before = cashfree.calls.length;
    expectRefusal(await postPan(as(replica.api, user), body), PanErrors.registryUnavailable);
    expect(cashfree.calls.slice(before).map(({ path }) => path)).toEqual(['/pan', '/pan-lite']);
    expect(await lookupsOf(service, user.user_id)).toEqual([]);
    expect(await kindsOf('setu', body.number)).toEqual([]);
    const { text } = await replica.api.get('/metrics');
    expect(text).toMatch(/provider_circuit_open\{provider="cashfree-pan"\} 1/);
  });

  it('asks no other provider once the first may have been paid', async () => {
    cashfree.behaviour = answersJson(500, {});
    const replica = await service.replica(vendors({ CASHFREE_URL: new URL(cashfree.url).origin }));
    const user = await logIn(replica);
    const number = aPan();
    expectRefusal(await postPan(as(replica.api, user), panBody(number)), PanErrors.registryUnavailable);
    expect(await kindsOf('setu', number)).toEqual([]);
    expect(await lookupsOf(service, user.user_id)).toHaveLength(1);
  });
});

describe.each([
  ['cashfree', 'setu', ['pan', 'pan_lite']],
  ['setu', 'cashfree', ['pan']],
] as const)('payments for a PAN over %s before %s', (vendor, other, whole) => {
  const order = { PAN_PROVIDERS: `${vendor},${other}`, PAN_LOOKUP_TIMEOUT_MS: '1000' };
  let service: TestService;
  let replica: Awaited<ReturnType<TestService['replica']>>;
  beforeAll(async () => {
    service = await startService(vendors(order));
    replica = await service.replica(vendors(order));
  });
  afterAll(() => service.close());

  it('pays once for duplicates on two replicas', async () => {
    const user = await logIn(service);
    const number = aPan();
    const answers = await inParallel(6, (n) =>
      postPan(as((n % 2 ? replica : service).api, user), panBody(number)),
    );
    for (const { status } of answers) expect([200, 202]).toContain(status);
    await eventually(() => verifyPan(as(service.api, user), panBody(number)));
    expect([await kindsOf(vendor, number), await kindsOf(other, number)]).toEqual([whole, []]);
  });
});
