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
import { BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
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

describe('the document locker', () => {
  it('is not begun again once the eKYC is verified, whichever way', async () => {
    const me = await aUser();
    const { body } = await me.post(STATUS, {});
    await finishEkyc(body.payload.ekyc_request_id as string, 'verified');
    expectRefusal(await me.post(SESSION, { consent_checked: true }), EkycErrors.alreadyVerified);
    expect((await me.post(STATUS, {})).body.payload.is_ekyc_verified).toBe(true);
  });

  it('has expired when it was begun before the PAN was known', async () => {
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

  it('completes the request that check-status gave a link for', async () => {
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

  it.each([
    ['deny', LockerErrors.consentDenied],
    ['no_aadhaar', LockerErrors.noAadhaar],
    ['expired', LockerErrors.sessionExpired],
    ['another_person', LockerErrors.holderDiffers],
  ] as const)('tells the outcome %s, each time alike, and may be tried again', async (outcome, error) => {
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
  });

  it.each([
    [undefined, ConsentErrors.missing],
    [null, ConsentErrors.missing],
    ['yes', ConsentErrors.notBoolean],
    [false, ConsentErrors.refused],
  ] as const)('refuses the consent %j', async (consent, error) => {
    expectRefusal(await (await aUser()).post(SESSION, { consent_checked: consent }), error);
  });

  it('refuses an address to return to that is not allowed', async () => {
    const body = { consent_checked: true, redirection_url: 'http://app.partner.example' };
    expectRefusal(await (await aUser()).post(SESSION, body), EkycErrors.redirectionUrlInvalid);
  });

  it('does not know a session of nobody, of another user, or of another issuer', async () => {
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

  it('is a step of one issuer only', async () => {
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

  it.each(['hangs', 'fails', 'answersHtml', 'answersOtherJson', 'rejectsKey'] as const)(
    'answers 503 in time when the locker %s, at both calls',
    async (behaviour) => {
      const login = await logIn(service);
      const { session_id: id } = await open(as(service.api, login));
      const provider = await ScriptedProvider.start();
      provider.behaviour = BEHAVIOURS[behaviour];
      const replica = await service.replica({ DOCUMENT_LOCKER_URL: new URL(provider.url).origin });
      const me = as(replica.api, login);
      expectRefusal(await me.post(SESSION, { consent_checked: true }), EkycErrors.unavailable);
      expectRefusal(await show(me, id), EkycErrors.unavailable);
      expect((await show(as(service.api, login), id)).status).toBe(200);
      await provider.stop();
    },
  );
});
