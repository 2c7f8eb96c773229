import { BankErrors, GeneralErrors } from '@fd/errors';
import { expectRefusal, inParallel } from '@fd/testing';
import type { Response } from 'supertest';
import { MAX_CHECKS_PER_DAY } from '../../src/banking/verification/bank-limits.repository.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { bankBody, getVerification, HOLDER, payloadOf, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

const DAY_SECONDS = 86_400;

describe('daily limit of bank verifications', () => {
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
  /** Inserts verifications that the user began `secondsAgo`. */
  const insertVerifications = (userId: string, count: number, secondsAgo = 0) =>
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
  function expectRetryAfter(response: Response, from: number, to: number) {
    expectRefusal(response, GeneralErrors.tooManyRequests);
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(from);
    expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(to);
  }

  it('allows a user exactly 60 new verifications a day over two replicas, and asks the bank for no more', async () => {
    expect(MAX_CHECKS_PER_DAY).toBe(60);
    const user = await aUser();
    await knownAs(service, user.user_id, HOLDER);
    const replica = as((await service.replica()).api, user);
    await insertVerifications(user.user_id, 55);
    const bodies = Array.from({ length: 8 }, () => bankBody());
    const responses = await Promise.all(bodies.map((body, i) => postBank(i % 2 ? user.api : replica, body)));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(3);
    for (const response of refused) expectRetryAfter(response, DAY_SECONDS - 60, DAY_SECONDS);
    for (const [i, { status }] of responses.entries())
      expect(await effectsOf('bank', bodies[i]!.account)).toHaveLength(status === 200 ? 1 : 0);
    const rows = await query('SELECT 1 FROM onboarding.bank_accounts WHERE user_id = $1', [user.user_id]);
    expect(rows).toHaveLength(5);
    // known accounts and other users are not limited
    const known = responses.findIndex(({ status }) => status === 200);
    const again = await postBank(user.api, { ...bodies[known]!, issuer_code: 'ARAVFIN' });
    expect(payloadOf(again)).toMatchObject({ is_synced: true });
    expect((await getVerification(user.api, payloadOf(again).verification_id)).status).toBe(200);
    expect((await postBank((await aUser()).api)).status).toBe(200);
  });

  it('allows another verification once the oldest is 24 hours old', async () => {
    const { api, user_id } = await aUser();
    await insertVerifications(user_id, 59);
    await insertVerifications(user_id, 1, DAY_SECONDS - 30);
    expectRetryAfter(await postBank(api), 1, 30);
    await query("UPDATE onboarding.bank_checks SET started_at = started_at - interval '30 seconds'");
    expect((await postBank(api)).status).toBe(200);
    expectRetryAfter(await postBank(api), DAY_SECONDS - 120, DAY_SECONDS - 30);
  });

  it('counts a refused account again when the bank checks it again, but not a repeat while the bank is down', async () => {
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
    await insertVerifications(user_id, 57);
    expectRefusal(await postBank(api, frozen), BankErrors.accountBlocked);
    await age();
    expectRetryAfter(await postBank(api, frozen), DAY_SECONDS - 60, DAY_SECONDS);
    expectRefusal(await postBank(api, away), BankErrors.unavailable);
    expect(await effectsOf('bank', frozen!.account)).toHaveLength(2);
  });

  it('deletes verifications that no longer count', async () => {
    const { user_id } = await aUser();
    await insertVerifications(user_id, 3, DAY_SECONDS + 1);
    await insertVerifications(user_id, 2, DAY_SECONDS - 60);
    await service.app.get(Jobs).runCleanup();
    expect(await countOf(user_id)).toBe(2);
  });

  it('counts an account once, however often or concurrently the user sends it', async () => {
    const { api, user_id } = await aUser();
    const body = bankBody();
    await inParallel(4, () => postBank(api, body));
    await postBank(api, body);
    expect(await countOf(user_id)).toBe(1);
  });
});
