import { PanErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel } from '@fd/testing';
import { as, logIn } from '../support/login.js';
import { aPan, panBody, postPan, verifyPan } from '../support/pan.js';
import { byCall, holderOf, kindsOf, lookupsOf, vendors, WALLET_EMPTY } from '../support/pan-vendors.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';

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
