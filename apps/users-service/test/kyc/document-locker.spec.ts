import type { ConsentsPayload } from '@fd/contracts';
import {
  ConsentErrors,
  EkycErrors,
  GeneralErrors,
  IssuerErrors,
  JourneyErrors,
  LockerErrors,
  SessionErrors,
} from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import type { Response } from 'supertest';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { MAX_LOCKER_SESSIONS_PER_DAY } from '../../src/kyc/ekyc/locker-sessions.repository.js';
import { effectsOf } from '../support/effects.js';
import { finishEkyc, finishLocker } from '../support/ekyc.js';
import { HoldingProxy } from '../support/holding-proxy.js';
import { issuerPath } from '../support/issuers.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { verifyPan } from '../support/pan.js';
import { answersJson, BEHAVIOURS, ScriptedProvider, SHORT_WAIT } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

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
  readonly status: string;
  readonly ekyc_request_id: string;
}

/** Returns a different redirection URL for each number. */
const page = (n: number): string => `https://app.partner.example/back?visit=${n}`;

const tryOpen = (me: ApiClient, redirection_url?: string) =>
  me.post(SESSION, { consent_checked: true, ...(redirection_url ? { redirection_url } : {}) });

function openedBy(response: Response): Opened {
  expect(response.status).toBe(200);
  return response.body.payload as Opened;
}

const open = async (me: ApiClient, redirectionUrl?: string): Promise<Opened> =>
  openedBy(await tryOpen(me, redirectionUrl));

const show = (me: ApiClient, id: string) => me.get(`${SESSION}/${id}`);

/** Opens a session of a request that has a link of the hosted page too. */
async function openWithLink(me: ApiClient): Promise<Opened> {
  await me.post(STATUS, {});
  return open(me);
}

/** Logs in a user with a verified PAN. */
async function aLogin(): Promise<LoggedIn> {
  const login = await logIn(service);
  await verifyPan(as(service.api, login));
  return login;
}

const aUser = async (): Promise<ApiClient> => as(service.api, await aLogin());

const ekycStep = async (me: ApiClient): Promise<unknown> => {
  const { body } = await me.get(issuerPath('kaveri', 'v1/journey'));
  return (body.payload.steps as { step: string }[]).find(({ step }) => step === 'EKYC');
};

