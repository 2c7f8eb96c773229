import type { GivenConsent } from '@fd/contracts';
import {
  BankErrors,
  ConsentErrors,
  GeneralErrors,
  IssuerErrors,
  JourneyErrors,
  SessionErrors,
} from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel, recordEvidence } from '@fd/testing';
import type { Response } from 'supertest';
import { CHECKS, MISMATCHES } from '../../src/banking/verification/bank-limits.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { UsersRepository } from '../../src/identity/index.js';
import {
  BANK_PATH,
  bankBody,
  getVerification,
  HOLDER,
  payloadOf,
  postBank,
  verifyBank,
} from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount, issuerPath } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { runUsers, WHO } from '../support/operator.js';
import { knownAs, verifyPan } from '../support/pan.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function aUser() {
  const user = await logIn(service);
  return { ...user, api: as(service.api, user) };
}

/** Creates a user with a verified PAN, so that issuers register accounts in that name. */
async function aKnownUser(fullName = HOLDER) {
  const user = await aUser();
  await knownAs(service, user.user_id, fullName);
  return user;
}

const pennies = (account: string) => effectsOf('bank', account);
const registrations = (slug: string, account: string) => effectsOf(`issuer:${slug}`, account);
const bankStep = async (userId: string, slug: string) => {
  const [row] = await service.dataSource.query<{ state: string; reason: string | null }[]>(
    `SELECT state, reason FROM onboarding.journey_steps
      WHERE user_id = $1 AND issuer_slug = $2 AND step = 'BANK'`,
    [userId, slug],
  );
  return row;
};
/** Makes refusals old enough for the next call to ask again. */
const age = (table: 'bank_accounts' | 'bank_syncs') =>
  service.dataSource.query(
    `UPDATE onboarding.${table} SET settled_at = settled_at - interval '1 minute'
      WHERE settled_at IS NOT NULL`,
  );

