import { GeneralErrors, LockerErrors } from '@fd/errors';
import type { Response } from 'supertest';
import { type ApiClient, expectRefusal } from '@fd/testing';
import { MAX_LOCKER_SESSIONS_PER_DAY } from '../../src/kyc/ekyc/locker-sessions.repository.js';
import { effectsOf } from '../support/effects.js';
import { finishEkyc, finishLocker } from '../support/ekyc.js';
import { HoldingProxy } from '../support/holding-proxy.js';
import { issuerPath } from '../support/issuers.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { verifyPan } from '../support/pan.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';
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
  readonly status: string;
  readonly ekyc_request_id: string;
}

/** An address to return to, one for each number. */
const page = (n: number): string => `https://app.partner.example/back?visit=${n}`;

const tryOpen = (me: ApiClient, redirection_url?: string) =>
  me.post(SESSION, { consent_checked: true, ...(redirection_url ? { redirection_url } : {}) });

/** Who waited too long for others of the same user is told to come again, and does. */
async function openInTurn(me: ApiClient, redirectionUrl?: string): Promise<Response> {
  const response = await tryOpen(me, redirectionUrl);
  return response.status === 503 ? openInTurn(me, redirectionUrl) : response;
}

async function open(me: ApiClient, redirectionUrl?: string): Promise<Opened> {
  const response = await openInTurn(me, redirectionUrl);
  expect(response.status).toBe(200);
  return response.body.payload as Opened;
}

const show = (me: ApiClient, id: string) => me.get(`${SESSION}/${id}`);

async function aUser(): Promise<LoggedIn> {
  const user = await logIn(service);
  await verifyPan(as(service.api, user));
  return user;
}

const ekycStep = async (me: ApiClient): Promise<unknown> => {
  const { body } = await me.get(issuerPath('kaveri', 'v1/journey'));
  return (body.payload.steps as { step: string }[]).find(({ step }) => step === 'EKYC');
};

