import {
  AadhaarErrors,
  ConsentErrors,
  EkycErrors,
  GeneralErrors,
  IssuerErrors,
  JourneyErrors,
  OtpErrors,
  SessionErrors,
} from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { AADHAAR_CODES, AadhaarCodesRepository } from '../../src/kyc/ekyc/aadhaar-codes.repository.js';
import { MAX_AADHAAR_CHECKS } from '../../src/kyc/ekyc/ekyc.queries.js';
import { effectsOf } from '../support/effects.js';
import { anAadhaar, finishEkyc } from '../support/ekyc.js';
import { HoldingProxy } from '../support/holding-proxy.js';
import { codeOf, inboxOf, wrongCode } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { verifyPan } from '../support/pan.js';
import { answersJson, BEHAVIOURS, ScriptedProvider, SHORT_WAIT } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';
import { withOwn } from '../support/with-own.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const SEND = issuerPath('sahyadri', 'v1/aadhaar-ekyc/send-otp');
const VERIFY = issuerPath('sahyadri', 'v1/aadhaar-ekyc/verify-otp');
const STATUS = issuerPath('sahyadri', 'v3/check-status');

async function aUser(): Promise<ApiClient> {
  const me = as(service.api, await logIn(service));
  await verifyPan(me);
  return me;
}

const send = (me: ApiClient, aadhaar = anAadhaar()) =>
  me.post(SEND, { aadhaar_number: aadhaar, consent_checked: true });

async function sent(me: ApiClient, aadhaar = anAadhaar()): Promise<string> {
  const { status, body } = await send(me, aadhaar);
  expect(status).toBe(200);
  return body.payload.ekyc_request_id as string;
}

const verify = (me: ApiClient, requestId: unknown, otp: unknown) =>
  me.post(VERIFY, { ekyc_request_id: requestId, otp });

