import type { LockerSessionPayload } from '@fd/contracts';
import { LockerErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal } from '@fd/testing';
import { finishLocker } from '../support/ekyc.js';
import { issuerPath } from '../support/issuers.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { verifyPan } from '../support/pan.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';

// in a spec of its own: workers of replicas at other lockers would poll these sessions there
let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const SESSION = issuerPath('kaveri', 'v1/document-locker/session');

async function aUser(): Promise<LoggedIn> {
  const user = await logIn(service);
  await verifyPan(as(service.api, user));
  return user;
}

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