describe('POST /api/v1/bank/sync-to-issuer', () => {
  it('verifies an account and registers it at the issuer', async () => {
    const user = await aKnownUser();
    const body = bankBody({ issuer_code: 'ARAVFIN' });
    const response = await postBank(user.api, body);
    expect(response.body).toEqual({
      success: 1,
      statusCode: 200,
      message: 'Bank account verified',
      payload: {
        is_bank_verified: true,
        verification_id: expect.any(String) as string,
        account: `XXXXXXXXXX${body.account.slice(-4)}`,
        ifsc: body.ifsc,
        bank_name: 'HDFC Bank',
        name_match: { score: 100, band: 'EXACT', reasons: expect.any(Array) as string[] },
        is_synced: true,
        issuer_code: 'ARAVFIN',
        issuer_reference: expect.any(String) as string,
      },
    });
    expect(await pennies(body.account)).toMatchObject([{ calls: 1 }]);
    expect(await registrations('aravalli', body.account)).toMatchObject([{ calls: 1 }]);
    expect(await bankStep(user.user_id, 'aravalli')).toEqual({ state: 'DONE', reason: null });
  });

  it('answers a repeated call like the first, without another call to bank or issuer', async () => {
    const { api } = await aKnownUser();
    const body = bankBody({ issuer_code: 'NILHFC' });
    const first = await postBank(api, body);
    expect((await postBank(api, body)).body).toEqual(first.body);
    const verification = await getVerification(api, payloadOf(first).verification_id);
    expect([verification.status, payloadOf(verification)]).toEqual([200, payloadOf(first)]);
    expect(await pennies(body.account)).toMatchObject([{ calls: 1 }]);
    expect(await registrations('nilgiri', body.account)).toMatchObject([{ calls: 1 }]);
  });

  it('answers a call with the headers Origin and Referer like one without them', async () => {
    const { api } = await aKnownUser();
    const body = bankBody();
    const headers = { origin: 'https://app.partner.example', referer: 'https://app.partner.example/bank' };
    const response = await api.post(BANK_PATH, body, { headers });
    expect(response.status).toBe(200);
    expect((await postBank(api, body)).body).toEqual(response.body);
  });

  describe('account holder', () => {
    it.each<[string, object, Record<string, string> | undefined]>([
      [
        'a full name in another letter case and spacing',
        { account_holder_full_name: '  asha   KUMARI rao ' },
        undefined,
      ],
      [
        'a first and a last name',
        { account_holder_first_name: 'Asha Kumari', account_holder_last_name: 'Rao' },
        undefined,
      ],
      [
        'a first name that holds the whole name',
        { account_holder_first_name: 'Asha Kumari Rao', account_holder_last_name: '' },
        undefined,
      ],
      [
        'a first name and a dot as last name',
        { account_holder_first_name: 'Asha Kumari Rao', account_holder_last_name: '.' },
        undefined,
      ],
      [
        'a first name without a last name',
        { account_holder_first_name: 'Asha Kumari Rao', account_holder_last_name: null },
        undefined,
      ],
      [
        'the query when the body has a blank name',
        { account_holder_full_name: ' ' },
        { account_holder_name: HOLDER },
      ],
      [
        'the full name in the body before all other names',
        { account_holder_full_name: HOLDER, account_holder_first_name: 'Someone' },
        { account_holder_name: 'An0ther' },
      ],
    ])('takes the account holder from %s', async (_name, names, query) => {
      const { api } = await aUser();
      const given = { ...bankBody(), account_holder_full_name: null, ...names };
      expect(payloadOf(await postBank(api, given, query))).toMatchObject({ is_bank_verified: true });
      // the sandbox names the holder by the first call
      expectRefusal(
        await postBank(api, { ...given, account_holder_full_name: 'Farhan Qureshi' }),
        BankErrors.holderDiffers,
      );
      expect(payloadOf(await postBank(api, { ...given, account_holder_full_name: HOLDER }))).toMatchObject({
        name_match: { score: 100 },
      });
    });

    it('takes the PAN holder as account holder when the call names none', async () => {
      const { api } = await aUser();
      const { full_name } = await verifyPan(api);
      const body = bankBody({ account_holder_full_name: undefined });
      expect(payloadOf(await postBank(api, body))).toMatchObject({ is_bank_verified: true });
      expect(payloadOf(await postBank(api, { ...body, account_holder_full_name: full_name }))).toMatchObject({
        name_match: { score: 100, band: 'EXACT' },
      });
    });

    it('rejects a call without a holder name from a user without a PAN, and does not ask the bank', async () => {
      const { api } = await aUser();
      const body = bankBody({ account_holder_full_name: '', account_holder_last_name: '.' });
      const response = await postBank(api, body);
      expectRefusal(response, BankErrors.fieldMissing);
      expect(response.text).toContain('Also enter the name of the account holder.');
      expect(await pennies(body.account)).toEqual([]);
    });

    it('refuses a holder who differs from the PAN holder, and does not ask the bank', async () => {
      const { api, user_id } = await aUser();
      await verifyPan(api);
      const body = bankBody({ account_holder_full_name: 'Zwingli Xu', issuer_code: 'ARAVFIN' });
      expectRefusal(await postBank(api, body), BankErrors.holderDiffers);
      expect(await pennies(body.account)).toEqual([]);
      expect(await bankStep(user_id, 'aravalli')).toEqual({
        state: 'FAILED',
        reason: BankErrors.holderDiffers.code,
      });
    });

    it('refuses a holder who differs from the name at the bank, and compares another name without asking the bank again', async () => {
      const { api, user_id } = await aUser();
      const body = bankBody({ account: anAccount('1055'), issuer_code: 'ARAVFIN' });
      expectRefusal(await postBank(api, body), BankErrors.holderDiffers);
      expectRefusal(await postBank(api, body), BankErrors.holderDiffers);
      expect(await registrations('aravalli', body.account)).toEqual([]);
      expect(await bankStep(user_id, 'aravalli')).toEqual({
        state: 'FAILED',
        reason: BankErrors.holderDiffers.code,
      });
      await knownAs(service, user_id, 'Gopal Venkataraman');
      const right = await postBank(api, { ...body, account_holder_full_name: 'Gopal Venkataraman' });
      expect(payloadOf(right)).toMatchObject({ is_bank_verified: true, is_synced: true });
      expect(await pennies(body.account)).toMatchObject([{ calls: 1 }]);
      expect(await registrations('aravalli', body.account)).toMatchObject([{ calls: 1 }]);
      expect(await bankStep(user_id, 'aravalli')).toEqual({ state: 'DONE', reason: null });
      const { verification_id } = payloadOf(right);
      expect(payloadOf(await getVerification(api, verification_id))).toEqual(payloadOf(right));
    });
  });

  describe('refused account', () => {
    it.each([
      ['frozen', '0423'],
      ['closed', '0424'],
    ])(
      'refuses a %s account, and asks the bank again once the refusal is a minute old',
      async (_name, ending) => {
        const { api, user_id } = await aUser();
        const body = bankBody({ account: anAccount(ending), issuer_code: 'ARAVFIN' });
        expectRefusal(await postBank(api, body), BankErrors.accountBlocked);
        expectRefusal(await postBank(api, body), BankErrors.accountBlocked);
        expect(await pennies(body.account)).toMatchObject([{ calls: 1 }]);
        expect(await bankStep(user_id, 'aravalli')).toEqual({
          state: 'FAILED',
          reason: BankErrors.accountBlocked.code,
        });
        await age('bank_accounts');
        expectRefusal(await postBank(api, body), BankErrors.accountBlocked);
        expect(await pennies(body.account)).toMatchObject([{ calls: 1 }, { calls: 1 }]);
      },
    );

    it.each(['ARAVFIN', 'KAVSFB'])(
      'refuses an account that the issuer %s rejects, and asks it again with a new key once the refusal is a minute old',
      async (issuer_code) => {
        const slug = { ARAVFIN: 'aravalli', KAVSFB: 'kaveri' }[issuer_code]!;
        const { api, user_id } = await aKnownUser();
        const body = bankBody({ account: anAccount('1454'), issuer_code });
        expectRefusal(await postBank(api, body), BankErrors.beneficiaryInvalid);
        expectRefusal(await postBank(api, body), BankErrors.beneficiaryInvalid);
        expect((await registrations(slug, body.account)).length).toBeLessThanOrEqual(1);
        expect(await bankStep(user_id, slug)).toEqual({
          state: 'FAILED',
          reason: BankErrors.beneficiaryInvalid.code,
        });
        const keyOf = async () =>
          (
            await service.dataSource.query<{ idempotency_key: string }[]>(
              `SELECT s.idempotency_key FROM onboarding.bank_syncs s
                 JOIN onboarding.bank_accounts a ON a.id = s.account_id WHERE a.user_id = $1`,
              [user_id],
            )
          )[0]!.idempotency_key;
        const key = await keyOf();
        await age('bank_syncs');
        expectRefusal(await postBank(api, body), BankErrors.beneficiaryInvalid);
        expect(await keyOf()).not.toBe(key);
        expect(await pennies(body.account)).toMatchObject([{ calls: 1 }]);
      },
    );
  });

  describe('issuer', () => {
    it.concurrent(
      'verifies an account without an issuer, and registers it when the next call names one',
      async () => {
        const { api } = await aKnownUser();
        const body = bankBody();
        const verified = payloadOf(await postBank(api, body));
        expect(verified).toMatchObject({
          is_bank_verified: true,
          is_synced: false,
          issuer_code: null,
          issuer_reference: null,
        });
        const synced = payloadOf(await postBank(api, { ...body, issuer_code: 'SAHCAP' }));
        expect(synced).toEqual({
          ...verified,
          is_synced: true,
          issuer_code: 'SAHCAP',
          issuer_reference: expect.any(String) as string,
        });
        expect(await pennies(body.account)).toMatchObject([{ calls: 1 }]);
      },
    );

    it.concurrent(
      'registers a verified account at the first issuer that the user continues with, but not on reads',
      async () => {
        const { api, user_id: userId } = await aKnownUser();
        const body = bankBody();
        const { verification_id: id } = payloadOf(await postBank(api, body));
        await api.get(issuerPath('nilgiri', 'v1/journey'));
        await api.get(issuerPath('nilgiri', 'v1/booking-check'));
        expect(payloadOf(await getVerification(api, id)).issuer_code).toBeNull();
        await Promise.all(
          ['v2/check-etb', 'v3/check-status', 'v3/check-status'].map((call) =>
            api.post(issuerPath('sahyadri', call), {}),
          ),
        );
        await eventually(async () =>
          expect(payloadOf(await getVerification(api, id))).toMatchObject({
            is_synced: true,
            issuer_code: 'SAHCAP',
          }),
        );
        await api.post(issuerPath('aravalli', 'v3/check-status'), {});
        expect(await registrations('sahyadri', body.account)).toMatchObject([{ calls: 1 }]);
        expect(
          await service.dataSource.query(
            `SELECT issuer_slug FROM onboarding.bank_syncs JOIN onboarding.bank_accounts a ON a.id = account_id
            WHERE user_id = $1`,
            [userId],
          ),
        ).toEqual([{ issuer_slug: 'sahyadri' }]);
      },
    );

    it.concurrent('registers an account at no issuer whose call is refused', async () => {
      const { api, user_id: userId } = await aKnownUser();
      await postBank(api, bankBody());
      expectRefusal(await api.post(issuerPath('kaveri', 'v1/lead'), {}), JourneyErrors.stepNotOffered);
      const given = (
        await api.post('/api/v1/consents', { purpose: 'ISSUER_SHARING', notice_version: '2026-11' })
      ).body as { payload: GivenConsent };
      await api.post(`/api/v1/consents/${given.payload.consent_id}/withdraw`, {});
      for (const call of ['v2/check-etb', 'v1/lead'])
        expectRefusal(await api.post(issuerPath('sahyadri', call), {}), ConsentErrors.withdrawn);
      expect(
        await service.dataSource.query(
          `SELECT 1 FROM onboarding.bank_syncs JOIN onboarding.bank_accounts a ON a.id = account_id WHERE user_id = $1`,
          [userId],
        ),
      ).toEqual([]);
    });

    it.concurrent('takes the issuer of a poll for no choice', async () => {
      const { api, user_id: userId } = await aKnownUser();
      const { verification_id: id } = payloadOf(await postBank(api, bankBody({ issuer_code: 'ARAVFIN' })));
      await getVerification(api, id, { issuer_code: 'NILHFC' });
      expect(await service.app.get(UsersRepository).lastIssuerOf(userId)).toBe('aravalli');
    });

    it.concurrent(
      'defaults to the issuer of the last call, and registers the account once at each issuer',
      async () => {
        const { api } = await aKnownUser();
        const body = bankBody();
        const query = (issuer_code: string) => postBank(api, body, { issuer_code });
        expect(payloadOf(await query('ARAVFIN'))).toMatchObject({ issuer_code: 'ARAVFIN', is_synced: true });
        expect(payloadOf(await postBank(api, { ...body, issuer_code: '' }))).toMatchObject({
          issuer_code: 'ARAVFIN',
        });
        const second = await postBank(api, { ...body, issuer_code: 'NILHFC' }, { issuer_code: 'ARAVFIN' });
        expect(payloadOf(second)).toMatchObject({ issuer_code: 'NILHFC', is_synced: true });
        const id = payloadOf(second).verification_id;
        expect(payloadOf(await getVerification(api, id))).toMatchObject({ issuer_code: 'NILHFC' });
        expect(payloadOf(await getVerification(api, id, { issuer_code: 'ARAVFIN' }))).toMatchObject({
          issuer_code: 'ARAVFIN',
          is_synced: true,
        });
        expect(payloadOf(await getVerification(api, id, { issuer_code: 'VINBANK' }))).toMatchObject({
          issuer_code: 'VINBANK',
          is_synced: false,
        });
        expect(await pennies(body.account)).toMatchObject([{ calls: 1 }]);
        for (const slug of ['aravalli', 'nilgiri'])
          expect(await registrations(slug, body.account)).toMatchObject([{ calls: 1 }]);
      },
    );

    it.each([['NOBODY'], [5], [['ARAVFIN']], [{}]])(
      'rejects the unknown issuer %j, and does not ask the bank',
      async (issuer_code) => {
        const { api } = await aUser();
        const body = bankBody({ issuer_code });
        expectRefusal(await postBank(api, body), IssuerErrors.unknown);
        expect(await pennies(body.account)).toEqual([]);
      },
    );
  });

  it('rejects a call without an access token', async () => {
    expectRefusal(await service.api.post(BANK_PATH, bankBody()), SessionErrors.tokenMissing);
  });

  it('stores and logs no account number, IFSC or holder name in clear text', async () => {
    const { api, user_id } = await aUser();
    const { number, ifsc } = await verifyBank(api, { issuer_code: 'KAVSFB' });
    const rows = await service.dataSource.query<Record<string, string>[]>(
      `SELECT a::text, s::text AS sync FROM onboarding.bank_accounts a
         JOIN onboarding.bank_syncs s ON s.account_id = a.id WHERE a.user_id = $1`,
      [user_id],
    );
    expect(rows).toHaveLength(1);
    const everything = `${JSON.stringify(rows)}${service.logs()}`;
    for (const secret of [number, ifsc, HOLDER, HOLDER.toUpperCase()])
      expect(everything).not.toContain(secret);
  });
});

