import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { LockerSessionPayload } from '@fd/contracts';
import { EkycErrors, LockerErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel, recordEvidence, TcpProxy } from '@fd/testing';
import { anAadhaar, finishEkyc, finishLocker } from '../support/ekyc.js';
import { check, stepOf, tryCheck } from '../support/hosted-ekyc.js';
import { codeOf } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { as, type LoggedIn, logIn, renewed } from '../support/login.js';
import { verifyPan } from '../support/pan.js';
import { answersJson, BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';

const LINK_SECONDS = 1_800;
const LATE_SECONDS = 3_600;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function aUser(of = service): Promise<LoggedIn> {
  const user = await logIn(of);
  await verifyPan(as(of.api, user));
  return user;
}

const isVerified = async (api: ApiClient): Promise<unknown> =>
  (await api.get('/api/v1/user-profile')).body.payload.is_ekyc_verified;

interface RequestRow {
  readonly status: string;
  readonly state: string;
}

async function rowOf(id: string, of = service): Promise<RequestRow> {
  const rows = await of.dataSource.query<[RequestRow]>(
    'SELECT status, state FROM onboarding.ekyc_requests WHERE id = $1',
    [id],
  );
  return rows[0];
}

/** Makes the worker poll a request now. */
const hurry = (id: string, of = service, changes = '') =>
  of.dataSource.query(`UPDATE onboarding.ekyc_requests SET next_try_at = now() ${changes} WHERE id = $1`, [
    id,
  ]);

/** Ends the link of a request, some seconds ago. A moved clock would also end those of concurrent tests. */
const endLink = (id: string, of = service, secondsAgo = 0) =>
  of.dataSource.query(
    "UPDATE onboarding.ekyc_requests SET expires_at = now() - interval '1 second' * $2 WHERE id = $1",
    [id, secondsAgo + 1],
  );

describe('eKYC that ends without the client, or late', () => {
  let provider: ScriptedProvider;
  let own: TestService;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    provider.behaviour = (response) => {
      const call = provider.calls.at(-1)!;
      (behaviours.get(requestOf(call)) ?? answerTo(call))(response, call);
    };
    own = await startService({ EKYC_URL: new URL(provider.url).origin, RATE_LIMIT_PER_MINUTE: '1000000' });
  });
  afterAll(async () => {
    await own.close();
    await provider.stop();
  });

  type Call = ScriptedProvider['calls'][number];

  /** How the scripted provider answers about a request, if not as below. */
  const behaviours = new Map<string, (response: ServerResponse, call: Call) => void>();
  const requestOf = ({ body, path }: Call): string => (body['reference'] ?? path.split('/').at(-1)) as string;
  /** Returns the person that the service named when it opened a request. */
  const expectedOf = (id: string) =>
    provider.calls.find((call) => call.method === 'POST' && requestOf(call) === id)!.body[
      'expected'
    ] as object;
  const answerTo = ({ method }: Call, more: object = {}) =>
    answersJson(method === 'GET' ? 200 : 201, {
      url: 'https://pages.example/ekyc/1',
      state: 'created',
      expires_at: new Date(Date.now() + LINK_SECONDS * 1_000).toISOString(),
      ...more,
    });
  /** Sets the state of a request at the provider, with the person that it verified. */
  const answersWith = (id: string, state: 'expired' | 'verified', name?: string): void => {
    const holder = state === 'verified' ? { holder: { ...expectedOf(id), ...(name && { name }) } } : {};
    behaviours.set(id, (response, call) => answerTo(call, { state, ...holder })(response));
  };
  const pollsOf = (id: string) =>
    provider.calls.filter(({ method, path }) => method === 'GET' && path.endsWith(id)).length;
  afterEach(() => service.clock.reset());

  it('verifies an eKYC when the link has expired but the provider reports success', async () => {
    const user = await aUser();
    let me = as(service.api, user);
    const { ekyc_request_id: id } = await check(me);
    await finishEkyc(id!, 'verified');
    service.clock.advanceSeconds(LINK_SECONDS + 1);
    me = as(service.api, await renewed(service, user));
    expect(await check(me)).toMatchObject({ is_ekyc_verified: true, ekyc_status: 'VERIFIED' });
    expect(await stepOf(me)).toMatchObject({ status: 'DONE' });
  });

  it.concurrent('verifies an eKYC by the worker when no client polls', async () => {
    const me = as(service.api, await aUser());
    const { ekyc_request_id: id } = await check(me);
    await finishEkyc(id!, 'verified');
    await eventually(async () => expect(await isVerified(me)).toBe(true));
    expect(await stepOf(me)).toMatchObject({ status: 'DONE', reason: null });
    expect(await rowOf(id!)).toEqual({ status: 'VERIFIED', state: 'SETTLED' });
    expect((await check(me)).is_ekyc_verified).toBe(true);
  });

  it.concurrent('ends an eKYC when its consent is withdrawn', async () => {
    const me = as(service.api, await aUser());
    const { ekyc_request_id: id } = await check(me);
    const { body } = await me.get('/api/v1/consents');
    for (const { consent_id } of body.payload.consents as { consent_id: string }[])
      await me.post(`/api/v1/consents/${consent_id}/withdraw`, {});
    await finishEkyc(id!, 'verified');
    await hurry(id!);
    await eventually(async () => expect(await rowOf(id!)).toEqual({ status: 'EXPIRED', state: 'SETTLED' }));
    expect(await isVerified(me)).toBe(false);
  });

  it.concurrent('leaves the eKYC of a blocked user open', async () => {
    const user = await aUser();
    const me = as(service.api, user);
    const { ekyc_request_id: id } = await check(me);
    await service.dataSource.query('UPDATE onboarding.users SET blocked_at = now() WHERE id = $1', [
      user.user_id,
    ]);
    await finishEkyc(id!, 'verified');
    await hurry(id!);
    await eventually(async () => expect(await rowOf(id!)).toEqual({ status: 'EXPIRED', state: 'SETTLED' }));
    expect(await stepOf(me)).toMatchObject({ status: 'FAILED' });
  });

  it.concurrent('fails the step with the reason of the eKYC until a new request is made', async () => {
    const me = as(service.api, await aUser());
    const { ekyc_request_id: id } = await check(me);
    await finishEkyc(id!, 'failed');
    await eventually(async () =>
      expect(await stepOf(me)).toMatchObject({ status: 'FAILED', reason: 'EKYC_FAILED' }),
    );
    expect(await check(me)).toMatchObject({ ekyc_status: 'FAILED', ekyc_failed: true });
    expect(await stepOf(me)).toMatchObject({ status: 'IN_PROGRESS', reason: null });
    expect(await check(me)).toMatchObject({ ekyc_status: 'LINK_CREATED', ekyc_failed: true });
  });

  it.concurrent(
    'verifies an eKYC by the worker of another replica after the replica that opened it died',
    async () => {
      const me = as(service.api, await aUser());
      const { ekyc_request_id: id } = await check(me);
      await hurry(id!, service, `, lease_id = '${randomUUID()}', leased_until = now() + interval '1 second'`);
      await finishEkyc(id!, 'verified');
      await eventually(async () => expect(await isVerified(me)).toBe(true));
      recordEvidence('late-ekyc', { 'replicas that died': 1, verified: 1 });
    },
  );

  it.concurrent('does not verify an eKYC that began before the PAN verification', async () => {
    const me = as(service.api, await logIn(service));
    const { ekyc_request_id: id } = await check(me);
    await verifyPan(me);
    await finishEkyc(id!, 'verified');
    await eventually(async () => expect(await rowOf(id!)).toEqual({ status: 'EXPIRED', state: 'SETTLED' }));
    expect(await isVerified(me)).toBe(false);
  });

  it.concurrent(
    'verifies an eKYC after the client was informed of the expiry, and ends the next request',
    async () => {
      const me = as(service.api, await aUser());
      const { ekyc_request_id: first } = await check(me);
      await endLink(first!);
      const next = await check(me);
      expect(next).toMatchObject({ is_ekyc_verified: false, ekyc_status: 'EXPIRED' });
      expect(next.ekyc_request_id).not.toBe(first);
      await finishEkyc(first!, 'verified');
      await eventually(async () => expect(await isVerified(me)).toBe(true));
      expect((await check(me)).ekyc_status).toBe('VERIFIED');
      expect(await stepOf(me)).toMatchObject({ status: 'DONE' });
      expect(await rowOf(next.ekyc_request_id!)).toEqual({ status: 'EXPIRED', state: 'SETTLED' });
    },
  );

  it.concurrent('ignores a late success once a newer request is verified', async () => {
    const me = as(service.api, await aUser());
    const { ekyc_request_id: first } = await check(me);
    await endLink(first!);
    const { ekyc_request_id: second } = await check(me);
    await finishEkyc(second!, 'verified');
    expect((await check(me)).is_ekyc_verified).toBe(true);
    await finishEkyc(first!, 'verified');
    // as a replica of the former release would leave it
    await hurry(first!, service, `, state = 'DUE', settled_at = NULL`);
    await eventually(async () => expect((await rowOf(first!)).state).toBe('SETTLED'));
    expect([await rowOf(first!), await rowOf(second!)]).toEqual([
      { status: 'EXPIRED', state: 'SETTLED' },
      { status: 'VERIFIED', state: 'SETTLED' },
    ]);
    const events = await service.dataSource.query<{ event: string }[]>(
      `SELECT event FROM onboarding.journey_events WHERE step = 'EKYC' AND user_id =
         (SELECT user_id FROM onboarding.ekyc_requests WHERE id = $1) ORDER BY id`,
      [first],
    );
    expect(events.map(({ event }) => event)).toEqual(['STARTED', 'FAILED', 'STARTED', 'COMPLETED']);
  });

  it.concurrent('verifies one of two requests whose successes arrive at the same time', async () => {
    const me = as(service.api, await aUser());
    const { ekyc_request_id: first } = await check(me);
    await endLink(first!);
    const { ekyc_request_id: second } = await check(me);
    await inParallel(2, (n) => finishEkyc([first!, second!][n]!, 'verified'));
    await inParallel(2, (n) => (n === 0 ? hurry(first!) : check(me)));
    await eventually(async () => {
      const rows = [await rowOf(first!), await rowOf(second!)];
      expect(rows.map(({ state }) => state)).toEqual(['SETTLED', 'SETTLED']);
      expect(rows.map(({ status }) => status).sort()).toEqual(['EXPIRED', 'VERIFIED']);
    });
  });

  it.concurrent('verifies an eKYC by the Aadhaar code sent before its link expired', async () => {
    const me = as(service.api, await aUser());
    await me.post(issuerPath('sahyadri', 'v3/check-status'), {});
    const aadhaar = anAadhaar();
    const sent = await me.post(issuerPath('sahyadri', 'v1/aadhaar-ekyc/send-otp'), {
      aadhaar_number: aadhaar,
      consent_checked: true,
    });
    const id = sent.body.payload.ekyc_request_id as string;
    await endLink(id);
    await hurry(id);
    await eventually(async () => expect((await rowOf(id)).status).toBe('EXPIRED'));
    const verified = await me.post(issuerPath('sahyadri', 'v1/aadhaar-ekyc/verify-otp'), {
      ekyc_request_id: id,
      otp: await codeOf(aadhaar),
    });
    expect([verified.status, verified.body.payload.is_ekyc_verified]).toEqual([200, true]);
    expect(await stepOf(me, 'sahyadri')).toMatchObject({ status: 'DONE' });
  });

  it.concurrent('verifies an eKYC by the locker session opened before its link expired', async () => {
    const me = as(service.api, await aUser());
    await me.post(issuerPath('kaveri', 'v3/check-status'), {});
    const opened = await me.post(issuerPath('kaveri', 'v1/document-locker/session'), {
      consent_checked: true,
    });
    const { session_id, url, ekyc_request_id: id } = opened.body.payload as Record<string, string>;
    await endLink(id!);
    await hurry(id!);
    await eventually(async () => expect((await rowOf(id!)).status).toBe('EXPIRED'));
    await finishLocker(url!, 'allow');
    const shown = await me.get(issuerPath('kaveri', `v1/document-locker/session/${session_id}`));
    expect([shown.status, shown.body.payload.is_ekyc_verified]).toEqual([200, true]);
    expect(await stepOf(me, 'kaveri')).toMatchObject({ status: 'DONE' });
  });

  it.concurrent('accepts a success that the provider reports after the end of the link', async () => {
    const me = as(own.api, await aUser(own));
    const { ekyc_request_id: id } = await check(me);
    answersWith(id!, 'expired');
    await eventually(async () =>
      expect(await stepOf(me)).toMatchObject({ status: 'FAILED', reason: 'EKYC_EXPIRED' }),
    );
    expect(await rowOf(id!, own)).toEqual({ status: 'EXPIRED', state: 'FOLLOWED' });
    answersWith(id!, 'verified');
    expect((await check(me)).ekyc_status).toBe('VERIFIED');
  });

  it.concurrent('fails an eKYC in which the provider verified another person', async () => {
    const me = as(own.api, await aUser(own));
    const { ekyc_request_id: id } = await check(me);
    answersWith(id!, 'verified', 'XERXES QUILLFEATHER');
    await eventually(async () =>
      expect(await stepOf(me)).toMatchObject({ status: 'FAILED', reason: 'EKYC_HOLDER_DIFFERS' }),
    );
    expect(await rowOf(id!, own)).toEqual({ status: 'FAILED', state: 'SETTLED' });
    expect(await isVerified(me)).toBe(false);
  });

  it.concurrent(
    'polls a request one call at a time, for clients and the workers of three replicas',
    async () => {
      const replicas = [own, await own.replica(), await own.replica()];
      const user = await aUser(own);
      const { ekyc_request_id: id } = await check(as(own.api, user));
      let running = 0;
      const seen: number[] = [];
      behaviours.set(id!, (response, call) => {
        seen.push(++running);
        setTimeout(() => {
          running--;
          answerTo(call)(response);
        }, 50);
      });
      // most calls of a round find a poll running, and start none
      while (seen.length < 4)
        await inParallel(12, async (n) => {
          await hurry(id!, own);
          return check(as(replicas[n % 3]!.api, user));
        });
      expect(Math.max(...seen)).toBe(1);
    },
  );

  it.concurrent(
    'leaves a slow machine time to answer after a wait for the poll of another replica',
    async () => {
      const postgres = await TcpProxy.before(own.environment['DATABASE_URL']!);
      const replica = await own.replica({ DATABASE_URL: postgres.url });
      const user = await aUser(own);
      const { ekyc_request_id: id } = await check(as(own.api, user));
      await hurry(id!, own, `, lease_id = '${randomUUID()}', leased_until = now() + interval '1 minute'`);
      postgres.slowDown(150);
      expect((await check(as(replica.api, user))).ekyc_request_id).toBe(id);
      await postgres.close();
    },
  );

  it.concurrent('polls a failing provider again later, and gives up after a day', async () => {
    const me = as(own.api, await aUser(own));
    const { ekyc_request_id: id } = await check(me);
    behaviours.set(id!, BEHAVIOURS.fails);
    await endLink(id!, own);
    expectRefusal(await tryCheck(me), EkycErrors.unavailable);
    // without an answer of the provider the request stays open
    expect(await rowOf(id!, own)).toEqual({ status: 'LINK_CREATED', state: 'FOLLOWED' });
    await hurry(id!, own, `, due_since = now() - interval '25 hours'`);
    await eventually(async () =>
      expect(await rowOf(id!, own)).toEqual({ status: 'EXPIRED', state: 'ABANDONED' }),
    );
    expect(await stepOf(me)).toMatchObject({ status: 'FAILED', reason: 'EKYC_EXPIRED' });
    expect(own.logs()).toContain('an eKYC request was given up');
  });

  it.concurrent('stops polling an hour after the end of the link', async () => {
    const me = as(own.api, await aUser(own));
    const { ekyc_request_id: id } = await check(me);
    await endLink(id!, own, LATE_SECONDS);
    await hurry(id!, own);
    await eventually(async () =>
      expect(await rowOf(id!, own)).toEqual({ status: 'EXPIRED', state: 'SETTLED' }),
    );
    const polls = pollsOf(id!);
    await hurry(id!, own);
    // meanwhile another request is polled
    const { ekyc_request_id: next } = await check(me);
    await eventually(() => expect(pollsOf(next!)).toBeGreaterThan(0));
    expect(pollsOf(id!)).toBe(polls);
  });
});

