import { EmailErrors } from '@fd/errors';
import { expectRefusal, inParallel } from '@fd/testing';
import { MAX_MAILS_PER_DAY } from '../../src/identity/otp/otp.policy.js';
import {
  anEmail,
  emailCode,
  sendEmailCode,
  sentPayload,
  verifyEmail,
  verifyEmailCode,
} from '../support/email.js';
import { inboxOf, wrongCode } from '../support/inbox.js';
import { as, logIn, renewed } from '../support/login.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Returns a user on a replica with its own clock, or on the given one; `wait` returns the same user later. */
const aUser = async (on?: UsersApp) => {
  const replica = on ?? (await service.replica());
  let user = await logIn(service);
  const wait = async (seconds: number) => {
    replica.clock.advanceSeconds(seconds);
    user = await renewed(replica, user);
    return as(replica.api, user);
  };
  return { user, clock: replica.clock, api: as(replica.api, user), wait };
};
const secondsOf = (response: { headers: Record<string, string> }) => Number(response.headers['retry-after']);

describe('POST /api/v1/email/send-otp', () => {
  it('resends the same code with the same times until its last two minutes', async () => {
    const { api, clock } = await aUser();
    const email = anEmail();
    const first = sentPayload(await sendEmailCode(api, email));
    clock.advanceSeconds(479);
    const second = sentPayload(await sendEmailCode(api, email));
    expect([second.startTime, second.endTime]).toEqual([first.startTime, first.endTime]);
    clock.advanceSeconds(2);
    const third = sentPayload(await sendEmailCode(api, email));
    expect(Date.parse(third.startTime) - Date.parse(first.startTime)).toBeGreaterThanOrEqual(481_000);
    const [newest, second_, oldest] = (await inboxOf(email)).map(({ code }) => code);
    expect(second_).toBe(oldest);
    expect(newest).not.toBe(oldest);
  });

  it('mails the same code five times in 15 minutes, then returns 429 with Retry-After', async () => {
    const { api, clock } = await aUser();
    const email = anEmail();
    for (let used = 0; used < 5; used++) {
      const sent = await sendEmailCode(api, email);
      expect(sentPayload(sent)).toMatchObject({ attemptsUsed: used, attemptsLeft: 4 - used });
    }
    const refused = await sendEmailCode(api, email);
    expectRefusal(refused, EmailErrors.tooManyOtps);
    expect(secondsOf(refused)).toBeGreaterThan(800);
    expect(secondsOf(refused)).toBeLessThanOrEqual(900);
    const codes = (await inboxOf(email)).map(({ code }) => code);
    expect(codes).toHaveLength(5);
    expect(new Set(codes).size).toBe(1);
    clock.advanceSeconds(secondsOf(refused));
    expect((await sendEmailCode(api, email)).status).toBe(200);
  });

  it('returns 429 with Retry-After once a user has caused the daily number of mails, over all addresses', async () => {
    const { api: first, wait } = await aUser();
    // a verified address does not lift the limit
    await verifyEmail(first);
    const api = await wait(3_600);
    for (let i = 1; i < MAX_MAILS_PER_DAY; i++) {
      expect((await sendEmailCode(api, anEmail())).status).toBe(200);
    }
    const email = anEmail();
    const refused = await sendEmailCode(api, email);
    expectRefusal(refused, EmailErrors.tooManyOtps);
    expect(await inboxOf(email)).toEqual([]);
    expect(secondsOf(refused)).toBeGreaterThan(82_000);
    expect(secondsOf(refused)).toBeLessThanOrEqual(82_800);
    const other = await aUser(service);
    expect((await sendEmailCode(other.api, email)).status).toBe(200);
    const nextDay = await wait(secondsOf(refused));
    expect((await sendEmailCode(nextDay, email)).status).toBe(200);
    expectRefusal(await sendEmailCode(nextDay, anEmail()), EmailErrors.tooManyOtps);
  });

  it('mails five of twelve codes that are requested in parallel on two replicas', async () => {
    const { api, user } = await aUser(service);
    const replica = await service.replica();
    const email = anEmail();
    const responses = await inParallel(12, (i) => sendEmailCode(i % 2 ? as(replica.api, user) : api, email));
    const accepted = responses.filter(({ status }) => status === 200);
    expect(accepted.map((response) => sentPayload(response).attemptsUsed).sort()).toEqual([0, 1, 2, 3, 4]);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expectRefusal(response, EmailErrors.tooManyOtps);
    }
    expect(await inboxOf(email)).toHaveLength(5);
  });
});

describe('POST /api/v1/email/verify-otp', () => {
  it('ends an email code after five wrong tries, and a resend restores none of them', async () => {
    const { api } = await aUser(service);
    const email = anEmail();
    const code = await emailCode(api, email);
    for (const left of [4, 3, 2]) {
      const refused = await verifyEmailCode(api, email, wrongCode(code));
      expectRefusal(refused, EmailErrors.otpWrong);
      expect(refused.text).toContain(`Tries left: ${left}.`);
    }
    await sendEmailCode(api, email);
    for (const left of ['1', '0. Ask for a new code']) {
      const refused = await verifyEmailCode(api, email, wrongCode(code));
      expectRefusal(refused, EmailErrors.otpWrong);
      expect(refused.text).toContain(`Tries left: ${left}."`);
    }
    const dead = await verifyEmailCode(api, email, code);
    expectRefusal(dead, EmailErrors.tooManyOtps);
    expect(secondsOf(dead)).toBeGreaterThanOrEqual(1);
    // a repeat with this code would never succeed
    expect(dead.text).toContain('Ask for a new code');
    await verifyEmail(api, email);
  });

  it('pauses sends and checks of one address for 30 minutes after 15 wrong codes within an hour', async () => {
    const { api, wait } = await aUser();
    const email = anEmail();
    for (let n = 0; n < 3; n++) {
      const code = await emailCode(api, email);
      for (let i = 0; i < 5; i++) await verifyEmailCode(api, email, wrongCode(code));
    }
    for (const paused of [await verifyEmailCode(api, email, '123456'), await sendEmailCode(api, email)]) {
      expectRefusal(paused, EmailErrors.tooManyOtps);
      expect(secondsOf(paused)).toBeGreaterThan(1_700);
    }
    await verifyEmail(api);
    await verifyEmail(await wait(1_801), email);
  });

  it('compares five of thirty parallel wrong email codes', async () => {
    const { api } = await aUser(service);
    const email = anEmail();
    const code = await emailCode(api, email);
    const responses = await inParallel(30, () => verifyEmailCode(api, email, wrongCode(code)));
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(5);
    for (const response of responses.filter(({ status }) => status !== 400)) {
      expectRefusal(response, EmailErrors.tooManyOtps);
    }
  });
});
