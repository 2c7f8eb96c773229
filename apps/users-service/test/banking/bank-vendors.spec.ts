import { BankErrors, GeneralErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel } from '@fd/testing';
import { AccountVerification } from '../../src/banking/verification/account-verification.service.js';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { nameHolder } from '../support/bank-holders.js';
import { bankBody, getVerification, HOLDER, payloadOf, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import { answersJson } from '../support/scripted-provider.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { vendorSettings } from '../support/settings.js';
import { startService, type TestService } from '../support/users-app.js';
import { type OwnProvider, withOwn, withProvider } from '../support/with-own.js';

/** Calls without an answer take seconds. */
const LONG_MS = 20_000;

interface Row {
  readonly id: string;
  readonly state: string;
  readonly provider: string | null;
  readonly key: string;
  readonly tries: number;
}

/** Runs the worker until an assertion holds; makes the user's account due in each round unless a worker holds its lease. */
const worksUntil = (
  { app, dataSource }: TestService,
  userId: string,
  assertion: () => Promise<unknown>,
): Promise<unknown> =>
  eventually(async () => {
    await dataSource.query(
      'UPDATE onboarding.bank_accounts SET next_try_at = now() WHERE user_id = $1 AND lease_id IS NULL',
      [userId],
    );
    await app.get(DurableCalls).advanceDue(app.get(AccountVerification));
    await assertion();
  }, LONG_MS);

/** Creates a customer with an account that a vendor is verifying. */
async function aCustomer(service: TestService, ending?: string) {
  const user = await logIn(service);
  await knownAs(service, user.user_id, HOLDER);
  const api = as(service.api, user);
  const account = anAccount(ending);
  await nameHolder(account, HOLDER);
  const query = <T>(sql: string, parameters: unknown[]): Promise<T[]> =>
    service.dataSource.query<T[]>(sql, parameters);
  const give = () => postBank(api, bankBody({ account }));
  const first = await give();
  expect([first.status, payloadOf(first).pending_code]).toEqual([202, BankErrors.pending.code]);
  const { verification_id: id } = payloadOf(first);
  const customer = {
    ...user,
    account,
    give,
    status: () => getVerification(api, id),
    async row(): Promise<Row> {
      const rows = await query<Row>(
        'SELECT id, state, provider, idempotency_key AS key, tries FROM onboarding.bank_accounts WHERE id = $1',
        [id],
      );
      return rows[0]!;
    },
    async set(assignments: string) {
      await query(`UPDATE onboarding.bank_accounts SET ${assignments} WHERE id = $1`, [id]);
    },
    async checks(): Promise<number> {
      return (await query('SELECT 1 FROM onboarding.bank_checks WHERE user_id = $1', [user.user_id])).length;
    },
    becomes: (assertion: () => Promise<unknown>) => worksUntil(service, user.user_id, assertion),
    isAnswered: (status: number) =>
      customer.becomes(async () => expect((await customer.status()).status).toBe(status)),
    isInState: (state: string) =>
      customer.becomes(async () => expect((await customer.row()).state).toBe(state)),
    isTried: (times: number) =>
      customer.becomes(async () => expect((await customer.row()).tries).toBeGreaterThanOrEqual(times)),
  };
  return customer;
}

const VENDORS = ['cashfree', 'setu'] as const;
type Vendor = (typeof VENDORS)[number];

const other = (vendor: Vendor): Vendor => (vendor === 'cashfree' ? 'setu' : 'cashfree');
const startWith = (vendor: Vendor): Promise<TestService> =>
  startService({ ...vendorSettings(sandboxUrl()), BANK_PROVIDERS: `${vendor},${other(vendor)}` });

const expectOnePenny = async (vendor: Vendor, account: string) => {
  expect(await effectsOf(vendor, account)).toMatchObject([{ calls: 1 }]);
  expect([await effectsOf(other(vendor), account), await effectsOf('bank', account)]).toEqual([[], []]);
};

describe('bank accounts verified by a vendor', () => {
  const services = new Map<Vendor, TestService>();
  beforeAll(async () => {
    for (const vendor of VENDORS) services.set(vendor, await startWith(vendor));
  });
  afterAll(async () => {
    for (const service of services.values()) await service.close();
  });

  it.concurrent.each(VENDORS)(
    'answers 202 at once, then verifies and registers the account without another call (%s)',
    async (vendor) => {
      const service = services.get(vendor)!;
      const user = await logIn(service);
      await knownAs(service, user.user_id, HOLDER);
      const body = bankBody({ issuer_code: 'KAVSFB' });
      await nameHolder(body.account, HOLDER);
      const replicas = [service, await service.replica()];
      const responses = await inParallel(6, (i) => postBank(as(replicas[i % 2]!.api, user), body));
      expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(202));
      const api = as(service.api, user);
      const { verification_id: id } = payloadOf(responses[0]!);
      const done = await eventually(async () => {
        const answer = await getVerification(api, id);
        expect([answer.status, payloadOf(answer).is_synced]).toEqual([200, true]);
        return payloadOf(answer);
      }, LONG_MS);
      expect(done).toMatchObject({ is_bank_verified: true, name_match: { score: 100 } });
      expect(done.bank_name).toMatch(/^HDFC/);
      expect((await postBank(api, body)).status).toBe(200);
      await expectOnePenny(vendor, body.account);
    },
  );

  it.concurrent.each(VENDORS)(
    "refuses accounts by the bank's answer, and names by the service's own comparison (%s)",
    async (vendor) => {
      const service = services.get(vendor)!;
      const refusals = [
        ['0423', BankErrors.accountBlocked],
        ['0424', vendor === 'cashfree' ? GeneralErrors.fieldInvalid : BankErrors.accountBlocked],
        ['1055', BankErrors.holderDiffers],
      ] as const;
      for (const [ending, refusal] of refusals) {
        const customer = await aCustomer(service, ending);
        await customer.becomes(async () => expectRefusal(await customer.status(), refusal));
      }
    },
  );

  it.concurrent.each(VENDORS)(
    'sends no second penny at any vendor when a paid start was never answered (%s)',
    async (vendor) => {
      const service = services.get(vendor)!;
      const customer = await aCustomer(service, '0505');
      // a concurrent test may advance the row, so a failed try is not always observed
      if (vendor === 'cashfree') await customer.isAnswered(200);
      else {
        // Setu cannot report the outcome
        await customer.isTried(4);
        expect([(await customer.give()).status, (await customer.status()).status]).toEqual([202, 202]);
      }
      await expectOnePenny(vendor, customer.account);
    },
  );

  it.concurrent.each(VENDORS)(
    'continues an abandoned verification if the vendor knows it, else begins another (%s)',
    async (vendor) => {
      const service = services.get(vendor)!;
      const customer = await aCustomer(service, '0202');
      await customer.isInState('PROCESSING');
      const { key } = await customer.row();
      await customer.set("state = 'ABANDONED', settled_at = now(), lease_id = NULL, leased_until = NULL");
      expectRefusal(await customer.status(), BankErrors.unavailable);
      expect((await customer.give()).status).toBe(202);
      const isKept = (await customer.row()).key === key;
      expect([isKept, await customer.checks()]).toEqual(vendor === 'cashfree' ? [true, 1] : [false, 2]);
    },
  );
});

