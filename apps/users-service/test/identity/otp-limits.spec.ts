import { EmailErrors, LoginErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel, recordEvidence, RedisServer, TcpProxy } from '@fd/testing';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { MAX_MAILS_PER_DAY, OTP_POLICY } from '../../src/identity/otp/otp.policy.js';
import {
  anEmail,
  emailCode,
  expectOpenMailsCounted,
  sendEmailCode,
  sentPayload,
  verifyEmail,
  verifyEmailCode,
} from '../support/email.js';
import { aPhone, aPhoneEnding, codeOf, inboxOf, wrongCode } from '../support/inbox.js';
import { as, logIn, renewed, verifyBody } from '../support/login.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const VERIFY = '/auth/api/v2/register/verify';
const { maxSendsPerDay, maxWrongPerDay, maxTries } = OTP_POLICY;

describe('daily OTP limits after Redis has lost its counts', () => {
  let redis: RedisServer;
  let service: TestService;
  let replicas: UsersApp[];

  beforeAll(async () => {
    redis = await RedisServer.start();
    service = await startService({ REDIS_URL: redis.url });
    replicas = [service, await service.replica(), await service.replica()];
  });
  afterAll(async () => {
    await service.close();
    await redis.stop();
  });

  const flushRedis = () => redis.command('FLUSHALL');
  const register = (phone: string, on: UsersApp = service) => on.api.post('/auth/register', { phone });
  const verify = (phone: string, code: string, on: UsersApp = service) =>
    on.api.post(VERIFY, verifyBody(phone, code));
  const replicaFor = (i: number) => replicas[i % replicas.length]!;
  const secondsOf = (response: { headers: Record<string, string> }) =>
    Number(response.headers['retry-after']);

  /** Sends codes, and flushes the counts before Redis would refuse. */
  async function send(phone: string, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      if (i % OTP_POLICY.maxSends === 0) await flushRedis();
      expect((await register(phone, replicaFor(i))).status).toBe(201);
    }
    await flushRedis();
  }

  /** Uses all tries of each of CODES codes, and flushes the counts each time. */
  async function guess(phone: string, codes: number): Promise<void> {
    for (let i = 0; i < codes; i++) {
      await flushRedis();
      await register(phone);
      const wrong = wrongCode(await codeOf(phone));
      const answers = await inParallel(maxTries, (n) => verify(phone, wrong, replicaFor(n)));
      for (const answer of answers) expectRefusal(answer, LoginErrors.otpWrong);
    }
    await flushRedis();
  }

  it('answers a code lost by Redis like a code that was never sent', async () => {
    const phone = aPhone();
    await register(phone);
    const code = await codeOf(phone);
    const never = await verify(aPhone(), code);
    await flushRedis();
    const lost = await verify(phone, code);
    expectRefusal(lost, LoginErrors.otpExpired);
    expect(lost.body).toEqual(never.body);
  });

  it('accepts exactly the remaining sends of a day, in parallel on three replicas', async () => {
    for (let round = 0; round < 5; round++) {
      const phone = aPhone();
      await send(phone, maxSendsPerDay - 3);
      // some of them are counted within one millisecond
      const answers = await inParallel(5, (i) => register(phone, replicaFor(i)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
      const refused = answers.filter(({ status }) => status !== 201);
      for (const answer of refused) {
        expectRefusal(answer, LoginErrors.tooManySends);
        expect(secondsOf(answer)).toBeGreaterThan(86_000);
        expect(secondsOf(answer)).toBeLessThanOrEqual(86_400);
      }
      await flushRedis();
      expectRefusal(await register(phone), LoginErrors.tooManySends);
      expect(await inboxOf(phone)).toHaveLength(maxSendsPerDay);
    }
    recordEvidence('day-limits-outlive-redis', {
      replicas: 3,
      sends: maxSendsPerDay + 2,
      sent: maxSendsPerDay,
    });
  });

  it('compares exactly the remaining wrong codes of a day, then refuses the right code and further sends', async () => {
    const phone = aPhone();
    await guess(phone, maxWrongPerDay / maxTries - 1);
    // five are left, for two codes
    await register(phone);
    const first = await codeOf(phone);
    for (let i = 0; i < 3; i++) expectRefusal(await verify(phone, wrongCode(first)), LoginErrors.otpWrong);
    await flushRedis();
    await register(phone);
    const code = await codeOf(phone);
    const answers = await inParallel(maxTries - 1, (i) => verify(phone, wrongCode(code), replicaFor(i)));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(2);
    for (const answer of answers.filter(({ status }) => status !== 400))
      expectRefusal(answer, LoginErrors.tooManyTries);
    for (const refused of [await verify(phone, code), await register(phone)]) {
      expectRefusal(refused, LoginErrors.tooManyTries);
      expect(secondsOf(refused)).toBeGreaterThan(86_000);
    }
    await flushRedis();
    expectRefusal(await register(phone), LoginErrors.tooManyTries);
  });

  it('refuses the right code of a phone without wrong checks left, although Redis has no count of them', async () => {
    const phone = aPhone();
    await guess(phone, 1);
    await register(phone);
    const code = await codeOf(phone);
    await service.dataSource.query(
      `UPDATE onboarding.otp_counts SET wrong_checks = array_fill(now(), ARRAY[${maxWrongPerDay}])
        WHERE cardinality(wrong_checks) = ${maxTries}`,
    );
    const refused = await verify(phone, code);
    expectRefusal(refused, LoginErrors.tooManyTries);
    expect(secondsOf(refused)).toBeGreaterThan(86_000);
    expectRefusal(await verify(phone, code), LoginErrors.tooManyTries);
  });

  it.each([
    ['', () => undefined],
    [', which has lost them', flushRedis],
  ])('keeps the daily sends of a phone after a login in Redis%s', async (_name, loseCounts) => {
    const phone = aPhone();
    for (let sends = 0; sends < maxSendsPerDay; sends++) {
      // each login resets the window
      expect((await register(phone)).body.payload.attemptsUsed).toBe(0);
      expect((await verify(phone, await codeOf(phone))).status).toBe(200);
      await loseCounts();
    }
    const refused = await register(phone);
    expectRefusal(refused, LoginErrors.tooManySends);
    expect(secondsOf(refused)).toBeGreaterThan(86_000);
    expect(await inboxOf(phone)).toHaveLength(maxSendsPerDay);
  });

  it('resets the wrong checks of a day with a login', async () => {
    const phone = aPhone();
    await guess(phone, 1);
    await logIn(service, phone);
    const index =
      'SELECT cardinality(wrong_checks) AS wrong FROM onboarding.otp_counts ORDER BY last_at DESC LIMIT 1';
    expect(await service.dataSource.query(index)).toEqual([{ wrong: 0 }]);
  });

  it('does not count a send that every provider refused against the daily limit', async () => {
    const counted = async () =>
      (
        await service.dataSource.query<[{ sends: string }]>(
          'SELECT coalesce(sum(cardinality(sends)), 0) AS sends FROM onboarding.otp_counts',
        )
      )[0].sends;
    const before = await counted();
    for (let i = 0; i < 3; i++)
      expectRefusal(await register(aPhoneEnding('0503')), LoginErrors.smsUnavailable);
    expect(await counted()).toBe(before);
    await register(aPhone());
    expect(Number(await counted())).toBe(Number(before) + 1);
  });

  it('limits the wrong codes of an email address and the mails of a user within a day', async () => {
    const api = as(service.api, await logIn(service));
    const email = anEmail();
    for (let i = 0; i < maxWrongPerDay / maxTries; i++) {
      await flushRedis();
      const wrong = wrongCode(await emailCode(api, email));
      for (let n = 0; n < maxTries; n++)
        expectRefusal(await verifyEmailCode(api, email, wrong), EmailErrors.otpWrong);
    }
    await flushRedis();
    const refused = await sendEmailCode(api, email);
    expectRefusal(refused, EmailErrors.tooManyOtps);
    expect(secondsOf(refused)).toBeGreaterThan(86_000);
    // the refused send was not counted
    const rest = MAX_MAILS_PER_DAY - maxWrongPerDay / maxTries;
    const answers = [];
    for (let i = 0; i < rest + 2; i++) answers.push((await sendEmailCode(api, anEmail())).status);
    expect(answers.filter((status) => status === 200)).toHaveLength(rest);
  });

  it('deletes the daily counts 25 hours after the last one', async () => {
    const count = async () =>
      (
        await service.dataSource.query<[{ count: number }]>(
          'SELECT count(*)::int AS count FROM onboarding.otp_counts',
        )
      )[0].count;
    await register(aPhone());
    const before = await count();
    await service.dataSource.query(
      "UPDATE onboarding.otp_counts SET last_at = now() - interval '25 hours' WHERE ctid = (SELECT max(ctid) FROM onboarding.otp_counts)",
    );
    await service.app.get(Jobs).runCleanup();
    expect(await count()).toBe(before - 1);
  });

  it('sends codes and counts them in Redis alone while PostgreSQL is unreachable', async () => {
    const postgres = await TcpProxy.before(service.environment['DATABASE_URL']!);
    const lonely = await service.replica({ DATABASE_URL: postgres.url });
    for (const fault of ['cut', 'freeze'] as const) {
      postgres[fault]();
      const phone = aPhone();
      for (let i = 0; i < OTP_POLICY.maxSends; i++) expect((await register(phone, lonely)).status).toBe(201);
      expectRefusal(await register(phone, lonely), LoginErrors.tooManySends);
      postgres.heal();
    }
    await eventually(async () =>
      expect((await lonely.api.get('/health/ready')).body).toMatchObject({ checks: { postgres: 'up' } }),
    );
    await postgres.close();
  });
});

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
    clock.advanceSeconds(440);
    const second = sentPayload(await sendEmailCode(api, email));
    expect([second.startTime, second.endTime]).toEqual([first.startTime, first.endTime]);
    clock.advanceSeconds(41);
    const third = sentPayload(await sendEmailCode(api, email));
    expect(Date.parse(third.startTime) - Date.parse(first.startTime)).toBeGreaterThanOrEqual(481_000);
    const [newest, second_, oldest] = (await inboxOf(email)).map(({ code }) => code);
    expect(second_).toBe(oldest);
    expect(newest).not.toBe(oldest);
  });

  it('mails the same code five times in 15 minutes, then returns 429 with Retry-After', async () => {
    const { api, wait } = await aUser();
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
    expect((await sendEmailCode(await wait(secondsOf(refused)), email)).status).toBe(200);
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

describe('POST /api/v1/email/send-otp over a mail server that hangs up after the text', () => {
  it('counts a mail that may still arrive against the daily limit', () =>
    expectOpenMailsCounted(service, { message: 'reset' }));
});
