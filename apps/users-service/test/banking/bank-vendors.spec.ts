import { createHmac } from 'node:crypto';
import { BankErrors, GeneralErrors, WebhookErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel } from '@fd/testing';
import { BankAccountsRepository } from '../../src/banking/accounts/bank-accounts.repository.js';
import { BeneficiaryRegistration } from '../../src/banking/registration/beneficiary-registration.service.js';
import { AccountVerification } from '../../src/banking/verification/account-verification.service.js';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { nameHolder } from '../support/bank-holders.js';
import {
  aCustomer,
  expectOnePenny,
  startWith,
  type Vendor,
  VENDORS,
  worksUntil,
} from '../support/bank-vendors.js';
import {
  bankBody,
  getVerification,
  handOverToBankWorker,
  HOLDER,
  payloadOf,
  postBank,
} from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { answersJson } from '../support/scripted-provider.js';
import { vendorSettings } from '../support/settings.js';
import { startService, type TestService } from '../support/users-app.js';
import { type OwnProvider, withOwn, withProvider } from '../support/with-own.js';

describe('bank accounts verified by a vendor', () => {
  const services = new Map<Vendor, TestService>();
  beforeAll(async () => {
    for (const vendor of VENDORS) services.set(vendor, await startWith(vendor));
    // the tests do the work themselves
    for (const { app } of services.values()) await app.get(Jobs).beforeApplicationShutdown();
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
      const replica = await service.replica();
      await replica.app.get(Jobs).beforeApplicationShutdown();
      const replicas = [service, replica];
      const responses = await inParallel(6, (i) => postBank(as(replicas[i % 2]!.api, user), body));
      expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(202));
      const api = as(service.api, user);
      const { verification_id: id } = payloadOf(responses[0]!);
      const done = await eventually(async () => {
        await handOverToBankWorker(service, user.user_id);
        const calls = service.app.get(DurableCalls);
        await calls.advanceDue(service.app.get(AccountVerification));
        await calls.advanceDue(service.app.get(BeneficiaryRegistration));
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
        await service.app.get(Jobs).beforeApplicationShutdown();
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
      if (vendor === 'cashfree')
        await customer.becomes(async () =>
          // the bank may have answered meanwhile
          expect(['PROCESSING', 'VERIFIED']).toContain((await customer.row()).state),
        );
      else await customer.isTried(1);
      expect((await customer.row()).provider).toBe(`${vendor}-bank`);
      await expectOnePenny(vendor, customer.account);
    }),
  );

  const withCashfree = <Case extends unknown[]>(test: (own: OwnProvider, ...of: Case) => Promise<void>) =>
    withProvider(
      (url) => ({ ...vendorSettings(sandboxUrl()), BANK_PROVIDERS: 'cashfree,setu', CASHFREE_URL: url }),
      async (own: OwnProvider, ...of: Case) => {
        // the tests do the work themselves
        await own.service.app.get(Jobs).beforeApplicationShutdown();
        await test(own, ...of);
      },
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
      const customers = [await aCustomer(service), await aCustomer(service)];
      await customers[1]!.set("next_try_at = now() + interval '1 hour'");
      // nothing else between the two: the vendor is asked again after 15 seconds
      for (const customer of customers)
        await customer.becomes(async () => expect((await customer.row()).provider).toBe('setu-bank'));
      expect(cashfree.calls).toHaveLength(1);
      for (const customer of customers) await customer.isAnswered(200);
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
        await service.app.get(Jobs).beforeApplicationShutdown();
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

/** The sandbox verifies such an account for 5 seconds, and then sends its webhooks. */
const LONG_MS = 60_000;
/** Longer than any pause between two polls of the worker. */
const PUT_OFF_MS = 3_600_000;
const SECRET = 'webhook-secret';

type Headers = Readonly<Record<string, string>>;

type WebhookVendor = 'cashfree' | 'setu';

/** Starts a service that verifies accounts at VENDOR, for which PURPOSE names its client. */
async function startWithWebhooks(vendor: WebhookVendor, purpose = 'webhooks') {
  const clientId = `${purpose}-of-${vendor}-${process.pid}`;
  const service = await startService({
    ...vendorSettings(sandboxUrl()),
    BANK_PROVIDERS: vendor,
    CASHFREE_CLIENT_ID: clientId,
    CASHFREE_CLIENT_SECRET: SECRET,
    SETU_CLIENT_ID: clientId,
    SETU_CLIENT_SECRET: SECRET,
  });

  const query = <T>(sql: string, parameters: unknown[] = []): Promise<T[]> =>
    service.dataSource.query<T[]>(sql, parameters);

  /** Starts a verification at the vendor that the worker polls again in an hour. */
  async function aVerification() {
    // the bank answers 5 seconds after the first call: if that was before the pause, another account is verified
    return eventually(async () => {
      const verification = await startVerification();
      await verification.putOff();
      expect((await verification.row()).state).toBe('PROCESSING');
      return verification;
    }, LONG_MS);
  }

  /** Starts a verification at the vendor, who has got its first call when this returns. */
  async function startVerification() {
    const user = await logIn(service);
    await knownAs(service, user.user_id, HOLDER);
    const account = anAccount('0202');
    await nameHolder(account, HOLDER);
    const begunAt = Date.now();
    const { verification_id: id } = payloadOf(await postBank(as(service.api, user), bankBody({ account })));
    const row = async () => {
      const [found] = await query<{ state: string; receipt: string; inMs: number }>(
        `SELECT state, receipt, extract(epoch FROM next_try_at - now()) * 1000 AS "inMs"
           FROM onboarding.bank_accounts WHERE id = $1`,
        [id],
      );
      return found!;
    };
    const work = () => service.app.get(DurableCalls).advanceDue(service.app.get(AccountVerification));
    await eventually(async () => {
      if ((await row()).state !== 'DUE') return;
      await query(
        'UPDATE onboarding.bank_accounts SET next_try_at = now() WHERE id = $1 AND lease_id IS NULL',
        [id],
      );
      await work();
      expect((await row()).state).not.toBe('DUE');
    }, LONG_MS);
    const isDue = async () => Number((await row()).inMs) < PUT_OFF_MS / 2;
    // a worker that has leased it would make it due again
    const putOff = () =>
      eventually(async () => {
        await query(
          `UPDATE onboarding.bank_accounts SET next_try_at = now() + make_interval(secs => $2)
            WHERE id = $1 AND lease_id IS NULL`,
          [id, PUT_OFF_MS / 1_000],
        );
        expect(await isDue()).toBe(false);
      });
    const { receipt } = await row();
    return { account, receipt, begunAt, row, work, putOff, isDue };
  }

  const bodyAbout = (receipt: string, verdict: string): string =>
    JSON.stringify(
      vendor === 'cashfree'
        ? {
            event_type: `BANK_ACCOUNT_VERIFICATION_${verdict}`,
            data: { user_id: receipt, account_status: verdict },
          }
        : { event: 'BAV_WEBHOOK_NOTIFICATION', data: { bav: { id: receipt, verification: verdict } } },
    );

  const proof = (body: string, { secret = SECRET, at = Date.now() } = {}): Headers =>
    vendor === 'cashfree'
      ? {
          'x-webhook-timestamp': String(at),
          'x-webhook-signature': createHmac('sha256', secret).update(`${at}${body}`).digest('base64'),
        }
      : { 'x-client-id': clientId, 'x-api-key': secret };

  const send = async (body: string, headers: Headers, path: string = vendor) => {
    const answer = await fetch(`${service.url}/api/v1/webhooks/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    const { error } = (await answer.json()) as { error?: { errorCode: string }[] };
    return error ? error[0]!.errorCode : answer.status;
  };

  return { service, clientId, query, aVerification, bodyAbout, proof, send, end: () => service.close() };
}

describe('POST /api/v1/webhooks/{vendor}', () => {
  const VENDORS: WebhookVendor[] = ['cashfree', 'setu'];
  const fixtures = new Map<WebhookVendor, Awaited<ReturnType<typeof startWithWebhooks>>>();
  beforeAll(async () => {
    for (const vendor of VENDORS) fixtures.set(vendor, await startWithWebhooks(vendor));
  });
  afterAll(async () => {
    for (const { service } of fixtures.values()) await service.close();
  });

  // tests that count, delete or receive all webhooks of a service have their own describe: those of one run in parallel

  describe('genuine webhook', () => {
    /** With a client of its own, since the sandbox sends the webhooks of a client to one service. */
    const withOwnClient =
      (test: (own: Awaited<ReturnType<typeof startWithWebhooks>>, vendor: WebhookVendor) => Promise<void>) =>
      (vendor: WebhookVendor): Promise<void> =>
        withOwn(() => startWithWebhooks(vendor, 'sandbox-webhooks'), test)(vendor);

    // the longest first: Jest runs five at a time
    it.concurrent.each(VENDORS)(
      'verifies an account by webhooks that come late, twice and out of order, for one penny (%s)',
      withOwnClient(async ({ service, clientId, aVerification }, vendor) => {
        await fetch(`${sandboxUrl()}/api/webhooks/${clientId}`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ url: `${service.url}/api/v1/webhooks/${vendor}` }),
        });
        const { account, row, work } = await eventually(async () => {
          const verification = await aVerification();
          // the webhooks come five seconds after the first call, not before the pause
          expect(Date.now() - verification.begunAt).toBeLessThan(5_000);
          return verification;
        }, LONG_MS);
        // only the webhooks make the record due here
        await eventually(async () => {
          await work();
          expect((await row()).state).toBe('VERIFIED');
        }, LONG_MS);
        expect(await effectsOf(vendor, account)).toMatchObject([{ calls: 1 }]);
        await eventually(async () => {
          const { text } = await service.api.get('/metrics');
          expect(text).toContain(`webhooks_total{vendor="${vendor}",outcome="repeated"}`);
        }, LONG_MS);
      }),
    );

    it.concurrent.each(VENDORS)(
      'makes the verification due at once, and ignores the verdict in the webhook (%s)',
      async (vendor) => {
        const { query, aVerification, bodyAbout, proof, send } = fixtures.get(vendor)!;
        const { receipt, row, work, isDue } = await aVerification();
        const set = (assignments: string) =>
          query(`UPDATE onboarding.bank_accounts SET ${assignments} WHERE receipt = $1`, [receipt]);
        // a worker would ask the vendor, who answers after five seconds, between two webhooks
        await set("lease_id = gen_random_uuid(), leased_until = now() + interval '1 hour'");
        for (const verdict of ['SUCCESS', 'REJECTED', 'FAILED']) {
          await set("next_try_at = now() + interval '1 hour'");
          const body = bodyAbout(receipt, verdict);
          expect(await send(body, proof(body))).toBe(200);
          expect(await isDue()).toBe(true);
          expect((await row()).state).toBe('PROCESSING');
        }
        await set('lease_id = NULL, leased_until = NULL');
        // the worker decides by the vendor's answer
        await eventually(async () => {
          await query(
            'UPDATE onboarding.bank_accounts SET next_try_at = now() WHERE receipt = $1 AND lease_id IS NULL',
            [receipt],
          );
          await work();
          expect((await row()).state).toBe('VERIFIED');
        }, LONG_MS);
      },
    );

    it.concurrent.each(VENDORS)(
      'makes the verification due by the repeat of a webhook that failed (%s)',
      async (vendor) => {
        const { service, aVerification, bodyAbout, proof, send } = fixtures.get(vendor)!;
        const { receipt, isDue } = await aVerification();
        const body = bodyAbout(receipt, 'SUCCESS');
        const failed = await service.dataSource.transaction(async (worker) => {
          await worker.query('SELECT FROM onboarding.bank_accounts WHERE receipt = $1 FOR UPDATE', [receipt]);
          return send(body, proof(body));
        });
        expect(failed).toBe(GeneralErrors.unavailable.code);
        expect(await isDue()).toBe(false);
        expect(await send(body, proof(body))).toBe(200);
        expect(await isDue()).toBe(true);
      },
    );

    it.concurrent.each(VENDORS)(
      'ignores webhooks about ended verifications, unknown ones and other subjects (%s)',
      async (vendor) => {
        const { query, aVerification, bodyAbout, proof, send } = fixtures.get(vendor)!;
        const { receipt, row, putOff, isDue } = await aVerification();
        await query(
          "UPDATE onboarding.bank_accounts SET state = 'INVALID', settled_at = now() WHERE receipt = $1",
          [receipt],
        );
        for (const body of [
          bodyAbout(receipt, 'SUCCESS'),
          bodyAbout('nobodys', 'SUCCESS'),
          '{"data":{}}',
          '{"data":{"user_id":7}}',
          '{}',
        ])
          expect(await send(body, proof(body))).toBe(200);
        expect(await isDue()).toBe(false);
        expect((await row()).state).toBe('INVALID');
        await putOff();
      },
    );
  });

  describe('forged webhook', () => {
    it.concurrent.each(VENDORS)(
      'refuses webhooks without a valid proof of the vendor (%s)',
      async (vendor) => {
        const { query, aVerification, bodyAbout, proof, send } = fixtures.get(vendor)!;
        const { receipt, isDue } = await aVerification();
        const body = bodyAbout(receipt, 'SUCCESS');
        const forged: [what: string, headers: Headers, sent?: string, path?: string][] = [
          ['no proof', {}],
          ['another secret', proof(body, { secret: 'guessed' })],
          ['an unknown vendor', proof(body), body, 'nobody'],
          ['an inherited name', proof(body), body, 'constructor'],
          ['a vendor without an account', proof(body), body, vendor === 'cashfree' ? 'setu' : 'cashfree'],
        ];
        if (vendor === 'cashfree') {
          const { 'x-webhook-signature': signature } = proof(body);
          forged.push(
            ['a changed body', proof(body), `${body} `],
            ['a body with other spaces', proof(body), JSON.stringify(JSON.parse(body), null, 1)],
            ['a late signature', proof(body, { at: Date.now() - 301_000 })],
            // made long before it is sent
            ['an early signature', proof(body, { at: Date.now() + 360_000 })],
            [
              'another time',
              { 'x-webhook-timestamp': String(Date.now() + 1), 'x-webhook-signature': signature! },
            ],
            ['an invalid time', { 'x-webhook-timestamp': 'now', 'x-webhook-signature': signature! }],
          );
        }
        const before = await query('SELECT 1 FROM onboarding.webhooks');
        for (const [what, headers, sent = body, path = vendor] of forged)
          expect([what, await send(sent, headers, path)]).toEqual([what, WebhookErrors.notGenuine.code]);
        expect(await isDue()).toBe(false);
        expect(await query('SELECT 1 FROM onboarding.webhooks')).toHaveLength(before.length);
      },
    );
  });

  describe('repeated webhook', () => {
    it.concurrent.each(VENDORS)(
      'accepts repeats, even in parallel, without another effect (%s)',
      async (vendor) => {
        const { service, query, aVerification, bodyAbout, proof, send } = fixtures.get(vendor)!;
        const { receipt, isDue, putOff } = await aVerification();
        const body = bodyAbout(receipt, 'SUCCESS');
        const answers = await Promise.all(Array.from({ length: 6 }, () => send(body, proof(body))));
        expect(answers).toEqual(Array(6).fill(200));
        expect(await isDue()).toBe(true);
        await putOff();
        expect(await send(body, proof(body, { at: Date.now() + 1_000 }))).toBe(200);
        // an Idempotency-Key replaces no proof, not even for an answer given before
        const keyed = (proof: Headers) => ({ ...proof, 'idempotency-key': `of-${vendor}` });
        for (let i = 0; i < 2; i++) expect(await send(body, keyed(proof(body)))).toBe(200);
        expect(await send(body, keyed({}))).toBe(WebhookErrors.notGenuine.code);
        expect(await isDue()).toBe(false);
        // webhooks are deleted once no vendor repeats them
        await query("UPDATE onboarding.webhooks SET received_at = now() - interval '8 days'");
        await service.app.get(Jobs).runCleanup();
        expect(await query('SELECT 1 FROM onboarding.webhooks')).toEqual([]);
      },
    );
  });
});