describe('GET /api/v1/bank/verification/{verification_id}', () => {
  it('answers 404 to another user as for an unknown id, and rejects an unknown issuer', async () => {
    const [owner, stranger] = [await aUser(), await aUser()];
    const { verification_id } = await verifyBank(owner.api);
    for (const id of [verification_id, '018f0000-0000-7000-8000-000000000000', 'x', "'--"])
      expectRefusal(await getVerification(stranger.api, encodeURIComponent(id)), GeneralErrors.recordUnknown);
    expectRefusal(
      await getVerification(owner.api, verification_id, { issuer_code: 'NOBODY' }),
      IssuerErrors.unknown,
    );
  });

  it('refuses with the same error as the call that began the verification', async () => {
    const { api, user_id } = await aKnownUser();
    for (const [ending, error] of [
      ['1055', BankErrors.holderDiffers],
      ['0423', BankErrors.accountBlocked],
      ['1454', BankErrors.beneficiaryInvalid],
    ] as const) {
      expectRefusal(
        await postBank(api, bankBody({ account: anAccount(ending), issuer_code: 'NILHFC' })),
        error,
      );
      const [row] = await service.dataSource.query<{ id: string }[]>(
        'SELECT id FROM onboarding.bank_accounts WHERE user_id = $1 ORDER BY id DESC LIMIT 1',
        [user_id],
      );
      expectRefusal(await getVerification(api, row!.id), error);
    }
  });

  it('rejects a call without an access token', async () => {
    expectRefusal(await getVerification(service.api, 'x'), SessionErrors.tokenMissing);
  });
});