describe('POST /issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/send-otp', () => {
  it.each(['on the hosted page', 'by a code'])(
    'refuses to send an Aadhaar code once the eKYC is verified %s',
    async (way) => {
      const me = await aUser();
      const { body } = await me.post(STATUS, {});
      const used = anAadhaar();
      if (way === 'by a code') await verify(me, await sent(me, used), await codeOf(used));
      else await finishEkyc(body.payload.ekyc_request_id as string, 'verified');
      const aadhaar = anAadhaar();
      expectRefusal(await send(me, aadhaar), EkycErrors.alreadyVerified);
      expect(await inboxOf(aadhaar)).toEqual([]);
      expect((await me.post(STATUS, {})).body.payload.is_ekyc_verified).toBe(true);
    },
  );

  it('refuses an Aadhaar number without a mobile and a person other than the PAN holder', async () => {
    const me = await aUser();
    expectRefusal(await send(me, anAadhaar('0422')), AadhaarErrors.noMobileLinked);
    const stranger = anAadhaar('0427');
    expectRefusal(
      await verify(me, await sent(me, stranger), await codeOf(stranger)),
      AadhaarErrors.holderDiffers,
    );
    const { body } = await me.get(issuerPath('sahyadri', 'v1/journey'));
    expect(body.payload.steps).toContainEqual(
      expect.objectContaining({ step: 'EKYC', status: 'FAILED', reason: AadhaarErrors.holderDiffers.code }),
    );
    const own = anAadhaar();
    expect((await verify(me, await sent(me, own), await codeOf(own))).status).toBe(200);
  });

  it('opens no link of the hosted page before the client asks for it', async () => {
    const me = await aUser();
    const aadhaar = anAadhaar();
    const id = await sent(me, aadhaar);
    expect(await effectsOf('ekyc', id)).toEqual([]);
    const { body } = await me.get(issuerPath('sahyadri', 'v1/journey'));
    expect(body.payload.steps).toContainEqual(
      expect.objectContaining({ step: 'EKYC', status: 'IN_PROGRESS' }),
    );
    // the link is polled for a day from now on, however old the request is
    await service.dataSource.query(
      "UPDATE onboarding.ekyc_requests SET due_since = now() - interval '25 hours' WHERE id = $1",
      [id],
    );
    const { body: asked } = await me.post(STATUS, {});
    expect(asked.payload).toMatchObject({ ekyc_request_id: id, ekyc_status: 'IN_PROGRESS' });
    expect(
      await service.dataSource.query('SELECT status, state FROM onboarding.ekyc_requests WHERE id = $1', [
        id,
      ]),
    ).toEqual([{ status: 'IN_PROGRESS', state: 'FOLLOWED' }]);
    expect(await effectsOf('ekyc', id)).toHaveLength(1);
    expect((await verify(me, id, await codeOf(aadhaar))).status).toBe(200);
  });

  it.each([
    ['is down', '0503'],
    ['hangs', '0504'],
  ])('answers 503 when the Aadhaar provider %s, and succeeds with the next number', async (name, digits) => {
    const user = await logIn(service);
    const { api } = name === 'hangs' ? await service.replica(SHORT_WAIT) : service;
    expectRefusal(await send(as(api, user), anAadhaar(digits)), EkycErrors.unavailable);
    expect((await send(as(service.api, user), anAadhaar())).status).toBe(200);
  });

  describe('with a failing provider', () => {
    let provider: ScriptedProvider;
    let replica: UsersApp;
    beforeAll(async () => {
      provider = await ScriptedProvider.start();
      replica = await service.replica({ AADHAAR_URL: new URL(provider.url).origin });
    });
    afterAll(() => provider.stop());

    it.each([
      ['answers 500', 'fails'],
      ['answers HTML', 'answersHtml'],
      ['answers unexpected JSON', 'answersOtherJson'],
      ['refuses the request', 'refuses'],
      // last: it opens the circuit
      ['rejects our key', 'rejectsKey'],
    ] as const)('answers 503 at both Aadhaar calls when the provider %s', async (_case, behaviour) => {
      const me = await logIn(service);
      const id = await sent(as(service.api, me));
      provider.behaviour = BEHAVIOURS[behaviour];
      const { length } = provider.calls;
      expectRefusal(await send(as(replica.api, me), anAadhaar()), EkycErrors.unavailable);
      expect(provider.calls.length).toBeGreaterThan(length);
      expectRefusal(await verify(as(replica.api, me), id, '123456'), EkycErrors.unavailable);
    });
  });

  it('refuses Aadhaar calls at issuers without Aadhaar eKYC, at unknown issuers and without an access token', async () => {
    const me = await aUser();
    const body = { aadhaar_number: anAadhaar(), consent_checked: true };
    for (const slug of ['aravalli', 'kaveri', 'nilgiri', 'vindhya'])
      expectRefusal(
        await me.post(issuerPath(slug, 'v1/aadhaar-ekyc/send-otp'), body),
        JourneyErrors.stepNotOffered,
      );
    expectRefusal(
      await me.post(issuerPath('nobody', 'v1/aadhaar-ekyc/send-otp'), body),
      IssuerErrors.unknown,
    );
    expectRefusal(await service.api.post(SEND, body), SessionErrors.tokenMissing);
    expectRefusal(await service.api.post(VERIFY, {}), SessionErrors.tokenMissing);
  });

  it.each([
    ['a missing Aadhaar number', undefined],
    ['an Aadhaar number of null', null],
    ['an Aadhaar number of 11 digits', '23412341234'],
    ['an Aadhaar number of 13 digits', '2341234123412'],
    ['an Aadhaar number with a wrong check digit', '234123412341'],
    ['an Aadhaar number that begins with 1', '123412341234'],
    ['an Aadhaar number with spaces', '2341 2341 2346'],
    ['an Aadhaar number with digits of another script', '२३४१२३४१२३४६'],
    ['a JSON number as Aadhaar number', 234123412346],
    ['an object as Aadhaar number', {}],
  ])('refuses %s', async (_name, number) => {
    const me = as(service.api, await logIn(service));
    expectRefusal(
      await me.post(SEND, { aadhaar_number: number, consent_checked: true }),
      AadhaarErrors.numberInvalid,
    );
  });

  it.each([
    [undefined, ConsentErrors.missing],
    [null, ConsentErrors.missing],
    ['true', ConsentErrors.notBoolean],
    [1, ConsentErrors.notBoolean],
    [false, ConsentErrors.refused],
  ] as const)('refuses to send an Aadhaar code with the consent %j', async (consent, error) => {
    const me = as(service.api, await logIn(service));
    expectRefusal(await me.post(SEND, { aadhaar_number: anAadhaar(), consent_checked: consent }), error);
  });
});

