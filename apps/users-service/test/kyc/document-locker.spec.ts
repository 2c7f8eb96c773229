import {
  ConsentErrors,
  EkycErrors,
  GeneralErrors,
  IssuerErrors,
  JourneyErrors,
  LockerErrors,
  SessionErrors,
} from '@fd/errors';
import { type ApiClient, expectRefusal } from '@fd/testing';
import { finishEkyc, finishLocker } from '../support/ekyc.js';
import { issuerPath } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { verifyPan } from '../support/pan.js';
import { BEHAVIOURS, ScriptedProvider, SHORT_WAIT } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const SESSION = issuerPath('kaveri', 'v1/document-locker/session');
const STATUS = issuerPath('kaveri', 'v3/check-status');

interface Opened {
  readonly session_id: string;
  readonly url: string;
  readonly ekyc_request_id: string;
}

async function aUser(): Promise<ApiClient> {
  const me = as(service.api, await logIn(service));
  await verifyPan(me);
  return me;
}

async function open(me: ApiClient, body: object = {}): Promise<Opened> {
  const response = await me.post(SESSION, { consent_checked: true, ...body });
  expect(response.status).toBe(200);
  return response.body.payload as Opened;
}

const show = (me: ApiClient, id: string) => me.get(`${SESSION}/${id}`);

describe('POST /issuer-apis/{issuer_slug}/v1/document-locker/session', () => {
  it('opens a locker session that completes the eKYC request of check-status', async () => {
    const me = await aUser();
    const { body: before } = await me.post(STATUS, {});
    const opened = await open(me, { redirection_url: 'https://app.partner.example/back' });
    expect(opened).toEqual({
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: expect.stringMatching(/^https:\/\/\S+$/),
      status: 'CREATED',
      is_ekyc_verified: false,
      ekyc_request_id: before.payload.ekyc_request_id,
      expires_at: expect.any(String),
    });
    expect((await show(me, opened.session_id)).body.payload).toEqual(opened);
    await finishLocker(opened.url, 'allow');
    const shown = await show(me, opened.session_id);
    expect([shown.status, shown.body.payload]).toEqual([
      200,
      { ...opened, status: 'AUTHORISED', is_ekyc_verified: true },
    ]);
    expect((await show(me, opened.session_id)).body).toEqual(shown.body);
    expect((await me.post(STATUS, {})).body.payload).toMatchObject({
      is_ekyc_verified: true,
      ekyc_method: 'DIGILOCKER',
    });
  });

  it('refuses a new locker session once the eKYC is verified on the hosted page', async () => {
    const me = await aUser();
    const { body } = await me.post(STATUS, {});
    await finishEkyc(body.payload.ekyc_request_id as string, 'verified');
    expectRefusal(await me.post(SESSION, { consent_checked: true }), EkycErrors.alreadyVerified);
    expect((await me.post(STATUS, {})).body.payload.is_ekyc_verified).toBe(true);
  });

  it('refuses a locker session with a redirection URL that is not https', async () => {
    const body = { consent_checked: true, redirection_url: 'http://app.partner.example' };
    expectRefusal(await (await aUser()).post(SESSION, body), EkycErrors.redirectionUrlInvalid);
  });

  it.each([
    [undefined, ConsentErrors.missing],
    [null, ConsentErrors.missing],
    ['yes', ConsentErrors.notBoolean],
    [false, ConsentErrors.refused],
  ] as const)('refuses a locker session with the consent %j', async (consent, error) => {
    expectRefusal(await (await aUser()).post(SESSION, { consent_checked: consent }), error);
  });

  it.concurrent.each([
    ['hangs', 'hangs'],
    ['answers 500', 'fails'],
    ['answers HTML', 'answersHtml'],
    ['answers unexpected JSON', 'answersOtherJson'],
    ['rejects our key', 'rejectsKey'],
  ] as const)('answers 503 at both locker calls when the locker %s', async (_case, behaviour) => {
    const login = await logIn(service);
    const { session_id: id } = await open(as(service.api, login));
    const provider = await ScriptedProvider.start();
    provider.behaviour = BEHAVIOURS[behaviour];
    const replica = await service.replica({
      DOCUMENT_LOCKER_URL: new URL(provider.url).origin,
      ...(behaviour === 'hangs' ? SHORT_WAIT : {}),
    });
    const me = as(replica.api, login);
    const opening = () => me.post(SESSION, { consent_checked: true });
    expectRefusal(await opening(), EkycErrors.unavailable);
    expectRefusal(await show(me, id), EkycErrors.unavailable);
    expect((await show(as(service.api, login), id)).status).toBe(200);
    await provider.stop();
  });

  it('refuses locker calls at issuers without a locker, at unknown issuers and without an access token', async () => {
    const me = await aUser();
    for (const slug of ['aravalli', 'nilgiri', 'sahyadri', 'vindhya']) {
      const path = issuerPath(slug, 'v1/document-locker/session');
      expectRefusal(await me.post(path, { consent_checked: true }), JourneyErrors.stepNotOffered);
    }
    expectRefusal(
      await me.post(issuerPath('nobody', 'v1/document-locker/session'), { consent_checked: true }),
      IssuerErrors.unknown,
    );
    expectRefusal(await service.api.post(SESSION, {}), SessionErrors.tokenMissing);
    expectRefusal(await show(service.api, 'x'), SessionErrors.tokenMissing);
  });
});

