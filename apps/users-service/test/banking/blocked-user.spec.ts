import { randomUUID } from 'node:crypto';
import { BankErrors } from '@fd/errors';
import { eventually, expectRefusal } from '@fd/testing';
import { BankAccountsRepository } from '../../src/banking/accounts/bank-accounts.repository.js';
import { RegistrationsRepository } from '../../src/banking/accounts/registrations.repository.js';
import { BeneficiaryRegistration } from '../../src/banking/registration/beneficiary-registration.service.js';
import { AccountVerification } from '../../src/banking/verification/account-verification.service.js';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { bankBody, HOLDER, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount } from '../support/issuers.js';
import { as, logIn, type LoggedIn } from '../support/login.js';
import { runCalls, runUsers, WHO } from '../support/operator.js';
import { knownAs } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

type Table = 'bank_accounts' | 'bank_syncs';

interface Row {
  readonly id: string;
  readonly state: string;
  readonly tries: number;
  readonly isSent: boolean;
  readonly isOld: boolean;
}

describe('bank account of a blocked user', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const query = <Found>(sql: string, parameters: unknown[] = []) =>
    service.dataSource.query<Found[]>(sql, parameters);
  const OF_USER = {
    bank_accounts: 'user_id = $1',
    bank_syncs: 'account_id IN (SELECT id FROM onboarding.bank_accounts WHERE user_id = $1)',
  };
  const rowOf = async (table: Table, { user_id }: LoggedIn) => {
    const sent = table === 'bank_syncs' ? 'sent_at' : 'provider';
    const [row] = await query<Row>(
      `SELECT id, state, tries, ${sent} IS NOT NULL AS "isSent", due_since < now() - interval '1 day' AS "isOld"
         FROM onboarding.${table} WHERE ${OF_USER[table]}`,
      [user_id],
    );
    return row!;
  };
  /** Makes the call due as if it had been open for two days. */
  const age = (table: Table, { user_id }: LoggedIn) =>
    query(
      `UPDATE onboarding.${table} SET due_since = now() - interval '2 days', next_try_at = now()
        WHERE ${OF_USER[table]}`,
      [user_id],
    );
  const users = (action: string, { user_id }: LoggedIn) =>
    runUsers(service, '', action, '--user', user_id, ...WHO);
  const work = (call: typeof BeneficiaryRegistration | typeof AccountVerification) =>
    service.app.get(DurableCalls).advanceDue(service.app.get(call));
  const leaseOf = async (table: Table, id: string) => {
    const leaseId = randomUUID();
    await query(
      `UPDATE onboarding.${table} SET lease_id = $2, leased_until = now() + interval '1 minute' WHERE id = $1`,
      [id, leaseId],
    );
    return leaseId;
  };
  const release = (table: Table, id: string) =>
    query(`UPDATE onboarding.${table} SET lease_id = NULL, leased_until = NULL WHERE id = $1`, [id]);

  /** Blocks a user whose verified account waits for the PAN, which is verified then. */
  async function waitingRegistration() {
    const user = await logIn(service);
    const body = bankBody({ issuer_code: 'ARAVFIN' });
    expect((await postBank(as(service.api, user), body)).status).toBe(200);
    await users('block', user);
    await knownAs(service, user.user_id, HOLDER);
    await service.app.get(AccountVerification).recheckHolderNames();
    await age('bank_syncs', user);
    return { user, account: body.account, registration: await rowOf('bank_syncs', user) };
  }

  it('sends the account of a blocked user to an issuer only after the unblock, which restarts the limit of a day', async () => {
    const { user, account, registration } = await waitingRegistration();
    await work(BeneficiaryRegistration);
    expect(await rowOf('bank_syncs', user)).toMatchObject({ state: 'DUE', isSent: false, isOld: true });
    expect(await effectsOf('issuer:aravalli', account)).toEqual([]);
    const listed = await runCalls(service, 'list', ...WHO);
    expect(listed).toMatch(new RegExp(`${registration.id}.*waits for .*the user to be unblocked`));
    await users('unblock', user);
    expect(await rowOf('bank_syncs', user)).toMatchObject({ isOld: false });
    await eventually(async () => expect(await rowOf('bank_syncs', user)).toMatchObject({ state: 'SYNCED' }));
    expect(await effectsOf('issuer:aravalli', account)).toMatchObject([{ calls: 1 }]);
  });

  it('sends the account of a blocked user to no issuer when a worker leased it before the block', async () => {
    const { user, registration } = await waitingRegistration();
    const leaseId = await leaseOf('bank_syncs', registration.id);
    const registrations = service.app.get(RegistrationsRepository);
    const record = async () =>
      registrations.recordSent({ ...(await registrations.findById(registration.id)), leaseId });
    expect(await record()).toBe(false);
    await users('unblock', user);
    expect(await record()).toBe(true);
    await release('bank_syncs', registration.id);
  });

  /** Blocks a user whose account the bank could not verify yet. */
  async function unsentVerification() {
    const user = await logIn(service);
    const given = bankBody({ account: anAccount('0503') });
    expectRefusal(await postBank(as(service.api, user), given), BankErrors.unavailable);
    await users('block', user);
    await age('bank_accounts', user);
    const verification = await rowOf('bank_accounts', user);
    expect(verification).toMatchObject({ state: 'DUE', isSent: false });
    return { user, verification };
  }

  it('verifies the account of a blocked user only after the unblock, which restarts the limit of a day', async () => {
    const { user, verification } = await unsentVerification();
    await work(AccountVerification);
    expect(await rowOf('bank_accounts', user)).toEqual({ ...verification, isOld: true });
    await users('unblock', user);
    expect(await rowOf('bank_accounts', user)).toMatchObject({ isOld: false });
    await eventually(async () =>
      expect((await rowOf('bank_accounts', user)).tries).toBeGreaterThan(verification.tries),
    );
    expect(await rowOf('bank_accounts', user)).toMatchObject({ state: 'DUE' });
  });

  it('does not verify the account of a blocked user when a worker leased it before the block', async () => {
    const { user, verification } = await unsentVerification();
    const leaseId = await leaseOf('bank_accounts', verification.id);
    const accounts = service.app.get(BankAccountsRepository);
    const record = async () =>
      accounts.recordProvider({ ...(await accounts.findById(verification.id)), leaseId }, 'setu-bank');
    expect(await record()).toBe('blocked');
    expect(await rowOf('bank_accounts', user)).toMatchObject({ isSent: false });
    await users('unblock', user);
    expect(await record()).toBe('recorded');
    // it may have begun: it is completed even if the user is blocked meanwhile
    await users('block', user);
    expect(await record()).toBe('recorded');
    await release('bank_accounts', verification.id);
  });
});
