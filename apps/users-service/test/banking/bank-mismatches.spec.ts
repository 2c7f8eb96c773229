import { BankErrors, GeneralErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel, recordEvidence } from '@fd/testing';
import type { Response } from 'supertest';
import { MAX_MISMATCHES_PER_DAY } from '../../src/banking/verification/bank-limits.repository.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { bankBody, getVerification, payloadOf, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { runUsers, WHO } from '../support/operator.js';
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
