import { randomUUID } from 'node:crypto';
import type { GivenConsent, LoginPayload } from '@fd/contracts';
import { BankErrors, ProviderError } from '@fd/errors';
import { eventually, expectRefusal } from '@fd/testing';
import { BankAccountsRepository } from '../../src/banking/accounts/bank-accounts.repository.js';
import { RegistrationsRepository } from '../../src/banking/accounts/registrations.repository.js';
import { BeneficiaryRegistration } from '../../src/banking/registration/beneficiary-registration.service.js';
import { AccountVerification } from '../../src/banking/verification/account-verification.service.js';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { bankBody, HOLDER, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount } from '../support/issuers.js';
import { aPhone, codeOf } from '../support/inbox.js';
import { as, logIn, type LoggedIn, verifyBody } from '../support/login.js';
import { runCalls, runPartners, runUsers, WHO } from '../support/operator.js';
import { knownAs } from '../support/pan.js';
import { aPartner, ecKeys } from '../support/partner.js';
import { startService, type TestService } from '../support/users-app.js';

type Table = 'bank_accounts' | 'bank_syncs';

interface Row {
  readonly id: string;
  readonly state: string;
  readonly tries: number;
  readonly isSent: boolean;
  readonly isOld: boolean;
}

type Operation = (service: TestService, user: LoggedIn) => Promise<string>;

const ofUser =
  (action: string): Operation =>
  (service, { user_id }) =>
    runUsers(service, '', action, '--user', user_id, ...WHO);
const ofPartner =
  (action: string): Operation =>
  (service) =>
    runPartners(service, action, '--url', service.partner.url, ...WHO);

/** How operators stop a user, and let the user go on. */
const STOPS: Readonly<Record<string, { stop: Operation; resume: Operation }>> = {
  'a blocked user': { stop: ofUser('block'), resume: ofUser('unblock') },
  'a user of a disabled partner': { stop: ofPartner('disable'), resume: ofPartner('enable') },
};

describe.each(Object.keys(STOPS))('bank account of %s', (kind) => {
  const { stop, resume } = STOPS[kind]!;
  let service: TestService;
  beforeAll(async () => {
    // not shared: the partner has other users there
    service = await startService({});
  });
  afterEach(() => ofPartner('enable')(service, {} as LoggedIn));
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

  /** Stops a user whose verified account waits for the PAN, which is verified then. */
  async function waitingRegistration() {
    const user = await logIn(service);
    const body = bankBody({ issuer_code: 'ARAVFIN' });
    expect((await postBank(as(service.api, user), body)).status).toBe(200);
    await stop(service, user);
    await knownAs(service, user.user_id, HOLDER);
    await service.app.get(AccountVerification).recheckHolderNames();
    await age('bank_syncs', user);
    return { user, account: body.account, registration: await rowOf('bank_syncs', user) };
  }

  it('registers the account only once the user may continue, and starts its limit of a day again', async () => {
    const { user, account, registration } = await waitingRegistration();
    await work(BeneficiaryRegistration);
    expect(await rowOf('bank_syncs', user)).toMatchObject({ state: 'DUE', isSent: false, isOld: true });
    expect(await effectsOf('issuer:aravalli', account)).toEqual([]);
    const listed = await runCalls(service, 'list', ...WHO);
    expect(listed).toMatch(
      new RegExp(`${registration.id}.*waits for .*the user to be unblocked, or the partner to be enabled`),
    );
    await resume(service, user);
    expect(await rowOf('bank_syncs', user)).toMatchObject({ isOld: false });
    await eventually(async () => expect(await rowOf('bank_syncs', user)).toMatchObject({ state: 'SYNCED' }));
    expect(await effectsOf('issuer:aravalli', account)).toMatchObject([{ calls: 1 }]);
  });

  it('registers the account at no issuer when a worker leased it before the stop', async () => {
    const { user, account, registration } = await waitingRegistration();
    const leaseId = await leaseOf('bank_syncs', registration.id);
    const registrations = service.app.get(RegistrationsRepository);
    const ask = async () =>
      service.app
        .get(BeneficiaryRegistration)
        .ask({ ...(await registrations.findById(registration.id)), leaseId });
    expect(await ask()).toBeUndefined();
    expect(await effectsOf('issuer:aravalli', account)).toEqual([]);
    await resume(service, user);
    expect(await ask()).toMatchObject({ state: 'settled', result: { state: 'registered' } });
    await release('bank_syncs', registration.id);
  });

  /** Stops a user whose account the bank could not verify yet. */
  async function unsentVerification() {
    const user = await logIn(service);
    const given = bankBody({ account: anAccount('0503') });
    expectRefusal(await postBank(as(service.api, user), given), BankErrors.unavailable);
    await stop(service, user);
    await age('bank_accounts', user);
    const verification = await rowOf('bank_accounts', user);
    expect(verification).toMatchObject({ state: 'DUE', isSent: false });
    return { user, verification };
  }

  it('verifies the account only once the user may continue, and starts its limit of a day again', async () => {
    const { user, verification } = await unsentVerification();
    await work(AccountVerification);
    expect(await rowOf('bank_accounts', user)).toEqual({ ...verification, isOld: true });
    await resume(service, user);
    expect(await rowOf('bank_accounts', user)).toMatchObject({ isOld: false });
    await eventually(async () =>
      expect((await rowOf('bank_accounts', user)).tries).toBeGreaterThan(verification.tries),
    );
    expect(await rowOf('bank_accounts', user)).toMatchObject({ state: 'DUE' });
  });

  it('does not verify the account when a worker leased it before the stop', async () => {
    const { user, verification } = await unsentVerification();
    const leaseId = await leaseOf('bank_accounts', verification.id);
    const accounts = service.app.get(BankAccountsRepository);
    const ask = async () =>
      service.app.get(AccountVerification).ask({ ...(await accounts.findById(verification.id)), leaseId });
    await expect(ask()).rejects.toThrow('was stopped');
    expect(await rowOf('bank_accounts', user)).toMatchObject({ isSent: false });
    await resume(service, user);
    // the bank is down for this account
    await expect(ask()).rejects.toThrow(ProviderError);
    await expect(ask()).rejects.not.toThrow('was stopped');
    await release('bank_accounts', verification.id);
  });
});

