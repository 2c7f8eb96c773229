import { BankErrors, GeneralErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import type { Response } from 'supertest';
import {
  BankChecksRepository,
  MAX_CHECKS_PER_DAY,
} from '../../src/banking/verification/bank-checks.repository.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { bankBody, getVerification, payloadOf, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { startService, type TestService } from '../support/users-app.js';

const DAY_SECONDS = 86_400;

describe('accounts that one user has verified within 24 hours', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const query = <Row>(sql: string, parameters: unknown[] = []) =>
    service.dataSource.query<Row[]>(sql, parameters);

  async function aUser() {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  }
  /** Verifications that the user began so many seconds ago. */
  const began = (userId: string, count: number, secondsAgo = 0) =>
    query(
      `INSERT INTO onboarding.bank_checks (id, user_id, started_at)
       SELECT gen_random_uuid(), $1, now() - make_interval(secs => $3) FROM generate_series(1, $2)`,
      [userId, count, secondsAgo],
    );
  const countOf = async (userId: string) =>
    (
      await query<{ count: number }>(
        'SELECT count(*)::int AS count FROM onboarding.bank_checks WHERE user_id = $1',
        [userId],
      )
    )[0]!.count;
  function expectToWait(response: Response, from: number, to: number) {
    expectRefusal(response, GeneralErrors.tooManyRequests);
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(from);
    expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(to);
  }

  it('are 60 new ones, exactly, over replicas; no bank hears of more', async () => {
    expect(MAX_CHECKS_PER_DAY).toBe(60);
    const user = await aUser();
    const replica = as((await service.replica()).api, user);
    await began(user.user_id, 55);
    const bodies = Array.from({ length: 8 }, () => bankBody());
    const responses = await Promise.all(bodies.map((body, i) => postBank(i % 2 ? user.api : replica, body)));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(3);
    for (const response of refused) expectToWait(response, DAY_SECONDS - 60, DAY_SECONDS);
    for (const [i, { status }] of responses.entries())
      expect(await effectsOf('bank', bodies[i]!.account)).toHaveLength(status === 200 ? 1 : 0);
    const rows = await query('SELECT 1 FROM onboarding.bank_accounts WHERE user_id = $1', [user.user_id]);
    expect(rows).toHaveLength(5);
    // what is known goes on, and so do others
    const known = responses.findIndex(({ status }) => status === 200);
    const again = await postBank(user.api, { ...bodies[known]!, issuer_code: 'ARAVFIN' });
    expect(payloadOf(again)).toMatchObject({ is_synced: true });
    expect((await getVerification(user.api, payloadOf(again).verification_id)).status).toBe(200);
    expect((await postBank((await aUser()).api)).status).toBe(200);
  });

  it('count once for an account, however often and at once it is given', async () => {
    const { api, user_id } = await aUser();
    const body = bankBody();
    await Promise.all([0, 1, 2, 3].map(() => postBank(api, body)));
    await postBank(api, body);
    expect(await countOf(user_id)).toBe(1);
  });

  it('may be more once the first of them is a day ago', async () => {
    const { api, user_id } = await aUser();
    await began(user_id, 59);
    await began(user_id, 1, DAY_SECONDS - 30);
    expectToWait(await postBank(api), 1, 30);
    await query("UPDATE onboarding.bank_checks SET started_at = started_at - interval '30 seconds'");
    expect((await postBank(api)).status).toBe(200);
    expectToWait(await postBank(api), DAY_SECONDS - 120, DAY_SECONDS - 30);
  });

  it('include one that a bank has refused and is asked about anew, not one that it has not decided', async () => {
    const { api, user_id } = await aUser();
    const [frozen, away] = ['0423', '0503'].map((ending) => bankBody({ account: anAccount(ending) }));
    const age = () =>
      query("UPDATE onboarding.bank_accounts SET settled_at = settled_at - interval '1 minute'");
    expectRefusal(await postBank(api, frozen), BankErrors.accountBlocked);
    expectRefusal(await postBank(api, away), BankErrors.unavailable);
    expectRefusal(await postBank(api, away), BankErrors.unavailable);
    expect(await countOf(user_id)).toBe(2);
    await age();
    expectRefusal(await postBank(api, frozen), BankErrors.accountBlocked);
    expect(await countOf(user_id)).toBe(3);
    await began(user_id, 57);
    expectRefusal(await postBank(api, frozen), BankErrors.accountBlocked);
    await age();
    expectToWait(await postBank(api, frozen), DAY_SECONDS - 60, DAY_SECONDS);
    expectRefusal(await postBank(api, away), BankErrors.unavailable);
    expect(await effectsOf('bank', frozen!.account)).toHaveLength(2);
  });

  it('are deleted by clean-up when they count no more', async () => {
    const { user_id } = await aUser();
    await began(user_id, 3, DAY_SECONDS + 1);
    await began(user_id, 2, DAY_SECONDS - 60);
    await service.app.get(Jobs).runCleanup();
    expect(await countOf(user_id)).toBe(2);
    expect(await service.app.get(BankChecksRepository).purgeOld()).toBe(0);
  });
});