describe('GET /issuer-apis/{issuer_slug}/v1/document-locker/session/{session_id}', () => {
  it.each([
    ['in which the user denied consent', 'deny', LockerErrors.consentDenied],
    ['of a locker without an Aadhaar', 'no_aadhaar', LockerErrors.noAadhaar],
    ['that expired at the locker', 'expired', LockerErrors.sessionExpired],
    ['of a person other than the PAN holder', 'another_person', LockerErrors.holderDiffers],
    ['of a person with another date of birth', 'another_birth_date', LockerErrors.holderDiffers],
  ] as const)(
    'repeats the refusal of a locker session %s, and lets the user open another',
    async (_case, outcome, error) => {
      const me = await aUser();
      const first = await open(me);
      await finishLocker(first.url, outcome);
      expectRefusal(await show(me, first.session_id), error);
      expectRefusal(await show(me, first.session_id), error);
      const { body } = await me.get(issuerPath('kaveri', 'v1/journey'));
      expect(body.payload.steps).toContainEqual(
        expect.objectContaining({ step: 'EKYC', status: 'FAILED', reason: error.code }),
      );
      const second = await open(me);
      expect(second.session_id).not.toBe(first.session_id);
      await finishLocker(second.url, 'allow');
      expect((await show(me, second.session_id)).body.payload.is_ekyc_verified).toBe(true);
    },
  );

  it('verifies a person whose Aadhaar has only the year of birth', async () => {
    const me = await aUser();
    const { session_id: id, url } = await open(me);
    await finishLocker(url, 'birth_year');
    expect((await show(me, id)).body.payload.is_ekyc_verified).toBe(true);
  });

  it('refuses a locker session opened before the PAN verification as expired, and accepts a new one', async () => {
    const me = as(service.api, await logIn(service));
    const opened = await open(me);
    await verifyPan(me);
    await finishLocker(opened.url, 'allow');
    expectRefusal(await show(me, opened.session_id), LockerErrors.sessionExpired);
    const { session_id: id, url } = await open(me);
    await finishLocker(url, 'allow');
    expect((await show(me, id)).body.payload.is_ekyc_verified).toBe(true);
    expect((await me.post(STATUS, {})).body.payload.is_ekyc_verified).toBe(true);
  });

  it('refuses an unknown locker session, one of another user and an issuer without a locker', async () => {
    const me = await aUser();
    const { session_id: ofOther } = await open(await aUser());
    for (const id of ['x', '6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e1004', ofOther])
      expectRefusal(await show(me, id), GeneralErrors.recordUnknown);
    const { session_id: own } = await open(me);
    expectRefusal(
      await me.get(issuerPath('aravalli', `v1/document-locker/session/${own}`)),
      JourneyErrors.stepNotOffered,
    );
  });
});
