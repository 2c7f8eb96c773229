import { AadhaarErrors, EkycErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import { AADHAAR_CODES, AadhaarCodesRepository } from '../../src/kyc/ekyc/aadhaar-codes.repository.js';
import { MAX_AADHAAR_CHECKS } from '../../src/kyc/ekyc/ekyc.queries.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { effectsOf } from '../support/effects.js';
import { anAadhaar, finishEkyc } from '../support/ekyc.js';
import { HoldingProxy } from '../support/holding-proxy.js';
import { codeOf } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { verifyPan } from '../support/pan.js';
import { answersJson, BEHAVIOURS, ScriptedProvider, SHORT_WAIT } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';
import { withOwn } from '../support/with-own.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const SEND = issuerPath('sahyadri', 'v1/aadhaar-ekyc/send-otp');
const VERIFY = issuerPath('sahyadri', 'v1/aadhaar-ekyc/verify-otp');
const STATUS = issuerPath('sahyadri', 'v3/check-status');

const send = (me: ApiClient, aadhaar = anAadhaar()) =>
  me.post(SEND, { aadhaar_number: aadhaar, consent_checked: true });

const verify = (me: ApiClient, requestId: string, otp: string) =>
  me.post(VERIFY, { ekyc_request_id: requestId, otp });

async function sent(me: ApiClient, aadhaar = anAadhaar()): Promise<string> {
  const { status, body } = await send(me, aadhaar);
  expect(status).toBe(200);
  return body.payload.ekyc_request_id as string;
}

const sendsOf = async ({ user_id }: LoggedIn): Promise<number> =>
  (
    await service.dataSource.query<object[]>('SELECT 1 FROM onboarding.aadhaar_sends WHERE user_id = $1', [
      user_id,
    ])
  ).length;

describe('daily limit of Aadhaar codes', () => {
  it.concurrent(
    'answers 429 with Retry-After after ten codes of a user in 24 hours, including one to a number without a mobile',
    async () => {
      const user = await logIn(service);
      const me = as(service.api, user);
      expectRefusal(await send(me, anAadhaar('0422')), AadhaarErrors.noMobileLinked);
      for (let used = 1; used < AADHAAR_CODES.max; used++) await sent(me);
      const number = anAadhaar();
      const refused = await send(me, number);
      expectRefusal(refused, AadhaarErrors.otpTooSoon);
      const seconds = Number(refused.headers['retry-after']);
      expect(seconds).toBeGreaterThan(86_300);
      expect(seconds).toBeLessThanOrEqual(86_400);
      expect(refused.body.error[0].f_error_message).toBe(`Ask for another code in ${seconds} seconds.`);
      expect(await effectsOf('aadhaar', number)).toEqual([]);
      await sent(as(service.api, await logIn(service)));
      await service.dataSource.query(
        `UPDATE onboarding.aadhaar_sends SET started_at = started_at - interval '24 hours'
        WHERE id = (SELECT id FROM onboarding.aadhaar_sends WHERE user_id = $1 ORDER BY started_at LIMIT 1)`,
        [user.user_id],
      );
      await sent(me, number);
      expectRefusal(await send(me), AadhaarErrors.otpTooSoon);
    },
  );

  it('sends exactly ten of 14 Aadhaar codes requested at once on two replicas', async () => {
    const replica = await service.replica();
    const user = await logIn(service);
    const numbers = Array.from({ length: 14 }, () => anAadhaar());
    const call = (i: number) => send(as((i % 2 ? replica : service).api, user), numbers[i]);
    const responses = await inParallel(14, call);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(AADHAAR_CODES.max);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expectRefusal(response, AadhaarErrors.otpTooSoon);
    }
    const effects = await Promise.all(numbers.map((number) => effectsOf('aadhaar', number)));
    expect(effects.flat()).toHaveLength(AADHAAR_CODES.max);
  });

  it('grants exactly ten of 40 Aadhaar codes claimed at once on two replicas', async () => {
    const { user_id: userId } = await logIn(service);
    const replicas = [service, await service.replica()].map(({ app }) => app.get(AadhaarCodesRepository));
    const claim = (i: number) => replicas[i % 2]!.send(userId, () => Promise.resolve());
    const isGranted = await inParallel(40, (i) =>
      claim(i).then(
        () => true,
        () => false,
      ),
    );
    expect(isGranted.filter(Boolean)).toHaveLength(AADHAAR_CODES.max);
  });

  it.concurrent('counts an Aadhaar code unless nothing reached the provider', async () => {
    const user = await logIn(service);
    const me = as(service.api, user);
    const away = await service.replica({ AADHAAR_URL: 'http://127.0.0.1:1' });
    expectRefusal(await send(as(away.api, user)), EkycErrors.unavailable);
    expect(await sendsOf(user)).toBe(0);
    for (let i = 0; i < 2; i++) expectRefusal(await send(me, anAadhaar('0503')), EkycErrors.unavailable);
    expect(await sendsOf(user)).toBe(2);
    const hasty = await service.replica(SHORT_WAIT);
    expectRefusal(await send(as(hasty.api, user), anAadhaar('0504')), EkycErrors.unavailable);
    expect(await sendsOf(user)).toBe(3);
  });

  it('deletes the records of Aadhaar codes after 24 hours', async () => {
    const [old, recent] = [await logIn(service), await logIn(service)];
    for (const user of [old, recent]) await sent(as(service.api, user));
    await service.dataSource.query(
      `UPDATE onboarding.aadhaar_sends SET started_at = started_at - interval '24 hours' WHERE user_id = $1`,
      [old.user_id],
    );
    await service.app.get(Jobs).runCleanup();
    expect([await sendsOf(old), await sendsOf(recent)]).toEqual([0, 1]);
  });
});

