import { EmailErrors, LoginErrors } from '@fd/errors';
import { eventually, expectRefusal, recordEvidence, RedisServer, TcpProxy } from '@fd/testing';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { MAX_MAILS_PER_DAY, OTP_POLICY } from '../../src/identity/otp/otp.policy.js';
import { anEmail, emailCode, sendEmailCode, verifyEmailCode } from '../support/email.js';
import { aPhone, aPhoneEnding, codeOf, inboxOf, wrongCode } from '../support/inbox.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const VERIFY = '/auth/api/v2/register/verify';
const { maxSendsPerDay, maxWrongPerDay, maxTries } = OTP_POLICY;

describe('limits of a day, when Redis has lost what it counted', () => {
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

  const lose = () => redis.command('FLUSHALL');
  const register = (phone: string, on: UsersApp = service) => on.api.post('/auth/register', { phone });
  const verify = (phone: string, code: string, on: UsersApp = service) =>
    on.api.post(VERIFY, verifyBody(phone, code));
  const one = (i: number) => replicas[i % replicas.length]!;
  const secondsOf = (response: { headers: Record<string, string> }) =>
    Number(response.headers['retry-after']);

  /** Sends codes, and loses the counts before Redis would refuse. */
  async function send(phone: string, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      if (i % OTP_POLICY.maxSends === 0) await lose();
      expect((await register(phone, one(i))).status).toBe(201);
    }
    await lose();
  }

  /** Wrong checks, as many of one code as it takes, and each time the counts are lost. */
  async function guess(phone: string, codes: number): Promise<void> {
    for (let i = 0; i < codes; i++) {
      await lose();
      await register(phone);
      const wrong = wrongCode(await codeOf(phone));
      const answers = await Promise.all(
        Array.from({ length: maxTries }, (_, n) => verify(phone, wrong, one(n))),
      );
      for (const answer of answers) expectRefusal(answer, LoginErrors.otpWrong);
    }
    await lose();
  }

  it('an open code fails as if there had been none', async () => {
    const phone = aPhone();
    await register(phone);
    const code = await codeOf(phone);
    const never = await verify(aPhone(), code);
    await lose();
    const lost = await verify(phone, code);
    expectRefusal(lost, LoginErrors.otpExpired);
    expect(lost.body).toEqual(never.body);
  });

  it('exactly the rest of the sends is accepted, of parallel ones on three replicas', async () => {
    const phone = aPhone();
    await send(phone, maxSendsPerDay - 3);
    const answers = await Promise.all(Array.from({ length: 5 }, (_, i) => register(phone, one(i))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) {
      expectRefusal(answer, LoginErrors.tooManySends);
      expect(secondsOf(answer)).toBeGreaterThan(86_000);
      expect(secondsOf(answer)).toBeLessThanOrEqual(86_400);
    }
    expect(await inboxOf(phone)).toHaveLength(maxSendsPerDay);
    recordEvidence('day-limits-outlive-redis', {
      replicas: 3,
      sends: maxSendsPerDay + 2,
      sent: maxSendsPerDay,
    });
  });

  it('exactly the rest of the wrong checks is told, and then neither a right code nor a send is accepted', async () => {
    const phone = aPhone();
    await guess(phone, maxWrongPerDay / maxTries - 1);
    // five are left, for two codes
    await register(phone);
    const first = await codeOf(phone);
    for (let i = 0; i < 3; i++) expectRefusal(await verify(phone, wrongCode(first)), LoginErrors.otpWrong);
    await lose();
    await register(phone);
    const code = await codeOf(phone);
    const answers = await Promise.all(
      Array.from({ length: maxTries - 1 }, (_, i) => verify(phone, wrongCode(code), one(i))),
    );
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(2);
    for (const answer of answers.filter(({ status }) => status !== 400))
      expectRefusal(answer, LoginErrors.tooManyTries);
    for (const refused of [await verify(phone, code), await register(phone)]) {
      expectRefusal(refused, LoginErrors.tooManyTries);
      expect(secondsOf(refused)).toBeGreaterThan(86_000);
    }
    await lose();
    expectRefusal(await register(phone), LoginErrors.tooManyTries);
  });

  it('a right code whose phone has no wrong checks left logs nobody in, though Redis does not know', async () => {
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

  it('a login starts them anew', async () => {
    const phone = aPhone();
    await send(phone, maxSendsPerDay - 1);
    await logIn(service, phone);
    await send(phone, maxSendsPerDay - 1);
    expect((await register(phone)).status).toBe(201);
    expectRefusal(await register(phone), LoginErrors.tooManySends);
  });

  it('a send that every provider refused is not counted', async () => {
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

  it('hold for email: wrong checks of an address, and mails of a user', async () => {
    const api = as(service.api, await logIn(service));
    const email = anEmail();
    for (let i = 0; i < maxWrongPerDay / maxTries; i++) {
      await lose();
      const wrong = wrongCode(await emailCode(api, email));
      for (let n = 0; n < maxTries; n++)
        expectRefusal(await verifyEmailCode(api, email, wrong), EmailErrors.otpWrong);
    }
    await lose();
    const refused = await sendEmailCode(api, email);
    expectRefusal(refused, EmailErrors.tooManyOtps);
    expect(secondsOf(refused)).toBeGreaterThan(86_000);
    // the refused one was given back
    const rest = MAX_MAILS_PER_DAY - maxWrongPerDay / maxTries;
    const answers = [];
    for (let i = 0; i < rest + 2; i++) answers.push((await sendEmailCode(api, anEmail())).status);
    expect(answers.filter((status) => status === 200)).toHaveLength(rest);
  });

  it('are kept for a day, under keyed hashes', async () => {
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

  it('are counted in Redis alone while PostgreSQL is away, for who asks for a code', async () => {
    const postgres = await TcpProxy.before(service.environment['DATABASE_URL']!);
    const lonely = await service.replica({ DATABASE_URL: postgres.url });
    for (const fault of ['cut', 'freeze'] as const) {
      postgres[fault]();
      const phone = aPhone();
      for (let i = 0; i < OTP_POLICY.maxSends; i++) expect((await register(phone, lonely)).status).toBe(201);
      expectRefusal(await register(phone, lonely), LoginErrors.tooManySends);
      postgres.heal();
    }
    await eventually(async () => expect((await lonely.api.get('/health/ready')).status).toBe(200));
    await postgres.close();
  });
});