describe('a session of the locker that is still open', () => {
  it('is given again for the same address to return to', async () => {
    const me = as(service.api, await aUser());
    const first = await open(me);
    expect(await open(me)).toEqual(first);
    const other = await open(me, page(1));
    expect(other.session_id).not.toBe(first.session_id);
    expect(await open(me, page(1))).toEqual(other);
    expect(await open(me)).toEqual(first);
  });

  it('is shared by ten parallel calls, over two replicas', async () => {
    const user = await aUser();
    const replica = await service.replica();
    const sessions = await Promise.all(
      Array.from({ length: 10 }, (_, index) => open(as((index % 2 ? replica : service).api, user), page(1))),
    );
    for (const session of sessions) expect(session).toEqual(sessions[0]);
    expect(await effectsOf('locker', sessions[0]!.session_id)).toHaveLength(1);
  });

  it('is finished when a crash left it without a link', async () => {
    const me = as(service.api, await aUser());
    const first = await open(me, page(1));
    await service.dataSource.query(
      `UPDATE onboarding.locker_sessions SET locker_id = NULL, url_encrypted = NULL, expires_at = NULL WHERE id = $1`,
      [first.session_id],
    );
    expectRefusal(await show(me, first.session_id), GeneralErrors.recordUnknown);
    expect(await open(me, page(1))).toEqual(first);
    expect(await effectsOf('locker', first.session_id)).toHaveLength(1);
  });

  it('is not, once the person has been there: a refusal makes room for another, a proof is taken', async () => {
    const me = as(service.api, await aUser());
    const denied = await open(me);
    await finishLocker(denied.url, 'deny');
    const second = await open(me);
    expect(second.session_id).not.toBe(denied.session_id);
    expectRefusal(await show(me, denied.session_id), LockerErrors.consentDenied);
    await finishLocker(second.url, 'allow');
    expect(await open(me)).toEqual({ ...second, status: 'AUTHORISED', is_ekyc_verified: true });
    expect((await me.post(STATUS, {})).body.payload.is_ekyc_verified).toBe(true);
  });

  it('is not, once its time is over', async () => {
    const me = as(service.api, await aUser());
    const first = await open(me);
    await service.dataSource.query(
      `UPDATE onboarding.locker_sessions SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [first.session_id],
    );
    expect((await open(me)).session_id).not.toBe(first.session_id);
  });

  it('is not the one that the locker opened long ago, and of which we never heard', async () => {
    const locker = await ScriptedProvider.start();
    const replica = await service.replica({ DOCUMENT_LOCKER_URL: new URL(locker.url).origin });
    const lives = [-1_000, 600_000];
    locker.behaviour = (response) => {
      const expiresAt = new Date(Date.now() + lives.shift()!).toISOString();
      const opened = {
        session_id: `s-${lives.length}`,
        url: 'https://locker.example/s',
        expires_at: expiresAt,
      };
      answersJson(201, opened)(response);
    };
    const opened = await open(as(replica.api, await aUser()));
    const references = locker.calls.map(({ body }) => body['reference']);
    expect(references).toEqual([expect.any(String), opened.session_id]);
    expect(references[0]).not.toBe(references[1]);
    await locker.stop();
  });
});

describe('sessions of the locker', () => {
  it('are 20 for a user and 24 hours; one that is open is given again all the same', async () => {
    const user = await aUser();
    const me = as(service.api, user);
    for (let n = 0; n < MAX_LOCKER_SESSIONS_PER_DAY; n++) await open(me, page(n));
    const refused = await tryOpen(me, page(99));
    expectRefusal(refused, GeneralErrors.tooManyRequests);
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(86_300);
    expect(seconds).toBeLessThanOrEqual(86_400);
    await open(me, page(3));
    await open(as(service.api, await aUser()), page(99));
    await service.dataSource.query(
      `UPDATE onboarding.locker_sessions SET created_at = created_at - interval '24 hours'
        WHERE id = (SELECT id FROM onboarding.locker_sessions WHERE user_id = $1 ORDER BY created_at LIMIT 1)`,
      [user.user_id],
    );
    await open(me, page(99));
    expectRefusal(await tryOpen(me, page(100)), GeneralErrors.tooManyRequests);
  });

  it('are exactly 20 of 24 that are asked for at once', async () => {
    const user = await aUser();
    const replica = await service.replica();
    // so that all that is waited for is the locker
    await open(as(service.api, user), page(0));
    const responses = await Promise.all(
      Array.from({ length: 23 }, (_, n) =>
        openInTurn(as((n % 2 ? replica : service).api, user), page(n + 1)),
      ),
    );
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(24 - MAX_LOCKER_SESSIONS_PER_DAY);
    for (const response of refused) expectRefusal(response, GeneralErrors.tooManyRequests);
  });

  it('are kept without a link or an address in clear', async () => {
    const me = as(service.api, await aUser());
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

describe('a session of a request that has ended', () => {
  it('completes nothing, each time alike, and the next request has not failed by it', async () => {
    const me = as(service.api, await aUser());
    const old = await open(me);
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

  it('fails nothing either, whatever the person says there', async () => {
    const me = as(service.api, await aUser());
    const old = await open(me);
    await finishEkyc(old.ekyc_request_id, 'failed');
    await me.post(STATUS, {});
    await finishLocker(old.url, 'deny');
    expectRefusal(await show(me, old.session_id), LockerErrors.sessionExpired);
    expect(await ekycStep(me)).toMatchObject({ status: 'IN_PROGRESS', reason: null });
  });

  it('completes nothing when the request ends while the locker is asked', async () => {
    const proxy = await HoldingProxy.start();
    const replica = await service.replica({ DOCUMENT_LOCKER_URL: `${proxy.url}/providers/locker` });
    const user = await aUser();
    const me = as(service.api, user);
    const old = await open(me);
    await finishLocker(old.url, 'allow');
    const held = proxy.holdNext(/sessions\/[^/]+$/, 'before the answer');
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