describe('limit of checks of an Aadhaar code', () => {
  const wrong = answersJson(422, { error: { type: 'wrong_otp' } });

  /** A user with a code, at a provider that does not limit checks. */
  async function aGuesser() {
    const provider = await ScriptedProvider.start();
    provider.behaviour = wrong;
    const replica = await service.replica({ AADHAAR_URL: new URL(provider.url).origin });
    const user = await logIn(service);
    const id = await sent(as(service.api, user));
    return { provider, user, id, me: as(replica.api, user), end: () => provider.stop() };
  }
  const withGuesser = (test: (guesser: Awaited<ReturnType<typeof aGuesser>>) => Promise<void>) =>
    withOwn(aGuesser, test);

  it.concurrent(
    'refuses an Aadhaar code as expired after five wrong checks, and checks the next code again',
    withGuesser(async ({ user, id, me, provider }) => {
      for (let left = MAX_AADHAAR_CHECKS - 1; left >= 0; left--) {
        const refused = await verify(me, id, '123456');
        expectRefusal(refused, AadhaarErrors.otpWrong);
        expect(refused.body.error[0].f_error_message).toBe(
          `The code is wrong. Tries left: ${left}.${left === 0 ? ' Ask for a new code.' : ''}`,
        );
      }
      expectRefusal(await verify(me, id, '123456'), AadhaarErrors.otpExpired);
      expect(provider.calls).toHaveLength(MAX_AADHAAR_CHECKS);
      expect(await sent(as(service.api, user))).toBe(id);
      expectRefusal(await verify(me, id, '123456'), AadhaarErrors.otpWrong);
    }),
  );

  it.concurrent(
    'passes exactly five of 12 parallel checks of an Aadhaar code to the provider',
    withGuesser(async ({ id, me, provider }) => {
      const responses = await inParallel(12, () => verify(me, id, '123456'));
      expect(provider.calls).toHaveLength(MAX_AADHAAR_CHECKS);
      const codes = responses.map(
        ({ body }) => (body as { error: { errorCode: string }[] }).error[0]!.errorCode,
      );
      expect(codes.sort()).toEqual([
        ...Array.from({ length: 5 }, () => AadhaarErrors.otpWrong.code),
        ...Array.from({ length: 7 }, () => AadhaarErrors.otpExpired.code),
      ]);
    }),
  );

  it.concurrent(
    'does not count checks of an Aadhaar code while the provider throttles',
    withGuesser(async ({ id, me, provider }) => {
      provider.behaviour = BEHAVIOURS.throttles;
      for (let i = 0; i < 3; i++) expectRefusal(await verify(me, id, '123456'), EkycErrors.unavailable);
      provider.behaviour = wrong;
      // calls are refused, uncounted, until the end of the pause
      await eventually(async () => expectRefusal(await verify(me, id, '123456'), AadhaarErrors.otpWrong));
      for (let i = 1; i < MAX_AADHAAR_CHECKS; i++) {
        expectRefusal(await verify(me, id, '123456'), AadhaarErrors.otpWrong);
      }
      expectRefusal(await verify(me, id, '123456'), AadhaarErrors.otpExpired);
    }),
  );

  it.concurrent('accepts parallel and repeated checks of the right Aadhaar code', async () => {
    const me = as(service.api, await logIn(service));
    const number = anAadhaar();
    const [id, code] = [await sent(me, number), await codeOf(number)];
    const responses = await inParallel(4, () => verify(me, id, code));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (let i = 0; i < 8; i++) expect((await verify(me, id, code)).status).toBe(200);
  });
});

it('refuses an Aadhaar code when its request fails while the provider checks it', async () => {
  const proxy = await HoldingProxy.start();
  const replica = await service.replica({ AADHAAR_URL: `${proxy.url}/providers/aadhaar` });
  const user = await logIn(service);
  const me = as(service.api, user);
  await verifyPan(me);
  // the page on which the request fails
  await me.post(STATUS, {});
  const number = anAadhaar();
  const id = await sent(me, number);
  const held = proxy.holdNext(/otp\/verify$/, 'before the answer');
  const verified = verify(as(replica.api, user), id, await codeOf(number));
  const answered = Promise.resolve(verified);
  await held.caught;
  await finishEkyc(id, 'failed');
  const { body: next } = await me.post(STATUS, {});
  held.release();
  expectRefusal(await answered, AadhaarErrors.otpExpired);
  expect(next.payload).toMatchObject({ is_ekyc_verified: false, ekyc_status: 'FAILED' });
  const { body: after } = await me.post(STATUS, {});
  expect([after.payload.is_ekyc_verified, after.payload.ekyc_request_id]).toEqual([
    false,
    next.payload.ekyc_request_id,
  ]);
  expectRefusal(await verify(me, id, '123456'), AadhaarErrors.otpExpired);
  await proxy.stop();
});
