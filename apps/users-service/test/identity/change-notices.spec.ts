import { type ApiClient, inParallel } from '@fd/testing';
import { DurableCalls, Jobs } from '../../src/core/index.js';
import { MailNotices } from '../../src/identity/index.js';
import { shortOf, trailOf } from '../support/audit.js';
import { anEmail, verifyEmail } from '../support/email.js';
import { inboxOf } from '../support/inbox.js';
import { as, logIn } from '../support/login.js';
import { aNominee, nominate, NOMINEE_PATH, postNominee, SKIP } from '../support/nominees.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

describe('mails about changes of an account', () => {
  let service: TestService;
  let away: UsersApp;
  beforeAll(async () => {
    service = await startService({});
    away = await service.replica({ MAIL_SMTP_URL: 'smtp://127.0.0.1:1' });
    // the test itself runs the workers of these replicas
    for (const { app } of [service, away]) await app.get(Jobs).beforeApplicationShutdown();
  });
  afterAll(() => service.close());

  const send = ({ app }: UsersApp) => app.get(DurableCalls).advanceDue(app.get(MailNotices));
  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };
  /** Subjects of the notices that an address has got. */
  const noticesTo = async (email: string): Promise<string[]> => {
    await send(service);
    return (await inboxOf(email)).filter(({ code }) => code === null).map(({ text }) => text);
  };
  const rowsOf = ({ user_id }: { user_id: string }): Promise<{ kind: string; state: string }[]> =>
    service.dataSource.query('SELECT kind, state FROM onboarding.mail_notices WHERE user_id = $1', [user_id]);
  const mailed = async ({ user_id }: { user_id: string }) =>
    (await trailOf(service, user_id)).map(shortOf).filter((action) => action.startsWith('CHANGE_MAILED'));

  it('tells the former address of a change of the address, and no other', async () => {
    const user = await aUser();
    const [first, second, third] = [anEmail(), anEmail(), anEmail()];
    await verifyEmail(user.api, first);
    // the same address again is no change
    await verifyEmail(user.api, first);
    expect(await noticesTo(first)).toEqual([]);
    await verifyEmail(user.api, second);
    await verifyEmail(user.api, third);
    const [notice, ...more] = await noticesTo(first);
    expect(more).toEqual([]);
    expect(notice).toContain('replaces this one');
    expect(notice).not.toContain(second);
    expect([(await noticesTo(second)).length, await noticesTo(third)]).toEqual([1, []]);
    expect(await mailed(user)).toHaveLength(2);
  });

  it.each<[what: string, change: (api: ApiClient, id: string) => Promise<unknown>]>([
    ['added', (api) => nominate(api, aNominee({ name: 'Ravi Rao', share_percentage: 10 }))],
    ['changed', (api, id) => api.put(`${NOMINEE_PATH}/${id}`, { relationship: 'SISTER' })],
    ['removed', (api, id) => api.delete(`${NOMINEE_PATH}/${id}`)],
  ])('tells the verified address that a nominee was %s, not of the first one', async (_what, change) => {
    const user = await aUser();
    const email = anEmail();
    await verifyEmail(user.api, email);
    const { nominees } = await nominate(user.api, aNominee({ share_percentage: 50 }));
    expect(await noticesTo(email)).toEqual([]);
    await change(user.api, nominees[0]!.nominee_id);
    const [notice, ...more] = await noticesTo(email);
    expect(more).toEqual([]);
    expect(notice).toContain('nominee');
    expect(notice).not.toContain('Rao');
  });

  it('tells of the first nominee after a declaration to name none', async () => {
    const user = await aUser();
    const email = anEmail();
    await verifyEmail(user.api, email);
    await nominate(user.api, SKIP);
    await nominate(user.api);
    expect(await noticesTo(email)).toHaveLength(1);
  });

  it('tells of changes of nominees once an hour, and of none without a verified address', async () => {
    const user = await aUser();
    const email = anEmail();
    await nominate(user.api, aNominee({ share_percentage: 1 }));
    await nominate(user.api, aNominee({ share_percentage: 1 }));
    expect(await rowsOf(user)).toEqual([]);
    await verifyEmail(user.api, email);
    const add = (): Promise<unknown> => postNominee(user.api, aNominee({ share_percentage: 1 }));
    await inParallel(2, add);
    expect(await noticesTo(email)).toHaveLength(1);
    await service.dataSource.query(
      "UPDATE onboarding.mail_notices SET due_since = due_since - interval '1 hour' WHERE user_id = $1",
      [user.user_id],
    );
    const { nominees } = (
      (await user.api.get(NOMINEE_PATH)).body as { payload: { nominees: { nominee_id: string }[] } }
    ).payload;
    await user.api.delete(`${NOMINEE_PATH}/${nominees[0]!.nominee_id}`);
    expect(await noticesTo(email)).toHaveLength(2);
  });

  it('sends a notice by one of two replicas once the mail server is back, and deletes it after 30 days', async () => {
    const user = await aUser();
    const email = anEmail();
    await verifyEmail(user.api, email);
    await verifyEmail(user.api);
    await send(away);
    expect(await rowsOf(user)).toEqual([{ kind: 'EMAIL_CHANGED', state: 'DUE' }]);
    await service.dataSource.query('UPDATE onboarding.mail_notices SET next_try_at = now()');
    const replica = await service.replica();
    await Promise.all([send(service), send(replica)]);
    expect(await noticesTo(email)).toHaveLength(1);
    expect(await mailed(user)).toEqual(['CHANGE_MAILED EMAIL_CHANGED']);
    await service.dataSource.query(
      "UPDATE onboarding.mail_notices SET settled_at = settled_at - interval '30 days'",
    );
    await service.app.get(Jobs).runCleanup();
    expect(await rowsOf(user)).toEqual([]);
  });

  it('gives a notice up after a day, with an audit event', async () => {
    const user = await aUser();
    await verifyEmail(user.api);
    await verifyEmail(user.api);
    await service.dataSource.query(
      "UPDATE onboarding.mail_notices SET due_since = now() - interval '25 hours' WHERE state = 'DUE'",
    );
    await send(away);
    expect(await rowsOf(user)).toEqual([{ kind: 'EMAIL_CHANGED', state: 'ABANDONED' }]);
    expect(await mailed(user)).toEqual(['CHANGE_MAILED FAILED EMAIL_CHANGED']);
  });
});
