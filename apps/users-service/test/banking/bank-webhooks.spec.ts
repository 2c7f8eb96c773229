import { createHmac } from 'node:crypto';
import { GeneralErrors, WebhookErrors } from '@fd/errors';
import { eventually } from '@fd/testing';
import { AccountVerification } from '../../src/banking/verification/account-verification.service.js';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { nameHolder } from '../support/bank-holders.js';
import { bankBody, HOLDER, payloadOf, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { vendorSettings } from '../support/settings.js';
import { startService } from '../support/users-app.js';
import { withOwn } from '../support/with-own.js';

/** The sandbox verifies such an account for 5 seconds, and then sends its webhooks. */
const LONG_MS = 20_000;
/** Longer than any pause between two polls of the worker. */
const PUT_OFF_MS = 3_600_000;
const SECRET = 'webhook-secret';

type Headers = Readonly<Record<string, string>>;

type Vendor = 'cashfree' | 'setu';

/** Starts a service that verifies accounts at VENDOR, for which PURPOSE names its client. */
async function startWith(vendor: Vendor, purpose = 'webhooks') {
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
  async function aVerification(ending = '0202') {
    const user = await logIn(service);
    await knownAs(service, user.user_id, HOLDER);
    const account = anAccount(ending);
    await nameHolder(account, HOLDER);
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
      await query(
        'UPDATE onboarding.bank_accounts SET next_try_at = now() WHERE id = $1 AND lease_id IS NULL',
        [id],
      );
      await work();
      expect((await row()).state).toBe('PROCESSING');
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
    await putOff();
    const { receipt } = await row();
    return { account, receipt, row, work, putOff, isDue };
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
  const VENDORS: Vendor[] = ['cashfree', 'setu'];
  const fixtures = new Map<Vendor, Awaited<ReturnType<typeof startWith>>>();
  beforeAll(async () => {
    for (const vendor of VENDORS) fixtures.set(vendor, await startWith(vendor));
  });
  afterAll(async () => {
    for (const { service } of fixtures.values()) await service.close();
  });

  // tests that count, delete or receive all webhooks of a service have their own describe: those of one run in parallel

  describe('genuine webhook', () => {
    /** With a client of its own, since the sandbox sends the webhooks of a client to one service. */
    const withOwnClient =
      (test: (own: Awaited<ReturnType<typeof startWith>>, vendor: Vendor) => Promise<void>) =>
      (vendor: Vendor): Promise<void> =>
        withOwn(() => startWith(vendor, 'sandbox-webhooks'), test)(vendor);

    // the longest first: Jest runs five at a time
    it.concurrent.each(VENDORS)(
      'verifies an account by webhooks that come late, twice and out of order, for one penny (%s)',
      withOwnClient(async ({ service, clientId, aVerification }, vendor) => {
        await fetch(`${sandboxUrl()}/api/webhooks/${clientId}`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ url: `${service.url}/api/v1/webhooks/${vendor}` }),
        });
        const { account, row, work } = await aVerification();
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
            ['an early signature', proof(body, { at: Date.now() + 301_000 })],
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