const SESSION = issuerPath('kaveri', 'v1/document-locker/session');

async function open(me: ApiClient): Promise<LockerSessionPayload> {
  const { status, body } = await me.post(SESSION, { consent_checked: true });
  expect(status).toBe(200);
  return body.payload as LockerSessionPayload;
}

const show = (me: ApiClient, id: string) => me.get(`${SESSION}/${id}`);

const ekycStep = async (me: ApiClient): Promise<unknown> => {
  const { body } = await me.get(issuerPath('kaveri', 'v1/journey'));
  return (body.payload.steps as { step: string }[]).find(({ step }) => step === 'EKYC');
};

// needs a file without replicas at other lockers: their workers would poll these sessions there
describe('document-locker session without a polling client', () => {
  const rowOf = async (id: string): Promise<unknown> => {
    const rows = await service.dataSource.query<[object]>(
      'SELECT refusal_code, state FROM onboarding.locker_sessions WHERE id = $1',
      [id],
    );
    return rows[0];
  };

  it.concurrent('completes the eKYC by the worker when no client polls', async () => {
    const me = as(service.api, await aUser());
    const { session_id: id, url } = await open(me);
    await finishLocker(url, 'allow');
    await eventually(async () => expect(await ekycStep(me)).toMatchObject({ status: 'DONE' }));
    expect(await rowOf(id)).toEqual({ refusal_code: null, state: 'SETTLED' });
    expect((await show(me, id)).body.payload).toMatchObject({ status: 'AUTHORISED', is_ekyc_verified: true });
  });

  it.concurrent('fails the step by the worker until the next session is opened', async () => {
    const me = as(service.api, await aUser());
    const denied = await open(me);
    await finishLocker(denied.url, 'deny');
    const { code } = LockerErrors.consentDenied;
    await eventually(async () =>
      expect(await ekycStep(me)).toMatchObject({ status: 'FAILED', reason: code }),
    );
    expect(await rowOf(denied.session_id)).toEqual({ refusal_code: code, state: 'SETTLED' });
    await open(me);
    expect(await ekycStep(me)).toMatchObject({ status: 'IN_PROGRESS', reason: null });
  });

  it.concurrent('completes the eKYC by a session that another one has replaced', async () => {
    const me = as(service.api, await aUser());
    const first = await open(me);
    await service.dataSource.query(
      `UPDATE onboarding.locker_sessions SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [first.session_id],
    );
    await open(me);
    expectRefusal(await show(me, first.session_id), LockerErrors.sessionExpired);
    await finishLocker(first.url, 'allow');
    await eventually(async () => expect(await ekycStep(me)).toMatchObject({ status: 'DONE' }));
    expect((await show(me, first.session_id)).body.payload.is_ekyc_verified).toBe(true);
  });

  it.concurrent('gives a locker session up after a day without an answer of the locker', async () => {
    const locker = await ScriptedProvider.start();
    locker.behaviour = answersJson(201, {
      session_id: 's-1',
      url: 'https://locker.example/s',
      expires_at: new Date(Date.now() + 600_000).toISOString(),
    });
    const own = await startService({ DOCUMENT_LOCKER_URL: new URL(locker.url).origin });
    const { session_id: id } = await open(as(own.api, await logIn(own)));
    await own.dataSource.query(
      `UPDATE onboarding.locker_sessions SET due_since = now() - interval '25 hours', next_try_at = now()`,
    );
    await eventually(async () => {
      const rows = await own.dataSource.query<object[]>(
        'SELECT refusal_code, state FROM onboarding.locker_sessions WHERE id = $1',
        [id],
      );
      expect(rows).toEqual([{ refusal_code: LockerErrors.sessionExpired.code, state: 'ABANDONED' }]);
    });
    await own.close();
    await locker.stop();
  });
});
