import type { UserProfilePayload } from '@fd/contracts';
import { EmailErrors, PanErrors } from '@fd/errors';
import { type ApiClient, expectRefusal } from '@fd/testing';
import { DurableCalls, Jobs } from '../../src/core/index.js';
import { MailNotices } from '../../src/identity/index.js';
import { shortOf, trailOf } from '../support/audit.js';
import { finishEkyc, finishLocker } from '../support/ekyc.js';
import { anEmail, emailCode, verifyEmail, verifyEmailCode } from '../support/email.js';
import { inboxOf } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { runPan, runUsers, WHO } from '../support/operator.js';
import { panBody, postPan, verifyPan } from '../support/pan.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const STATUS = issuerPath('aravalli', 'v3/check-status');
const LOCKER = issuerPath('kaveri', 'v1/document-locker/session');
const TAKEN = EmailErrors.belongsToAnotherUser;

let service: TestService;
let replica: UsersApp;
beforeAll(async () => {
  service = await startService();
  replica = await service.replica();
  // the test itself runs the workers
  for (const { app } of [service, replica]) await app.get(Jobs).beforeApplicationShutdown();
});
afterAll(() => service.close());

interface User extends LoggedIn {
  readonly api: ApiClient;
}

const aUser = async (): Promise<User> => {
  const user = await logIn(service);
  return { ...user, api: as(service.api, user) };
};

/** Completes an eKYC, whose provider reports a phone if one is given. */
async function prove({ api }: User, phone?: string): Promise<void> {
  const { body } = await api.post(STATUS, {});
  await finishEkyc(body.payload.ekyc_request_id as string, 'verified', undefined, phone);
  await api.post(STATUS, {});
}

const proveByPhone = (user: User): Promise<void> => prove(user, user.phone);

const profileOf = async ({ api }: User): Promise<UserProfilePayload> =>
  ((await api.get('/api/v1/user-profile')).body as { payload: UserProfilePayload }).payload;

const hasEmail = async (user: User): Promise<boolean> => (await profileOf(user)).is_email_verified;

/** A person with a PAN and an address in one account, and another user who was refused the PAN. */
async function twoAccounts() {
  const [former, later, email, body] = [await aUser(), await aUser(), anEmail(), panBody()];
  await verifyPan(former.api, body);
  await verifyEmail(former.api, email);
  expectRefusal(await postPan(later.api, body), PanErrors.belongsToAnotherUser);
  return { former, later, email, body };
}

/** The same after the later account has taken the PAN over by an eKYC of its own phone. */
async function takenOver() {
  const accounts = await twoAccounts();
  await proveByPhone(accounts.later);
  expect(await profileOf(accounts.later)).toMatchObject({ is_pan_verified: true });
  return accounts;
}

/** Enters the code that was sent to an address. */
const verify = async ({ api }: User, email: string) =>
  verifyEmailCode(api, email, await emailCode(api, email));

async function expectTaken(user: User, email: string, holder: User): Promise<void> {
  expectRefusal(await verify(user, email), TAKEN);
  expect([await hasEmail(user), await hasEmail(holder)]).toEqual([false, true]);
}

const emailStepOf = async ({ api }: User): Promise<object> => {
  const { body } = await api.get(issuerPath('aravalli', 'v1/journey'));
  const { steps } = body.payload as { steps: { step: string }[] };
  return steps.find(({ step }) => step === 'EMAIL')!;
};