describe('unavailable bank or vendor of bank verifications', () => {
  // a service for each, because rounds of the worker for other accounts would hide the states that these tests expect
  const withVendor =
    (test: (own: { service: TestService; vendor: Vendor }) => Promise<void>) =>
    (vendor: Vendor): Promise<void> =>
      withOwn(async () => {
        const service = await startWith(vendor);
        return { service, vendor, end: () => service.close() };
      }, test)();

  it.concurrent.each(VENDORS)(
    'waits for an unavailable bank, and refuses nothing (%s)',
    withVendor(async ({ service, vendor }) => {
      const customer = await aCustomer(service, '0422');
      const { key } = await customer.row();
      await customer.becomes(async () => {
        const row = await customer.row();
        expect(row).toMatchObject({ state: 'DUE', provider: null });
        expect(row.key).not.toBe(key);
      });
      expect((await customer.status()).status).toBe(202);
      await customer.isAnswered(200);
      await expectOnePenny(vendor, customer.account);
      expect(await customer.checks()).toBe(1);
    }),
  );

  it.concurrent.each(VENDORS)(
    'continues at the same vendor after a crash that left open whether the penny was sent (%s)',
    withVendor(async ({ service, vendor }) => {
      const customer = await aCustomer(service, '0202');
      await customer.isInState('PROCESSING');
      // as if the replica had died before it stored the acceptance
      await customer.set("state = 'DUE', receipt = NULL, tries = 0, lease_id = NULL, leased_until = NULL");
      if (vendor === 'cashfree') await customer.isInState('PROCESSING');
      else await customer.isTried(1);
      expect((await customer.row()).provider).toBe(`${vendor}-bank`);
      await expectOnePenny(vendor, customer.account);
    }),
  );

  const withCashfree = <Case extends unknown[]>(test: (own: OwnProvider, ...of: Case) => Promise<void>) =>
    withProvider(
      (url) => ({ ...vendorSettings(sandboxUrl()), BANK_PROVIDERS: 'cashfree,setu', CASHFREE_URL: url }),
      test,
    );

  const NO_MONEY = answersJson(422, { type: 'validation_error', code: 'insufficient_balance' });

  it.concurrent.each([
    ['is down', answersJson(503, {})],
    ['refuses our key', answersJson(401, { type: 'authentication_error', code: 'authentication_failed' })],
    ['has an empty wallet', NO_MONEY],
    ['refuses our address', answersJson(403, { type: 'validation_error', code: 'ip_validation_failed' })],
  ])(
    'begins new verifications at the second vendor when the first %s',
    withCashfree(async ({ service, provider: cashfree }, _what, behaviour) => {
      cashfree.behaviour = behaviour;
      const customer = await aCustomer(service);
      await customer.isAnswered(200);
      expect(await effectsOf('setu', customer.account)).toHaveLength(1);
      expect([(await customer.row()).provider, await customer.checks()]).toEqual(['setu-bank', 1]);
    }),
  );

  it.concurrent(
    'stops asking a vendor once its wallet is empty',
    withCashfree(async ({ service, provider: cashfree }) => {
      cashfree.behaviour = NO_MONEY;
      for (let i = 0; i < 2; i++) await (await aCustomer(service)).isAnswered(200);
      expect(cashfree.calls).toHaveLength(1);
    }),
  );

  it.concurrent(
    'leaves verifications with the vendor that started them, and returns their results when it recovers',
    withCashfree(async ({ service, provider: cashfree }) => {
      cashfree.behaviour = answersJson(200, { account_status: 'RECEIVED' });
      const customer = await aCustomer(service);
      await customer.isInState('PROCESSING');
      cashfree.behaviour = answersJson(503, {});
      const asked = cashfree.calls.length;
      await customer.becomes(() => Promise.resolve(expect(cashfree.calls.length).toBeGreaterThan(asked + 1)));
      expect(await customer.row()).toMatchObject({ state: 'PROCESSING', provider: 'cashfree-bank' });
      cashfree.behaviour = answersJson(200, {
        account_status: 'VALID',
        account_status_code: 'ACCOUNT_IS_VALID',
        name_at_bank: HOLDER,
      });
      await customer.isAnswered(200);
      expect(await effectsOf('setu', customer.account)).toEqual([]);
    }),
  );

  it.concurrent(
    'begins no verification elsewhere when the vendor may have sent the penny',
    withCashfree(async ({ service, provider: cashfree }) => {
      cashfree.behaviour = answersJson(500, { type: 'internal_error', code: 'api_error' });
      const customer = await aCustomer(service);
      await customer.isTried(2);
      expect((await customer.row()).provider).toBe('cashfree-bank');
      expect(await effectsOf('setu', customer.account)).toEqual([]);
      expect(cashfree.calls.filter(({ method }) => method === 'POST')).toHaveLength(1);
    }),
  );

  it.concurrent(
    'asks the vendor in the worker alone when the provider that decides at once is down',
    withProvider(
      (url) => ({
        ...vendorSettings(sandboxUrl()),
        BANK_PROVIDERS: 'verification,cashfree',
        BANK_VERIFICATION_URL: url,
      }),
      async ({ service, provider: bank }) => {
        bank.behaviour = answersJson(503, {});
        const user = await logIn(service);
        await knownAs(service, user.user_id, HOLDER);
        const body = bankBody();
        await nameHolder(body.account, HOLDER);
        const api = as(service.api, user);
        // the vendor would have answered 202
        expectRefusal(await postBank(api, body), BankErrors.unavailable);
        await worksUntil(service, user.user_id, async () =>
          expect(await effectsOf('cashfree', body.account)).toMatchObject([{ calls: 1 }]),
        );
        const { verification_id: id } = payloadOf(await postBank(api, body));
        await worksUntil(service, user.user_id, async () =>
          expect((await getVerification(api, id)).status).toBe(200),
        );
        expect(await effectsOf('cashfree', body.account)).toMatchObject([{ calls: 1 }]);
      },
    ),
  );
});
