import { BankErrors, GeneralErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel, recordEvidence } from '@fd/testing';
import type { Response } from 'supertest';
import {
  MAX_CHECKS_PER_DAY,
  MAX_MISMATCHES_PER_DAY,
} from '../../src/banking/verification/bank-limits.repository.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { bankBody, getVerification, HOLDER, payloadOf, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { runUsers, WHO } from '../support/operator.js';
import { knownAs } from '../support/pan.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const DAY_SECONDS = 86_400;
/** The name at the sandbox's bank for accounts that end in 1055, unless the first call sends this name. */
const AT_BANK = 'Gopal Venkataraman';
/** Names that differ from AT_BANK and from each other. */
const WRONG = [
  'Farhan Qureshi',
  'Meera Reddy',
  'Zubin Mistry',
  'Asha Rao',
  'Lobsang Tenzin',
  'Nikhil Joshi',
  'Tara Banerjee',
  'Imran Sheikh',
];

describe('daily limit of names that differ from the name at the bank', () => {
  let service: TestService;
  let other: UsersApp;
  beforeAll(async () => {
    service = await startService();
    other = await service.replica();
  });
  afterAll(() => service.close());

  const query = <Row>(sql: string, parameters: unknown[] = []) =>
    service.dataSource.query<Row[]>(sql, parameters);
  async function aUser() {
    const user = await logIn(service);
    return {
      ...user,
      api: as(service.api, user),
      on: (i: number) => as((i % 2 ? other : service).api, user),
    };
  }
  const guess = (api: ApiClient, account: string, name: string) =>
    postBank(api, bankBody({ account, account_holder_full_name: name }));
  /** Sends all wrong names in parallel, and expects that five are compared. */
  async function expectFiveCompared(apiOf: (i: number) => ApiClient, accountOf: (i: number) => string) {
    const answers = await inParallel(WRONG.length, (i) => guess(apiOf(i), accountOf(i), WRONG[i]!));
    const refused = answers.filter(({ status }) => status === 400);
    for (const answer of refused) expectRefusal(answer, BankErrors.holderDiffers);
    for (const answer of answers) if (answer.status !== 400) expectTooMany(answer);
    expect(refused).toHaveLength(5);
  }
  const mismatchesOf = (...userIds: string[]) =>
    query('SELECT 1 FROM onboarding.bank_mismatches WHERE user_id = ANY($1)', [userIds]);
  function expectTooMany(response: Response) {
    expectRefusal(response, GeneralErrors.tooManyRequests);
    const seconds = Number(response.headers['retry-after']);
    expect(seconds).toBeGreaterThan(DAY_SECONDS - 120);
    expect(seconds).toBeLessThanOrEqual(DAY_SECONDS);
  }

  // the longest first: Jest runs five at a time
  it.concurrent(
    'counts a mismatch that the worker finds once, and does not count repeats of a pending call',
    async () => {
      const { api, user_id } = await aUser();
      // the bank knows the holder by the name of the first call
      const body = bankBody({ account: anAccount('0202') });
      const pending = await postBank(api, body);
      expect(pending.status).toBe(202);
      expect((await postBank(api, { ...body, account_holder_full_name: WRONG[0] })).status).toBe(202);
      const { verification_id: id } = payloadOf(pending);
      await eventually(async () => expectRefusal(await getVerification(api, id), BankErrors.holderDiffers));
      expect(await mismatchesOf(user_id)).toHaveLength(1);
      expect((await postBank(api, body)).status).toBe(200);
      expect(await mismatchesOf(user_id)).toHaveLength(1);
    },
  );

  it.concurrent(
    'answers 1517 after five mismatches of a user, for other accounts and the right name too',
    async () => {
      expect(MAX_MISMATCHES_PER_DAY).toBe(5);
      const { api, user_id } = await aUser();
      const account = anAccount('1055');
      for (const name of [...WRONG.slice(0, 4), WRONG[0]!])
        expectRefusal(await guess(api, account, name), BankErrors.holderDiffers);
      expect(await mismatchesOf(user_id)).toHaveLength(5);
      expectTooMany(await guess(api, account, WRONG[5]!));
      expectTooMany(await guess(api, account, AT_BANK));
      const another = anAccount();
      expectTooMany(await guess(api, another, WRONG[0]!));
      // the bank was not asked, and nothing more was counted
      expect(await effectsOf('bank', another)).toEqual([]);
      expect(await mismatchesOf(user_id)).toHaveLength(5);
      await query(
        "UPDATE onboarding.bank_mismatches SET created_at = created_at - interval '1 day' WHERE user_id = $1",
        [user_id],
      );
      expect((await guess(api, account, AT_BANK)).status).toBe(200);
    },
  );

  it.concurrent('counts an account once, regardless of its branch or leading zeros', async () => {
    const account = anAccount('1055');
    const given = (i: number) => ({
      account: i % 2 ? account : `0${account}`,
      ifsc: `HDFC000${1_000 + i}`,
      account_holder_full_name: WRONG[i],
    });
    for (let i = 0; i < 5; i++)
      expectRefusal(await postBank((await aUser()).api, bankBody(given(i))), BankErrors.holderDiffers);
    for (const i of [5, 6]) expectTooMany(await postBank((await aUser()).api, bankBody(given(i))));
  });

  it.concurrent(
    'answers 1517 after five mismatches of an account, to every user except the one with the accepted name',
    async () => {
      const account = anAccount('1055');
      const holder = await aUser();
      const body = bankBody({ account, account_holder_full_name: AT_BANK });
      expectRefusal(await guess(holder.api, account, WRONG[0]!), BankErrors.holderDiffers);
      expect((await postBank(holder.api, body)).status).toBe(200);
      for (const name of WRONG.slice(1, 5))
        expectRefusal(await guess((await aUser()).api, account, name), BankErrors.holderDiffers);
      const late = await aUser();
      expectTooMany(await guess(late.api, account, AT_BANK));
      // another account is not affected
      expect((await guess(late.api, anAccount(), AT_BANK)).status).toBe(200);
      expect((await postBank(holder.api, body)).status).toBe(200);
      expectTooMany(await guess(holder.api, account, WRONG[6]!));
    },
  );

  it.concurrent(
    'compares exactly five wrong names of concurrent calls about one account on two replicas',
    async () => {
      const user = await aUser();
      const account = anAccount('1055');
      await expectFiveCompared(user.on, () => account);
      expect(await mismatchesOf(user.user_id)).toHaveLength(5);
      expectTooMany(await guess(user.api, account, AT_BANK));
    },
  );

  it.concurrent(
    'compares exactly five wrong names of concurrent calls about different accounts on two replicas',
    async () => {
      const user = await aUser();
      const accounts = WRONG.map(() => anAccount('1055'));
      await expectFiveCompared(user.on, (i) => accounts[i]!);
      expect(await mismatchesOf(user.user_id)).toHaveLength(5);
    },
  );

  it.concurrent(
    'compares exactly five wrong names of concurrent calls of different users about one account',
    async () => {
      const users = await inParallel(WRONG.length, () => aUser());
      const account = anAccount('1055');
      await expectFiveCompared(
        (i) => users[i]!.on(i),
        () => account,
      );
      expect(await mismatchesOf(...users.map(({ user_id }) => user_id))).toHaveLength(5);
      recordEvidence('bank-name-guesses', { users: WRONG.length, replicas: 2, compared: 5 });
    },
  );

  it('keeps the count of an account when the users who guessed are erased', async () => {
    const account = anAccount('1055');
    const guessers = await inParallel(5, () => aUser());
    for (const [i, { api }] of guessers.entries())
      expectRefusal(await guess(api, account, WRONG[i]!), BankErrors.holderDiffers);
    for (const { user_id } of guessers)
      expect(await runUsers(service, '', 'erase', '--user', user_id, ...WHO)).toContain(
        'deleted\tusers\t1\n',
      );
    expectTooMany(await guess((await aUser()).api, account, WRONG[5]!));
  });

  it('deletes mismatches that no longer count', async () => {
    const { api, user_id } = await aUser();
    const account = anAccount('1055');
    for (const name of WRONG.slice(0, 2)) await guess(api, account, name);
    await query(
      `UPDATE onboarding.bank_mismatches SET created_at = created_at - interval '1 day'
        WHERE id = (SELECT id FROM onboarding.bank_mismatches WHERE user_id = $1 ORDER BY id LIMIT 1)`,
      [user_id],
    );
    await service.app.get(Jobs).runCleanup();
    expect(await mismatchesOf(user_id)).toHaveLength(1);
  });
});

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