describe('address of a former account of the same person', () => {
  it('moves to the account that has taken the PAN over by an own eKYC, and is due again in the former one', async () => {
    const { former, later, email } = await takenOver();
    expect((await verify(later, email)).body.payload).toMatchObject({ is_email_verified: true });
    expect(await profileOf(later)).toMatchObject({ is_email_verified: true });
    expect(await profileOf(former)).toMatchObject({ is_email_verified: false, email: null });
    expect(await emailStepOf(former)).toMatchObject({ status: 'LOCKED', reason: TAKEN.code });
    // its history stays
    const events = await service.dataSource.query<{ to: string }[]>(
      `SELECT to_state AS to FROM onboarding.journey_events WHERE user_id = $1 AND step = 'EMAIL' ORDER BY id`,
      [former.user_id],
    );
    expect(events.map(({ to }) => to)).toEqual(['IN_PROGRESS', 'DONE', 'NOT_STARTED']);
    const moved = (await trailOf(service, former.user_id)).find(({ action }) => action === 'EMAIL_MOVED')!;
    // an export of the former account must not name the other one
    expect([shortOf(moved), moved.actor, moved.objectId]).toEqual([
      `EMAIL_MOVED ${TAKEN.code}`,
      `user:${later.user_id}`,
      null,
    ]);
    // there is no way back but another address
    expectRefusal(await verify(former, email), TAKEN);
    await verifyEmail(former.api);
  });

  it('gets one mail about the move', async () => {
    const { later, email } = await takenOver();
    await verify(later, email);
    await service.app.get(DurableCalls).advanceDue(service.app.get(MailNotices));
    const notices = (await inboxOf(email)).filter(({ code }) => code === null);
    expect(notices.map(({ text }) => text)).toEqual([
      expect.stringContaining('verified in another fixed deposit account'),
    ]);
  });

  it('moves also after an operator has released the PAN', async () => {
    const { former, later, email, body } = await twoAccounts();
    await proveByPhone(former);
    await runPan(service, '', 'release', '--user', former.user_id, ...WHO);
    await verifyPan(later.api, body);
    await expectTaken(later, email, former);
    await proveByPhone(later);
    expect((await verify(later, email)).status).toBe(200);
    expect([await hasEmail(later), await hasEmail(former)]).toEqual([true, false]);
  });

  it('stays while the PAN was taken over by an eKYC that somebody else may have completed', async () => {
    const { former, later, email } = await twoAccounts();
    await prove(later);
    expect(await profileOf(later)).toMatchObject({ is_pan_verified: true, is_ekyc_verified: true });
    await expectTaken(later, email, former);
  });

  it('stays while the PAN was taken over by a document with only the year of birth', async () => {
    const { former, later, email } = await twoAccounts();
    const { body } = await later.api.post(LOCKER, { consent_checked: true });
    const { url, session_id: id } = body.payload as { url: string; session_id: string };
    await finishLocker(url, 'birth_year', undefined, later.phone);
    await later.api.get(`${LOCKER}/${id}`);
    expect(await profileOf(later)).toMatchObject({ is_pan_verified: true });
    await expectTaken(later, email, former);
  });

  it('stays while the PAN is only claimed, also if the own eKYC was too late', async () => {
    const { former, later, email } = await twoAccounts();
    await expectTaken(later, email, former);
    await proveByPhone(former);
    await proveByPhone(later);
    expect(await profileOf(later)).toMatchObject({ is_pan_verified: false });
    await expectTaken(later, email, former);
  });

  it('stays with a former user of the PAN who has verified another one since, and is another person', async () => {
    const { former, later, email } = await takenOver();
    await verifyPan(former.api);
    await expectTaken(later, email, former);
  });

  it('stays with a third user, and does not move to one', async () => {
    const [{ later }, { former, email }, third] = [await takenOver(), await takenOver(), await aUser()];
    const address = anEmail();
    await verifyEmail(third.api, address);
    await expectTaken(later, address, third);
    await verifyPan(third.api);
    await proveByPhone(third);
    expectRefusal(await verify(third, email), TAKEN);
    expect(await hasEmail(former)).toBe(true);
  });

  it('ends with exactly one account when its holder, the later account and a third one verify it in parallel', async () => {
    for (let round = 0; round < 3; round++) {
      const { former, later, email } = await takenOver();
      const users = [former, later, await aUser()];
      const codes: string[] = [];
      for (const { api } of users) codes.push(await emailCode(api, email));
      const [atFormer, atLater, atThird] = await Promise.all(
        users.map((user, i) => verifyEmailCode(as(i % 2 ? replica.api : service.api, user), email, codes[i])),
      );
      expect(atLater!.status).toBe(200);
      expectRefusal(atThird!, TAKEN);
      // before the move it is the holder's own
      if (atFormer!.status !== 200) expectRefusal(atFormer!, TAKEN);
      expect(await Promise.all(users.map(hasEmail))).toEqual([false, true, false]);
    }
  });

  it('moves to the next account of a person whose later one was erased', async () => {
    const { former, later, email, body } = await takenOver();
    await runUsers(service, '', 'erase', '--user', later.user_id, '--no-deposit', ...WHO);
    const last = await aUser();
    await verifyPan(last.api, body);
    await expectTaken(last, email, former);
    await proveByPhone(last);
    expect((await verify(last, email)).status).toBe(200);
    expect(await hasEmail(former)).toBe(false);
  });
});