describe('GET /api/v1/user-profile', () => {
  it('returns the masked account that the user verified last', async () => {
    const { api } = await aKnownUser();
    const profile = async () =>
      ((await api.get('/api/v1/user-profile')).body as { payload: Record<string, unknown> }).payload;
    expect(await profile()).toMatchObject({ is_bank_verified: false, bank: null });
    const first = await verifyBank(api);
    const second = await verifyBank(api, { ifsc: 'SBIN0000001' });
    const bankOf = ({ account, ifsc, bank_name }: typeof first) => ({ account, ifsc, bank_name });
    expect(await profile()).toMatchObject({ is_bank_verified: true, bank: bankOf(second) });
    await postBank(api, bankBody({ account: first.number }));
    await eventually(async () => expect(await profile()).toMatchObject({ bank: bankOf(first) }));
  });
});

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
      const { api, user_id, body, pending, repeated } = await eventually(async () => {
        const user = await aUser();
        // the bank knows the holder by the name of the first call
        const body = bankBody({ account: anAccount('0202') });
        const pending = await postBank(user.api, body);
        const repeated = await postBank(user.api, { ...body, account_holder_full_name: WRONG[0] });
        // the bank answers after five seconds: another account if that was before the second call
        const [account] = await query<{ state: string }>(
          'SELECT state FROM onboarding.bank_accounts WHERE user_id = $1',
          [user.user_id],
        );
        expect(account!.state).toBe('PROCESSING');
        return { ...user, body, pending, repeated };
      });
      expect([pending.status, repeated.status]).toEqual([202, 202]);
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
      expect(MISMATCHES.max).toBe(5);
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

  it('compares exactly five wrong names of concurrent calls about one account on two replicas', async () => {
    const user = await aUser();
    const account = anAccount('1055');
    await expectFiveCompared(user.on, () => account);
    expect(await mismatchesOf(user.user_id)).toHaveLength(5);
    expectTooMany(await guess(user.api, account, AT_BANK));
  });

  it('compares exactly five wrong names of concurrent calls about different accounts on two replicas', async () => {
    const user = await aUser();
    const accounts = WRONG.map(() => anAccount('1055'));
    await expectFiveCompared(user.on, (i) => accounts[i]!);
    expect(await mismatchesOf(user.user_id)).toHaveLength(5);
  });

  it('compares exactly five wrong names of concurrent calls of different users about one account', async () => {
    const users = await inParallel(WRONG.length, () => aUser());
    const account = anAccount('1055');
    await expectFiveCompared(
      (i) => users[i]!.on(i),
      () => account,
    );
    expect(await mismatchesOf(...users.map(({ user_id }) => user_id))).toHaveLength(5);
    recordEvidence('bank-name-guesses', { users: WRONG.length, replicas: 2, compared: 5 });
  });

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
    expect(CHECKS.max).toBe(60);
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
