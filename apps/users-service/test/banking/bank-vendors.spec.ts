import { BankErrors, GeneralErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel } from '@fd/testing';
import { BankAccountsRepository } from '../../src/banking/accounts/bank-accounts.repository.js';
import { nameHolder } from '../support/bank-holders.js';
import {
  bankBody,
  getVerification,
  handOverToBankWorker,
  HOLDER,
  payloadOf,
  postBank,
} from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import { answersJson } from '../support/scripted-provider.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { vendorSettings } from '../support/settings.js';
import { type TestService } from '../support/users-app.js';
import { type OwnProvider, withOwn, withProvider } from '../support/with-own.js';
import {
  aCustomer,
  expectOnePenny,
  startWith,
  type Vendor,
  VENDORS,
  worksUntil,
} from '../support/bank-vendors.js';

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
        await handOverToBankWorker(service, user.user_id);
        const answer = await getVerification(api, id);
        expect([answer.status, payloadOf(answer).is_synced]).toEqual([200, true]);
        return payloadOf(answer);
      });
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
        ['0404', GeneralErrors.fieldInvalid],
        ['0400', GeneralErrors.fieldInvalid],
        ['0409', BankErrors.accountBlocked],
        // the bank does not tell the name: another account is needed
        ['0407', BankErrors.accountBlocked],
        ['1055', BankErrors.holderDiffers],
      ] as const;
      for (const [ending, refusal] of refusals) {
        const customer = await aCustomer(service, ending);
        await customer.becomes(async () => expectRefusal(await customer.status(), refusal));
        // final: the worker begins nothing again
        await customer.isLeftAlone();
        const pennies = await effectsOf(vendor, customer.account);
        expect(pennies).toHaveLength(ending === '0400' ? 0 : 1);
      }
    },
  );

  it.concurrent.each(VENDORS)(
    'ends a verification without a result, and begins another one only for the user (%s)',
    async (vendor) => {
      const service = services.get(vendor)!;
      const customer = await aCustomer(service, '0410');
      await customer.becomes(async () => expectRefusal(await customer.status(), BankErrors.unavailable));
      await customer.isLeftAlone();
      expect([(await effectsOf(vendor, customer.account)).length, await customer.checks()]).toEqual([1, 1]);
      expect((await customer.give()).status).toBe(202);
      await customer.becomes(async () => expectRefusal(await customer.status(), BankErrors.unavailable));
      expect([(await effectsOf(vendor, customer.account)).length, await customer.checks()]).toEqual([2, 2]);
    },
  );

  it.concurrent('begins a verification at most 15 times a day while the bank is down', async () => {
    const customer = await aCustomer(services.get('cashfree')!, '0202');
    const accounts = services.get('cashfree')!.app.get(BankAccountsRepository);
    const { id } = await customer.row();
    let begun = 0;
    for (let age = 0; age < 86_400; begun++) {
      await customer.set(`state = 'DUE', due_since = now() - interval '${age} seconds', next_try_at = now()`);
      await services
        .get('cashfree')!
        .database.transaction(async (tx) => accounts.putOff(tx, await accounts.lockById(tx, id)));
      age += await customer.secondsToNextTry();
    }
    expect(begun).toBeGreaterThan(8);
    expect(begun).toBeLessThanOrEqual(15);
  });

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