describe('POST /issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/verify-otp', () => {
  it('completes the eKYC request of check-status with the right Aadhaar code', async () => {
    const me = await aUser();
    const { body: before } = await me.post(STATUS, {});
    const aadhaar = anAadhaar();
    const { status, body } = await send(me, aadhaar);
    expect([status, body.payload]).toEqual([
      200,
      {
        ekyc_request_id: before.payload.ekyc_request_id,
        aadhaar: `XXXXXXXX${aadhaar.slice(-4)}`,
        masked_mobile: expect.stringMatching(/^X+\d{4}$/),
        otpExpiresAt: expect.any(String),
        retryAfterSeconds: 30,
      },
    ]);
    const verified = await verify(me, body.payload.ekyc_request_id, await codeOf(aadhaar));
    expect([verified.status, verified.body.payload]).toEqual([
      200,
      {
        is_ekyc_verified: true,
        ekyc_failed: false,
        ekyc_status: 'VERIFIED',
        ekyc_method: 'AADHAAR_OTP',
        ekyc_expires_at: null,
      },
    ]);
    expect((await me.post(STATUS, {})).body.payload.is_ekyc_verified).toBe(true);
    // a client without the answer repeats the call
    expect((await verify(me, body.payload.ekyc_request_id, '000000')).status).toBe(200);
  });

  it('refuses a wrong Aadhaar code, an expired one and a second send too soon', async () => {
    const me = await aUser();
    const aadhaar = anAadhaar();
    const id = await sent(me, aadhaar);
    const tooSoon = await send(me, aadhaar);
    expectRefusal(tooSoon, AadhaarErrors.otpTooSoon);
    const seconds = Number(tooSoon.headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(tooSoon.body.error[0].f_error_message).toBe(`Ask for another code in ${seconds} seconds.`);
    const code = await codeOf(aadhaar);
    expectRefusal(await verify(me, id, wrongCode(code)), AadhaarErrors.otpWrong);
    expect((await verify(me, id, code)).status).toBe(200);
    const dead = anAadhaar('0408');
    const other = await aUser();
    expectRefusal(await verify(other, await sent(other, dead), await codeOf(dead)), AadhaarErrors.otpExpired);
  });

  it('refuses an Aadhaar code sent before the PAN verification as expired, and accepts a new one', async () => {
    const me = as(service.api, await logIn(service));
    const aadhaar = anAadhaar();
    const requestId = await sent(me, aadhaar);
    await verifyPan(me);
    expectRefusal(await verify(me, requestId, await codeOf(aadhaar)), AadhaarErrors.otpExpired);
    expect((await me.post(STATUS, {})).body.payload).toMatchObject({
      is_ekyc_verified: false,
      ekyc_status: 'EXPIRED',
    });
    const another = anAadhaar();
    expect((await verify(me, await sent(me, another), await codeOf(another))).status).toBe(200);
  });

  it('refuses a request id that is malformed, unknown, of another user or without a code', async () => {
    const me = await aUser();
    const { body } = await me.post(STATUS, {});
    const ofOther = await sent(await aUser());
    for (const id of [
      undefined,
      7,
      'x',
      '6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e1004',
      ofOther,
      body.payload.ekyc_request_id,
    ])
      expectRefusal(await verify(me, id, '123456'), GeneralErrors.recordUnknown);
  });

  it.each([
    [undefined, OtpErrors.missing],
    ['', OtpErrors.missing],
    ['12345', OtpErrors.wrongLength],
    [123456, OtpErrors.wrongLength],
    ['12345x', OtpErrors.notNumeric],
  ] as const)('refuses the malformed Aadhaar code %j', async (otp, error) => {
    const me = as(service.api, await logIn(service));
    expectRefusal(await verify(me, '6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e1004', otp), error);
  });

  it('stores and logs no Aadhaar number in clear text', async () => {
    const me = await aUser();
    const aadhaar = anAadhaar();
    await verify(me, await sent(me, aadhaar), await codeOf(aadhaar));
    const rows = await service.dataSource.query<{ aadhaar_encrypted: string }[]>(
      'SELECT * FROM onboarding.ekyc_requests',
    );
    expect(JSON.stringify(rows)).not.toContain(aadhaar);
    expect(rows.find((row) => row.aadhaar_encrypted)?.aadhaar_encrypted).toMatch(/^k1\./);
    expect(service.logs()).not.toContain(aadhaar);
  });
});

const LOCKER = issuerPath('sahyadri', 'v1/document-locker/session');
const JOURNEY = issuerPath('sahyadri', 'v1/journey');

describe('EKYC_METHODS', () => {
  let usual: TestService;
  beforeAll(async () => {
    usual = await startService();
  });
  afterAll(() => usual.close());

  const methodsIn = ({ payload }: { payload: Record<string, unknown> }): unknown =>
    (payload['steps'] as { step: string; ekyc_methods?: string[] }[]).map((step) => [
      step.step,
      step.ekyc_methods,
    ]);

  it("uses each issuer's method from its file by default, and shows it in the journey", async () => {
    const me = as(usual.api, await logIn(usual));
    const { body } = await me.get(JOURNEY);
    expect(methodsIn(body)).toEqual(
      expect.arrayContaining([
        ['EKYC', ['AADHAAR_OTP']],
        ['PAN', undefined],
      ]),
    );
    expectRefusal(
      await me.post(issuerPath('aravalli', 'v1/aadhaar-ekyc/send-otp'), {
        aadhaar_number: anAadhaar(),
        consent_checked: true,
      }),
      JourneyErrors.stepNotOffered,
    );
  });

  it.each(['HOSTED', 'DIGILOCKER'])('replaces Aadhaar OTP and its provider by %s', async (method) => {
    const EKYC_METHODS = `sahyadri=${method}`;
    const replica = await usual.replica({ EKYC_METHODS, AADHAAR_URL: '', AADHAAR_API_KEY: '' });
    const user = await logIn(usual);
    await verifyPan(as(usual.api, user));
    // starts with a code at a replica without the new setting
    const aadhaar = anAadhaar();
    const sent = await as(usual.api, user).post(SEND, { aadhaar_number: aadhaar, consent_checked: true });
    const { ekyc_request_id } = sent.body.payload;
    const me = as(replica.api, user);
    const other = anAadhaar();
    expectRefusal(
      await me.post(SEND, { aadhaar_number: other, consent_checked: true }),
      AadhaarErrors.switchedOff,
    );
    expect(await inboxOf(other)).toEqual([]);
    expectRefusal(
      await me.post(issuerPath('aravalli', 'v1/aadhaar-ekyc/send-otp'), {
        aadhaar_number: other,
        consent_checked: true,
      }),
      JourneyErrors.stepNotOffered,
    );
    const checked = await me.post(VERIFY, { ekyc_request_id, otp: await codeOf(aadhaar) });
    expectRefusal(checked, AadhaarErrors.switchedOff);
    expect(checked.body.error![0]!.f_error_message).toContain(`Use ${method}.`);
    expect(methodsIn((await me.get(JOURNEY)).body)).toEqual(expect.arrayContaining([['EKYC', [method]]]));
    const { body } = await me.post(STATUS, {});
    expect(body.payload).toMatchObject({ ekyc_method: method, is_ekyc_verified: false });
    const opened = await me.post(LOCKER, { consent_checked: true });
    if (method === 'DIGILOCKER') expect(opened.status).toBe(200);
    else expectRefusal(opened, JourneyErrors.stepNotOffered);
    // the same request completes with the new method
    await finishEkyc(body.payload.ekyc_request_id as string, 'verified');
    expect((await me.post(STATUS, {})).body.payload).toMatchObject({
      is_ekyc_verified: true,
      ekyc_method: method,
    });
  });
});

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
  const replica = await service.replica({
    AADHAAR_URL: `${proxy.url}/providers/aadhaar`,
    PROVIDER_TIMEOUT_MS: '1000',
  });
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
