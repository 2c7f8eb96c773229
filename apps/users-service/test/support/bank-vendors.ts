import type { Response } from 'supertest';
import { BankErrors } from '@fd/errors';
import { eventually } from '@fd/testing';
import { AccountVerification } from '../../src/banking/verification/account-verification.service.js';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { nameHolder } from './bank-holders.js';
import { bankBody, getVerification, HOLDER, payloadOf, postBank } from './bank.js';
import { effectsOf } from './effects.js';
import { anAccount } from './issuers.js';
import { as, logIn } from './login.js';
import { knownAs } from './pan.js';
import { sandboxUrl } from './sandbox.config.js';
import { vendorSettings } from './settings.js';
import { startService, type TestService } from './users-app.js';

interface Row {
  readonly id: string;
  readonly state: string;
  readonly provider: string | null;
  readonly key: string;
  readonly tries: number;
}

/** Runs the worker until an assertion holds; makes the user's account due in each round unless a worker holds its lease. */
export const worksUntil = (
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
  });

/** Creates a customer with an account that a vendor is verifying. */
export async function aCustomer(service: TestService, ending?: string) {
  const user = await logIn(service);
  await knownAs(service, user.user_id, HOLDER);
  const api = as(service.api, user);
  const account = anAccount(ending);
  await nameHolder(account, HOLDER);
  const query = <T>(sql: string, parameters: unknown[]): Promise<T[]> =>
    service.dataSource.query<T[]>(sql, parameters);
  const give = (): Promise<Response> => postBank(api, bankBody({ account }));
  const first = await give();
  expect([first.status, payloadOf(first).pending_code]).toEqual([202, BankErrors.pending.code]);
  const { verification_id: id } = payloadOf(first);
  const customer = {
    ...user,
    account,
    give,
    status: (): Promise<Response> => getVerification(api, id),
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
    async secondsToNextTry(): Promise<number> {
      const sql =
        'SELECT extract(epoch FROM next_try_at - now())::float8 AS seconds FROM onboarding.bank_accounts WHERE id = $1';
      return (await query<{ seconds: number }>(sql, [id]))[0]!.seconds;
    },
    async checks(): Promise<number> {
      return (await query('SELECT 1 FROM onboarding.bank_checks WHERE user_id = $1', [user.user_id])).length;
    },
    becomes: (assertion: () => Promise<unknown>) => worksUntil(service, user.user_id, assertion),
    /** Runs the worker for a settled verification. */
    async isLeftAlone() {
      const { state } = await customer.row();
      await customer.set('next_try_at = now()');
      await service.app.get(DurableCalls).advanceDue(service.app.get(AccountVerification));
      expect((await customer.row()).state).toBe(state);
    },
    isAnswered: (status: number) =>
      customer.becomes(async () => expect((await customer.status()).status).toBe(status)),
    isInState: (state: string) =>
      customer.becomes(async () => expect((await customer.row()).state).toBe(state)),
    isTried: (times: number) =>
      customer.becomes(async () => expect((await customer.row()).tries).toBeGreaterThanOrEqual(times)),
  };
  return customer;
}

export const VENDORS = ['cashfree', 'setu'] as const;
export type Vendor = (typeof VENDORS)[number];

export const other = (vendor: Vendor): Vendor => (vendor === 'cashfree' ? 'setu' : 'cashfree');
export const startWith = (vendor: Vendor): Promise<TestService> =>
  startService({ ...vendorSettings(sandboxUrl()), BANK_PROVIDERS: `${vendor},${other(vendor)}` });

export const expectOnePenny = async (vendor: Vendor, account: string) => {
  expect(await effectsOf(vendor, account)).toMatchObject([{ calls: 1 }]);
  expect([await effectsOf(other(vendor), account), await effectsOf('bank', account)]).toEqual([[], []]);
};