describe('bank account of a user of two partners', () => {
  const KEYS = ecKeys();
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  /** Disables the partner at which the account was given; the user has logged in at another one, too. */
  async function twoPartners() {
    const phone = aPhone();
    const logInAt = async (url: string) => {
      await aPartner(service.dataSource, { url, keys: KEYS });
      await service.api.post('/auth/register', { phone });
      const verify = verifyBody(phone, await codeOf(phone), url);
      const { body: login } = await service.api.post('/auth/api/v2/register/verify', verify);
      const { payload } = login as { payload: LoginPayload };
      return { ...payload, api: as(service.api, payload) };
    };
    const first = `https://first.of-${phone}.example`;
    const user = await logInAt(first);
    const own = user.api;
    const body = bankBody({ issuer_code: 'ARAVFIN' });
    expect((await postBank(own, body)).status).toBe(200);
    const { api: other } = await logInAt(`https://other.of-${phone}.example`);
    const complete = async () => {
      await runPartners(service, 'disable', '--url', first, ...WHO);
      await knownAs(service, user.user_id, HOLDER);
    };
    const stateOf = async () => {
      const [row] = await service.dataSource.query<{ state: string }[]>(
        `SELECT s.state FROM onboarding.bank_syncs s JOIN onboarding.bank_accounts a ON a.id = s.account_id
          WHERE a.user_id = $1`,
        [user.user_id],
      );
      return row!.state;
    };
    return { own, other, account: body.account, complete, stateOf };
  }

  it.concurrent('registers the account under the consents of the other partner', async () => {
    const { account, complete, stateOf } = await twoPartners();
    await complete();
    await eventually(async () => expect(await stateOf()).toBe('SYNCED'));
    expect(await effectsOf('issuer:aravalli', account)).toMatchObject([{ calls: 1 }]);
  });

  it.concurrent(
    'drops the registration if the user has withdrawn a consent at the other partner',
    async () => {
      const { own, other, account, complete, stateOf } = await twoPartners();
      const given = { purpose: 'BANK_ACCOUNT_VERIFICATION', notice_version: '2026-11' };
      expect((await own.post('/api/v1/consents', given)).status).toBe(200);
      const { body } = await other.post('/api/v1/consents', given);
      const { consent_id } = (body as { payload: GivenConsent }).payload;
      expect((await other.post(`/api/v1/consents/${consent_id}/withdraw`, {})).status).toBe(200);
      await complete();
      await eventually(async () => expect(await stateOf()).toBe('DROPPED'));
      expect(await effectsOf('issuer:aravalli', account)).toEqual([]);
    },
  );
});
