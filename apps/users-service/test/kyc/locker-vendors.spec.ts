import { EkycErrors, LockerErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import type { Environment } from '@fd/platform';
import { aadhaarReadsOf } from '../support/effects.js';
import { finishLocker } from '../support/ekyc.js';
import { HoldingProxy } from '../support/holding-proxy.js';
import { issuerPath } from '../support/issuers.js';
import { VENDORS, type Vendor, vendors, open, show, tryOpen, URL_OF } from '../support/locker-vendors.js';
import { as } from '../support/login.js';
import { aPanHolder, type VerifiedPan } from '../support/pan.js';
import { answersJson, type Behaviour, BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { vendorSettings } from '../support/settings.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

/** Allows access to the Aadhaar of the PAN holder, or of another person. */
const allow = (
  url: string,
  { full_name: name, dob }: VerifiedPan,
  outcome: 'allow' | 'another_person' = 'allow',
) => finishLocker(url, outcome, { name, date_of_birth: dob });

/** Opens a session at Cashfree behind PROXY, whose answer is lost on its way to the service. */
async function openLosingTheAnswer(me: ApiClient, proxy: HoldingProxy): Promise<Answer> {
  const held = proxy.holdNext(/digilocker$/, 'before the answer');
  const answer = Promise.resolve(tryOpen(me));
  await held.caught;
  await proxy.stop();
  await proxy.turnOn();
  held.release();
  return answer;
}
type Answer = Awaited<ReturnType<typeof tryOpen>>;

const behind = (proxy: HoldingProxy): Environment => ({
  CASHFREE_URL: vendorSettings(proxy.url)['CASHFREE_URL'],
});

interface Row {
  readonly provider: string | null;
  readonly locker_id: string | null;
  readonly state: string;
}

async function rowOf(service: TestService, id: string): Promise<Row> {
  const [row] = await service.dataSource.query<[Row]>(
    'SELECT provider, locker_id, state FROM onboarding.locker_sessions WHERE id = $1',
    [id],
  );
  return row;
}

describe('document locker over a vendor', () => {
  const replicas = new Map<string, { service: TestService; replica: UsersApp }>();
  const of = (vendor: Vendor) => replicas.get(vendor)!;
  beforeAll(async () => {
    for (const vendor of VENDORS) {
      const service = await startService(vendors(vendor));
      replicas.set(vendor, { service, replica: await service.replica() });
    }
  });
  afterAll(async () => {
    for (const { service } of replicas.values()) await service.close();
  });

  it.concurrent.each(VENDORS)('completes the eKYC by the worker when no client asks (%s)', async (vendor) => {
    const { service } = of(vendor);
    const { login, pan } = await aPanHolder(service);
    const me = as(service.api, login);
    const { url, session_id: id } = await open(me);
    await allow(url, pan);
    await eventually(async () => {
      const { body } = await me.get(issuerPath('kaveri', 'v1/journey'));
      const steps = body.payload.steps as { step: string; status: string }[];
      expect(steps.find(({ step }) => step === 'EKYC')).toMatchObject({ status: 'DONE' });
    });
    const { locker_id } = await rowOf(service, id);
    expect(await aadhaarReadsOf(vendor, locker_id!)).toEqual({ reads: 1, charges: 1 });
  });

  it.concurrent.each(VENDORS)('refuses the Aadhaar of another person (%s)', async (vendor) => {
    const { service } = of(vendor);
    const { login, pan } = await aPanHolder(service);
    const me = as(service.api, login);
    const { url, session_id: id } = await open(me);
    await allow(url, pan, 'another_person');
    expectRefusal(await show(me, id), LockerErrors.holderDiffers);
    expectRefusal(await show(me, id), LockerErrors.holderDiffers);
  });

  it.concurrent.each(VENDORS)(
    'opens a new session after a crash has lost the link of the last one (%s)',
    async (vendor) => {
      const { service } = of(vendor);
      const { login, pan } = await aPanHolder(service);
      const me = as(service.api, login);
      const { session_id: lost } = await open(me);
      await service.dataSource.query(
        `UPDATE onboarding.locker_sessions SET locker_id = NULL, url_encrypted = NULL, expires_at = NULL WHERE id = $1`,
        [lost],
      );
      const again = await open(me);
      await allow(again.url, pan);
      expect((await show(me, again.session_id)).body.payload.is_ekyc_verified).toBe(true);
    },
  );

  it.concurrent.each(VENDORS)(
    'ends the session of a person who takes the access back, and keeps asking for others (%s)',
    async (vendor) => {
      const { service } = of(vendor);
      const { login } = await aPanHolder(service);
      const me = as(service.api, login);
      const { url, session_id: id } = await open(me);
      await finishLocker(url, 'take_back');
      expectRefusal(await show(me, id), LockerErrors.consentDenied);
      // nothing is read again
      expect((await rowOf(service, id)).state).toBe('SETTLED');
      const { text } = await service.api.get('/metrics');
      expect(text).toContain(`provider_circuit_open{provider="${vendor}-locker"} 0`);
      const other = await aPanHolder(service);
      const others = as(service.api, other.login);
      const session = await open(others);
      await allow(session.url, other.pan);
      expect((await show(others, session.session_id)).body.payload.is_ekyc_verified).toBe(true);
    },
  );

  // not concurrent, as below
  it.each(VENDORS)(
    'makes pauses between reads of an Aadhaar that fail, on all replicas (%s)',
    async (vendor) => {
      const { service } = of(vendor);
      const scripted = await ScriptedProvider.start();
      const at = vendors(vendor, { [URL_OF[vendor]]: new URL(scripted.url).origin });
      const replicas = [await service.replica(at), await service.replica(at)];
      const page = { id: 's-1', url: 'https://locker.example/s', validUpto: '2999-01-01T00:00:00+05:30' };
      const status = { setu: 'authenticated', cashfree: 'AUTHENTICATED' }[vendor];
      const reads: number[] = [];
      scripted.behaviour = (response) => {
        const { method, path } = scripted.calls.at(-1)!;
        if (!/aadhaar/i.test(path)) return answersJson(200, method === 'POST' ? page : { status })(response);
        reads.push(Date.now());
        answersJson(500, {})(response);
      };
      const { login } = await aPanHolder(service);
      const { session_id: id } = await open(as(replicas[0]!.api, login));
      while (reads.length < 4) {
        const answers = await inParallel(4, (n) => show(as(replicas[n % 2]!.api, login), id));
        for (const { status, body } of answers) {
          // 200 tells the state of the last successful poll: the time was up just when a pause had ended
          expect([200, 202, 503]).toContain(status);
          expect(body.payload?.is_ekyc_verified ?? false).toBe(false);
        }
      }
      const pauses = reads.slice(1).map((at, n) => at - reads[n]!);
      expect(Math.min(...pauses)).toBeGreaterThan(1_500);
      await scripted.stop();
    },
  );

  it('opens a new session after the answer of Cashfree was lost', async () => {
    const { service } = of('cashfree');
    const proxy = await HoldingProxy.start();
    const replica = await service.replica(vendors('cashfree', behind(proxy)));
    const { login, pan } = await aPanHolder(service);
    const me = as(replica.api, login);
    expectRefusal(await openLosingTheAnswer(me, proxy), EkycErrors.unavailable);
    const { url, session_id: id } = await open(me);
    await allow(url, pan);
    expect((await show(me, id)).body.payload.is_ekyc_verified).toBe(true);
    await proxy.stop();
  });

  // not concurrent, since workers of its replicas would poll the sessions of other tests at the scripted vendor
  it.each(VENDORS)('opens one session for parallel calls on two replicas (%s)', async (vendor) => {
    const { service } = of(vendor);
    const scripted = await ScriptedProvider.start();
    const at = vendors(vendor, { [URL_OF[vendor]]: new URL(scripted.url).origin });
    const replicas = [await service.replica(at), await service.replica(at)];
    let opened = 0;
    scripted.behaviour = (response) => {
      const { method } = scripted.calls.at(-1)!;
      if (method === 'POST') opened++;
      const page = { id: 's-1', url: 'https://locker.example/s', validUpto: '2999-01-01T00:00:00+05:30' };
      const status = { setu: 'unauthenticated', cashfree: 'PENDING' }[vendor];
      const answer = method === 'POST' ? answersJson(200, page) : answersJson(200, { status });
      setTimeout(() => answer(response), 50);
    };
    const { login } = await aPanHolder(service);
    const answers = await inParallel(6, (n) => tryOpen(as(replicas[n % 2]!.api, login)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.payload.session_id as string)).size).toBe(1);
    expect(opened).toBe(1);
    await scripted.stop();
  });
});

describe('two providers of document lockers', () => {
  let service: TestService;
  let away: ScriptedProvider;
  beforeAll(async () => {
    service = await startService(vendors('setu,cashfree'));
    away = await ScriptedProvider.start();
  });
  afterAll(async () => {
    await service.close();
    await away.stop();
  });

  it.each<[what: string, behaviour: Behaviour]>([
    ['is down', answersJson(503, {})],
    ['refuses our key', answersJson(401, { error: { code: 'unauthorised' } })],
    ['has an empty wallet', answersJson(403, { error: { code: 'insufficient_balance' } })],
  ])('opens a session at the second one while the first %s', async (_what, behaviour) => {
    away.behaviour = behaviour;
    const replica = await service.replica(vendors('setu,cashfree', { SETU_URL: new URL(away.url).origin }));
    const { login, pan } = await aPanHolder(service);
    const me = as(replica.api, login);
    const { url, session_id: id } = await open(me);
    expect((await rowOf(service, id)).provider).toBe('cashfree-locker');
    await allow(url, pan);
    expect((await show(me, id)).body.payload.is_ekyc_verified).toBe(true);
  });

  it.each<[what: string, behaviour: Behaviour]>([
    ['fails', answersJson(500, {})],
    ['answers a web page', BEHAVIOURS.answersHtml],
    ['refuses our request', answersJson(400, { type: 'validation_error', code: 'x', message: 'x' })],
    ['breaks off', BEHAVIOURS.breaksOff],
  ])(
    'opens a session at the second one when the first %s, since an unused session costs nothing',
    async (_what, behaviour) => {
      away.behaviour = behaviour;
      const first = { CASHFREE_URL: new URL(away.url).origin };
      const replica = await service.replica(vendors('cashfree,setu', first));
      const { login } = await aPanHolder(service);
      const { session_id: id } = await open(as(replica.api, login));
      expect((await rowOf(service, id)).provider).toBe('setu-locker');
    },
  );

  it('opens a session at the second one at once when the answer of the first was lost', async () => {
    const proxy = await HoldingProxy.start();
    const replica = await service.replica(vendors('cashfree,setu', behind(proxy)));
    const { login } = await aPanHolder(service);
    const { status, body } = await openLosingTheAnswer(as(replica.api, login), proxy);
    expect(status).toBe(200);
    expect((await rowOf(service, body.payload.session_id as string)).provider).toBe('setu-locker');
    await proxy.stop();
  });

  it('continues a session at the provider that opened it after the order has changed', async () => {
    const { login, pan } = await aPanHolder(service);
    const { url, session_id: id } = await open(as(service.api, login));
    expect((await rowOf(service, id)).provider).toBe('setu-locker');
    const turned = await service.replica(vendors('cashfree,setu'));
    await allow(url, pan);
    expect((await show(as(turned.api, login), id)).body.payload.is_ekyc_verified).toBe(true);
  });

  it('answers 503 about a session whose provider is unavailable, and opens none elsewhere', async () => {
    const { login } = await aPanHolder(service);
    const { session_id: id } = await open(as(service.api, login));
    away.behaviour = answersJson(503, {});
    const replica = await service.replica(vendors('setu,cashfree', { SETU_URL: new URL(away.url).origin }));
    expectRefusal(await show(as(replica.api, login), id), EkycErrors.unavailable);
    expect((await rowOf(service, id)).provider).toBe('setu-locker');
    expect((await show(as(service.api, login), id)).status).toBe(200);
  });

  it('answers 503 when both are unavailable, and opens a session once one is back', async () => {
    away.behaviour = answersJson(503, {});
    const url = new URL(away.url).origin;
    const replica = await service.replica(vendors('setu,cashfree', { SETU_URL: url, CASHFREE_URL: url }));
    const { login } = await aPanHolder(service);
    expectRefusal(await tryOpen(as(replica.api, login)), EkycErrors.unavailable);
    expect((await open(as(service.api, login))).status).toBe('CREATED');
  });
});