describe('POST /issuer-apis/{issuer_slug}/v1/document-locker/session', () => {
  it('opens a locker session that completes the eKYC request of check-status', async () => {
    const me = await aUser();
    const { body: before } = await me.post(STATUS, {});
    const opened = await open(me, 'https://app.partner.example/back');
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

  describe('with a failing locker', () => {
    let provider: ScriptedProvider;
    let replica: UsersApp;
    let hasty: UsersApp;
    beforeAll(async () => {
      provider = await ScriptedProvider.start();
      const settings = { DOCUMENT_LOCKER_URL: new URL(provider.url).origin };
      replica = await service.replica(settings);
      hasty = await service.replica({ ...settings, ...SHORT_WAIT });
      // polls of their workers could open the circuit
      for (const { app } of [replica, hasty]) await app.get(Jobs).beforeApplicationShutdown();
    });
    afterAll(() => provider.stop());

    it.each([
      ['hangs', 'hangs'],
      ['answers 500', 'fails'],
      ['answers HTML', 'answersHtml'],
      ['answers unexpected JSON', 'answersOtherJson'],
      // last: it opens the circuit
      ['rejects our key', 'rejectsKey'],
    ] as const)('answers 503 at both locker calls when the locker %s', async (_case, behaviour) => {
      provider.behaviour = BEHAVIOURS[behaviour];
      const { api } = behaviour === 'hangs' ? hasty : replica;
      const login = await logIn(service);
      const { session_id: id } = await open(as(service.api, login));
      const { length } = provider.calls;
      expectRefusal(await as(api, login).post(SESSION, { consent_checked: true }), EkycErrors.unavailable);
      expect(provider.calls.length).toBeGreaterThan(length);
      expectRefusal(await show(as(api, login), id), EkycErrors.unavailable);
      expect((await show(as(service.api, login), id)).status).toBe(200);
    });
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

describe('open document-locker session', () => {
  it('returns an open locker session again for the same redirection URL', async () => {
    const me = await aUser();
    const first = await open(me);
    expect(await open(me)).toEqual(first);
    const other = await open(me, page(1));
    expect(other.session_id).not.toBe(first.session_id);
    expect(await open(me, page(1))).toEqual(other);
    expect(await open(me)).toEqual(first);
  });

  it('returns one locker session to ten parallel calls on two replicas', async () => {
    const replica = await service.replica();
    const user = await aLogin();
    const answers = await inParallel(10, (i) => tryOpen(as((i % 2 ? replica : service).api, user), page(1)));
    const sessions = answers.map(openedBy);
    for (const session of sessions) expect(session).toEqual(sessions[0]);
    expect(await effectsOf('locker', sessions[0]!.session_id)).toHaveLength(1);
  });

  it('completes a locker session that a crash left without a link', async () => {
    const me = await aUser();
    const first = await open(me, page(1));
    await service.dataSource.query(
      `UPDATE onboarding.locker_sessions SET locker_id = NULL, url_encrypted = NULL, expires_at = NULL WHERE id = $1`,
      [first.session_id],
    );
    expectRefusal(await show(me, first.session_id), GeneralErrors.recordUnknown);
    expect(await open(me, page(1))).toEqual(first);
    expect(await effectsOf('locker', first.session_id)).toHaveLength(1);
  });

  it('opens another locker session after a denied one, and completes the eKYC when the user allows the first after all', async () => {
    const me = await aUser();
    const denied = await open(me);
    await finishLocker(denied.url, 'deny');
    const second = await open(me);
    expect(second.session_id).not.toBe(denied.session_id);
    expectRefusal(await show(me, denied.session_id), LockerErrors.consentDenied);
    await finishLocker(second.url, 'allow');
    expect(await open(me)).toEqual({ ...second, status: 'AUTHORISED', is_ekyc_verified: true });
    expect((await me.post(STATUS, {})).body.payload.is_ekyc_verified).toBe(true);
  });

  it.each([
    ['deny', LockerErrors.consentDenied],
    ['another_person', LockerErrors.holderDiffers],
  ] as const)(
    'reports %s of a locker session after another one has completed the eKYC',
    async (decision, refusal) => {
      const me = await aUser();
      const denied = await open(me);
      const allowed = await open(me, page(2));
      await finishLocker(allowed.url, 'allow');
      expect((await show(me, allowed.session_id)).body.payload).toMatchObject({ status: 'AUTHORISED' });
      expect((await show(me, denied.session_id)).status).toBe(200);
      await finishLocker(denied.url, decision);
      for (let read = 0; read < 2; read++) expectRefusal(await show(me, denied.session_id), refusal);
      expect((await show(me, allowed.session_id)).body.payload).toMatchObject({ status: 'AUTHORISED' });
      expect((await me.post(STATUS, {})).body.payload).toMatchObject({ is_ekyc_verified: true });
    },
  );

  it('opens another locker session after the first has expired', async () => {
    const me = await aUser();
    const first = await open(me);
    await service.dataSource.query(
      `UPDATE onboarding.locker_sessions SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [first.session_id],
    );
    expect((await open(me)).session_id).not.toBe(first.session_id);
  });

  it('completes the eKYC when the user allowed a session that has expired since', async () => {
    const me = await aUser();
    const first = await open(me);
    await finishLocker(first.url, 'allow');
    await service.dataSource.query(
      `UPDATE onboarding.locker_sessions SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [first.session_id],
    );
    expect(await open(me)).toMatchObject({ session_id: first.session_id, is_ekyc_verified: true });
    expect(await ekycStep(me)).toMatchObject({ status: 'DONE' });
  });

  it('opens another locker session when the locker no longer knows the first', async () => {
    const me = await aUser();
    const first = await open(me);
    await service.dataSource.query(`UPDATE onboarding.locker_sessions SET locker_id = 'gone' WHERE id = $1`, [
      first.session_id,
    ]);
    expect((await open(me)).session_id).not.toBe(first.session_id);
    expect(await ekycStep(me)).toMatchObject({ status: 'IN_PROGRESS', reason: null });
  });

  it('opens another locker session when the locker returns an expired one', async () => {
    const locker = await ScriptedProvider.start();
    const replica = await service.replica({ DOCUMENT_LOCKER_URL: new URL(locker.url).origin });
    const lives = [-1_000, 600_000];
    locker.behaviour = (response) => {
      // the worker may poll
      if (locker.calls.at(-1)!.method === 'GET') return answersJson(200, { status: 'CREATED' })(response);
      const expiresAt = new Date(Date.now() + lives.shift()!).toISOString();
      const opened = {
        session_id: `s-${lives.length}`,
        url: 'https://locker.example/s',
        expires_at: expiresAt,
      };
      answersJson(201, opened)(response);
    };
    const opened = await open(as(replica.api, await aLogin()));
    const opens = locker.calls.filter(({ method }) => method === 'POST');
    const references = opens.map(({ body }) => body['reference']);
    expect(references).toEqual([expect.any(String), opened.session_id]);
    expect(references[0]).not.toBe(references[1]);
    await locker.stop();
  });
});

describe('link of the hosted page beside a document-locker session', () => {
  it('is opened when the client asks for it', async () => {
    const me = await aUser();
    const session = await open(me);
    const { ekyc_request_id: id } = session;
    expect(await effectsOf('ekyc', id)).toEqual([]);
    expect(await ekycStep(me)).toMatchObject({ status: 'IN_PROGRESS', reason: null });
    const { body } = await me.post(STATUS, {});
    expect(body.payload).toMatchObject({ ekyc_request_id: id, ekyc_status: 'LINK_CREATED' });
    expect(await effectsOf('ekyc', id)).toHaveLength(1);
    expect(await open(me)).toEqual(session);
    await finishLocker(session.url, 'allow');
    expect((await show(me, session.session_id)).body.payload.is_ekyc_verified).toBe(true);
  });

  it.each(['before', 'after'])(
    'is not needed: a session is opened and completed while the provider of hosted eKYC is down, %s its link was opened',
    async (when) => {
      const down = await ScriptedProvider.start();
      down.behaviour = answersJson(503, {});
      const replica = await service.replica({ EKYC_URL: new URL(down.url).origin });
      const user = await aLogin();
      if (when === 'after') expect((await as(service.api, user).post(STATUS, {})).status).toBe(200);
      const me = as(replica.api, user);
      const session = await open(me);
      await finishLocker(session.url, 'allow');
      expect((await show(me, session.session_id)).body.payload.is_ekyc_verified).toBe(true);
      if (when === 'before') expect(down.calls).toEqual([]);
      await down.stop();
    },
  );
});

describe('document-locker session after a withdrawal', () => {
  it.each(['TERMS_OF_USE', 'PAN_VERIFICATION', 'DOCUMENT_LOCKER'])(
    'names the withdrawal of %s, also once the worker has ended the session, and is over once the consent is given again',
    async (purpose) => {
      const user = await aLogin();
      const me = as(service.api, user);
      const { session_id: id } = await open(me);
      const { consents } = (await me.get('/api/v1/consents')).body.payload as ConsentsPayload;
      const given = consents.find((consent) => consent.purpose === purpose)!;
      expect((await me.post(`/api/v1/consents/${given.consent_id}/withdraw`, {})).status).toBe(200);
      expectRefusal(await show(me, id), ConsentErrors.withdrawn);
      await eventually(async () => {
        await service.dataSource.query(
          `UPDATE onboarding.locker_sessions SET next_try_at = least(next_try_at, now()) WHERE id = $1`,
          [id],
        );
        const [row] = await service.dataSource.query<[{ code: string | null }]>(
          `SELECT refusal_code AS code FROM onboarding.locker_sessions WHERE id = $1`,
          [id],
        );
        expect(row.code).toBe(LockerErrors.sessionExpired.code);
      });
      for (let poll = 0; poll < 2; poll++) expectRefusal(await show(me, id), ConsentErrors.withdrawn);
      const again = { purpose, notice_version: given.notice_version };
      expect((await me.post('/api/v1/consents', again)).status).toBe(200);
      expectRefusal(await show(me, id), LockerErrors.sessionExpired);
      expect((await open(me)).session_id).not.toBe(id);
    },
  );
});

describe('daily limit of document-locker sessions', () => {
  it('answers 429 with Retry-After after 20 locker sessions in 24 hours, and still returns open ones', async () => {
    const user = await aLogin();
    const me = as(service.api, user);
    for (let n = 0; n < MAX_LOCKER_SESSIONS_PER_DAY; n++) await open(me, page(n));
    const refused = await tryOpen(me, page(99));
    expectRefusal(refused, GeneralErrors.tooManyRequests);
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(86_300);
    expect(seconds).toBeLessThanOrEqual(86_400);
    await open(me, page(3));
    await open(await aUser(), page(99));
    await service.dataSource.query(
      `UPDATE onboarding.locker_sessions SET created_at = created_at - interval '24 hours'
        WHERE id = (SELECT id FROM onboarding.locker_sessions WHERE user_id = $1 ORDER BY created_at LIMIT 1)`,
      [user.user_id],
    );
    await open(me, page(99));
    expectRefusal(await tryOpen(me, page(100)), GeneralErrors.tooManyRequests);
  });

  it('opens exactly 5 more locker sessions for 9 parallel calls on two replicas', async () => {
    const replica = await service.replica();
    const user = await aLogin();
    for (let i = 5; i < MAX_LOCKER_SESSIONS_PER_DAY; i++) await open(as(service.api, user), page(i));
    const answers = await inParallel(9, (i) =>
      tryOpen(as((i % 2 ? replica : service).api, user), page(100 + i)),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(4);
    for (const response of refused) expectRefusal(response, GeneralErrors.tooManyRequests);
  });
});

describe('stored data of a document-locker session', () => {
  it('stores no link or redirection URL of a locker session in clear text', async () => {
    const me = await aUser();
    const secret = 'https://app.partner.example/back?name=asha';
    const { body } = await me.post(STATUS, { redirection_url: secret });
    const session = await open(me, secret);
    const rows = await service.dataSource.query<Record<string, unknown>[]>(
      `SELECT to_jsonb(r) AS request, to_jsonb(s) AS session FROM onboarding.ekyc_requests r
         JOIN onboarding.locker_sessions s ON s.ekyc_request_id = r.id WHERE s.id = $1`,
      [session.session_id],
    );
    expect(rows).toMatchObject([
      {
        request: {
          url_encrypted: expect.stringMatching(/^k1\./),
          redirect_url_encrypted: expect.stringMatching(/^k1\./),
        },
        session: { url_encrypted: expect.stringMatching(/^k1\./) },
      },
    ]);
    for (const text of [secret, body.payload.ekyc_url as string, session.url, 'https://']) {
      expect(JSON.stringify(rows)).not.toContain(text);
    }
    expect(service.logs()).not.toContain('name=asha');
  });
});

describe('document-locker session of an ended eKYC request', () => {
  it('refuses a locker session of a failed request each time, and keeps the next request in progress', async () => {
    const me = await aUser();
    const old = await openWithLink(me);
    await finishEkyc(old.ekyc_request_id, 'failed');
    const { body: next } = await me.post(STATUS, {});
    await finishLocker(old.url, 'allow');
    expectRefusal(await show(me, old.session_id), LockerErrors.sessionExpired);
    expectRefusal(await show(me, old.session_id), LockerErrors.sessionExpired);
    const { body: after } = await me.post(STATUS, {});
    expect(after.payload).toMatchObject({
      is_ekyc_verified: false,
      ekyc_request_id: next.payload.ekyc_request_id,
    });
    expect(await ekycStep(me)).toMatchObject({ status: 'IN_PROGRESS', reason: null });
    const fresh = await open(me);
    expect(fresh.ekyc_request_id).toBe(next.payload.ekyc_request_id);
    await finishLocker(fresh.url, 'allow');
    expect((await show(me, fresh.session_id)).body.payload.is_ekyc_verified).toBe(true);
  });

  it('keeps the next request in progress when the user denies a locker session of the failed one', async () => {
    const me = await aUser();
    const old = await openWithLink(me);
    await finishEkyc(old.ekyc_request_id, 'failed');
    await me.post(STATUS, {});
    await finishLocker(old.url, 'deny');
    expectRefusal(await show(me, old.session_id), LockerErrors.sessionExpired);
    expect(await ekycStep(me)).toMatchObject({ status: 'IN_PROGRESS', reason: null });
  });

  it('refuses a locker session when its request fails while the locker is asked', async () => {
    const proxy = await HoldingProxy.start();
    const replica = await service.replica({
      DOCUMENT_LOCKER_URL: `${proxy.url}/providers/locker`,
      PROVIDER_TIMEOUT_MS: '1000',
    });
    const user = await aLogin();
    const me = as(service.api, user);
    const old = await openWithLink(me);
    // the worker leaves it to the call, and polls other sessions through the proxy
    await service.dataSource.query(
      "UPDATE onboarding.locker_sessions SET next_try_at = now() + interval '1 hour' WHERE id = $1",
      [old.session_id],
    );
    await finishLocker(old.url, 'allow');
    const held = proxy.holdNext(new RegExp(`sessions/${old.url.split('/').at(-1)!}$`), 'before the answer');
    const shown = Promise.resolve(show(as(replica.api, user), old.session_id));
    await held.caught;
    await finishEkyc(old.ekyc_request_id, 'failed');
    await me.post(STATUS, {});
    held.release();
    expectRefusal(await shown, LockerErrors.sessionExpired);
    expectRefusal(await show(me, old.session_id), LockerErrors.sessionExpired);
    expect((await me.post(STATUS, {})).body.payload.is_ekyc_verified).toBe(false);
    expect(await ekycStep(me)).toMatchObject({ status: 'IN_PROGRESS' });
    await proxy.stop();
  });
});
