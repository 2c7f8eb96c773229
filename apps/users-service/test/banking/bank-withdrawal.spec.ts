import { randomUUID } from 'node:crypto';
import type { ConsentsPayload, GivenConsent, LoginPayload } from '@fd/contracts';
import { BankErrors, IssuerErrors, ProviderError } from '@fd/errors';
import { eventually, expectRefusal } from '@fd/testing';
import { BankAccountsRepository } from '../../src/banking/accounts/bank-accounts.repository.js';
import { RegistrationsRepository } from '../../src/banking/accounts/registrations.repository.js';
import { BeneficiaryRegistration } from '../../src/banking/registration/beneficiary-registration.service.js';
import { AccountVerification } from '../../src/banking/verification/account-verification.service.js';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { shortOf, trailOf } from '../support/audit.js';
import { bankBody, getVerification, HOLDER, payloadOf, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { aPhone, codeOf } from '../support/inbox.js';
import { anAccount, ISSUER_CODES } from '../support/issuers.js';
import { as, type LoggedIn, logIn, verifyBody } from '../support/login.js';
import { runCalls, runPan, runPartners, runUsers, WHO } from '../support/operator.js';
import { knownAs } from '../support/pan.js';
import { aPartner, ecKeys } from '../support/partner.js';
import { kindsOf, RegisteredUsers as Users } from '../support/registered-users.js';
import { answersJson, type Behaviour, BEHAVIOURS } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';
import { type OwnProvider, withProvider } from '../support/with-own.js';

const ANOTHER_PERSON = 'MEERA RANI REDDY';

const REGISTERED = answersJson(201, { beneficiary_id: 'b-1', state: 'ACTIVE' });
const WITHDRAWN = answersJson(200, { beneficiary_id: 'b-1', state: 'WITHDRAWN' });

/** Starts an issuer that behaves as given until it `recovers`, with a service of its own. */
const withLostRegistration = (first: Behaviour, test: (lost: LostRegistration) => Promise<void>) =>
  withProvider(
    (url) => ({ ISSUER_API_URL: url }),
    async ({ service, provider: issuer }) => {
      issuer.behaviour = first;
      await test(new LostRegistration(service, issuer));
    },
  );

class LostRegistration {
  readonly users: Users;
  constructor(
    readonly service: TestService,
    private readonly issuer: OwnProvider['provider'],
  ) {
    this.users = new Users(service);
  }

  /** Requests a registration; `answer` is the answer of the service. */
  async request(issuer_code = 'ARAVFIN') {
    const user = await logIn(this.service);
    const api = as(this.service.api, user);
    await knownAs(this.service, user.user_id, HOLDER);
    const answer = postBank(api, bankBody({ issuer_code }));
    const id = await eventually(async () => {
      expect(this.issuer.calls).not.toEqual([]);
      const [account] = await this.users.query<{ id: string }[]>(
        'SELECT id FROM onboarding.bank_accounts WHERE user_id = $1',
        [user.user_id],
      );
      return account!.id;
    });
    return { ...user, api, id, answer };
  }

  recover(): void {
    this.issuer.behaviour = (response) =>
      (this.issuer.calls.at(-1)!.path.endsWith('/withdrawal') ? WITHDRAWN : REGISTERED)(response);
  }

  /** As `request`, whose answer is lost; then the issuer recovers. */
  async requestAndLose(issuer_code?: string) {
    const user = await this.request(issuer_code);
    expectRefusal(await user.answer, IssuerErrors.unavailable);
    this.recover();
    return user;
  }

  /** Expects that the issuer got one registration, however often it was sent, and one withdrawal. */
  async expectWithdrawn({ id, user_id }: { id: string; user_id: string }): Promise<void> {
    await eventually(async () =>
      expect(await this.users.withdrawalsOf(id)).toEqual({ aravalli: 'WITHDRAWN' }),
    );
    // a job may withdraw the account before its names are compared
    await eventually(async () =>
      expect(await this.users.registrationsOf(id)).toEqual({ aravalli: 'DROPPED' }),
    );
    expect(this.withdrawals().map(({ path }) => path)).toEqual([
      expect.stringMatching(/\/bank-accounts\/b-1\/withdrawal$/),
    ]);
    expect(new Set(this.registrations().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    const steps = await this.users.query<object[]>(
      "SELECT state, reason FROM onboarding.journey_steps WHERE user_id = $1 AND step = 'BANK'",
      [user_id],
    );
    expect(steps).toEqual([{ state: 'FAILED', reason: BankErrors.holderDiffers.code }]);
  }

  withdrawals = () => this.issuer.calls.filter(({ path }) => path.endsWith('/withdrawal'));
  registrations = () => this.issuer.calls.filter(({ path }) => !path.endsWith('/withdrawal'));
}

/** Starts a service with its own issuer. */
const withIssuer = <Case extends unknown[]>(test: (own: OwnProvider, ...of: Case) => Promise<void>) =>
  withProvider((url) => ({ ISSUER_API_URL: url }), test);

// in one describe, since all tests wait for workers and next tries
describe('registered bank account whose user verifies the PAN of another person or loses the PAN', () => {
  let service: TestService;
  let users: Users;
  let logs: () => string;
  beforeAll(async () => {
    service = await startService();
    // its worker competes for the same rows
    const replica = await service.replica();
    logs = () => service.logs() + replica.logs();
    users = new Users(service);
  });
  afterAll(() => service.close());

  it.concurrent(
    "withdraws another person's account once from an issuer whose API supports it, without another call",
    async () => {
      const user = await users.registered('aravalli', 'kaveri');
      await users.nextPan(user, ANOTHER_PERSON);
      await eventually(async () =>
        expect(await users.withdrawalsOf(user.id)).toEqual({ aravalli: 'WITHDRAWN', kaveri: 'KEPT' }),
      );
      // a job may withdraw the account between the release and the next PAN, before its names are compared
      await eventually(async () =>
        expect(await users.registrationsOf(user.id)).toEqual({ aravalli: 'DROPPED', kaveri: 'SYNCED' }),
      );
      expect(await kindsOf('aravalli', user.body.account)).toEqual([
        ['account_registration', 1],
        ['account_withdrawal', 1],
      ]);
      expect(await kindsOf('kaveri', user.body.account)).toEqual([['account_registration', 1]]);
      expectRefusal(await getVerification(user.api, user.id), BankErrors.holderDiffers);
      const steps = await users.query<object[]>(
        `SELECT issuer_slug AS slug, state, reason FROM onboarding.journey_steps
        WHERE user_id = $1 AND step = 'BANK' ORDER BY 1`,
        [user.user_id],
      );
      const failed = { state: 'FAILED', reason: BankErrors.holderDiffers.code };
      expect(steps).toEqual([
        { slug: 'aravalli', ...failed },
        { slug: 'kaveri', ...failed },
      ]);
      const recorded = (await trailOf(service, user.user_id)).filter(
        ({ action }) => action === 'BANK_ACCOUNT_WITHDRAWN',
      );
      const lines = recorded.map((event) => [shortOf(event), event.issuerSlug, event.actor].join(' '));
      expect([...new Set(lines)].sort()).toEqual([
        'BANK_ACCOUNT_WITHDRAWN FAILED kaveri system:bank-worker',
        'BANK_ACCOUNT_WITHDRAWN aravalli system:bank-worker',
      ]);
    },
  );

  it.concurrent(
    'registers an account again after its withdrawal, and keeps it where it was not withdrawn, once the PAN names the holder',
    async () => {
      const user = await users.registered('aravalli', 'kaveri');
      await users.nextPan(user, ANOTHER_PERSON);
      await eventually(async () => {
        expect(await users.registrationsOf(user.id)).toEqual({ aravalli: 'DROPPED', kaveri: 'SYNCED' });
        expect(await users.withdrawalsOf(user.id)).toEqual({ aravalli: 'WITHDRAWN', kaveri: 'KEPT' });
      });
      await users.nextPan(user, HOLDER);
      const anew: (string | null)[] = [];
      for (const issuer_code of ['ARAVFIN', 'KAVSFB']) {
        const response = await postBank(user.api, { ...user.body, issuer_code });
        expect([response.status, payloadOf(response).is_synced]).toEqual([200, true]);
        anew.push(payloadOf(response).issuer_reference);
      }
      expect(anew[0]).not.toBe(user.references[0]);
      expect(anew[1]).toBe(user.references[1]);
      const keys = (await effectsOf('issuer:aravalli', user.body.account)).map(
        (effect) => effect.idempotency_key,
      );
      expect(new Set(keys).size).toBe(3);
      expect(await kindsOf('kaveri', user.body.account)).toEqual([['account_registration', 1]]);
    },
  );

  it.concurrent(
    'withdraws the account of a lost PAN once, and registers it again when the next PAN names the holder',
    async () => {
      const user = await users.registered('aravalli', 'kaveri');
      await runPan(service, '', 'release', '--user', user.user_id, ...WHO);
      await eventually(async () =>
        expect(await users.withdrawalsOf(user.id)).toEqual({ aravalli: 'WITHDRAWN', kaveri: 'KEPT' }),
      );
      expect(await users.registrationsOf(user.id)).toEqual({ aravalli: 'DUE', kaveri: 'SYNCED' });
      await knownAs(service, user.user_id, HOLDER);
      await eventually(async () =>
        expect(await users.registrationsOf(user.id)).toEqual({ aravalli: 'SYNCED', kaveri: 'SYNCED' }),
      );
      expect(await kindsOf('aravalli', user.body.account)).toEqual([
        ['account_registration', 1],
        ['account_withdrawal', 1],
        ['account_registration', 1],
      ]);
      expect(await kindsOf('kaveri', user.body.account)).toEqual([['account_registration', 1]]);
      const kept = await users.query<object[]>(
        "SELECT FROM onboarding.bank_withdrawals WHERE account_id = $1 AND state = 'KEPT'",
        [user.id],
      );
      expect(kept).toHaveLength(1);
    },
  );

  it.concurrent(
    'withdraws the account of a lost PAN although an operator still has to decide on its names',
    async () => {
      const user = await users.registered('aravalli');
      await users.query("UPDATE onboarding.bank_accounts SET name_review = 'WAITING' WHERE id = $1", [
        user.id,
      ]);
      await runPan(service, '', 'release', '--user', user.user_id, ...WHO);
      await eventually(async () =>
        expect(await users.withdrawalsOf(user.id)).toEqual({ aravalli: 'WITHDRAWN' }),
      );
      expect(await users.registrationsOf(user.id)).toEqual({ aravalli: 'DUE' });
    },
  );

  it.concurrent(
    'withdraws the account of a lost PAN although the data of another such account cannot be decrypted',
    async () => {
      const damaged = await users.registered('aravalli');
      const user = await users.registered('aravalli');
      await users.query(
        'UPDATE onboarding.bank_accounts SET account_encrypted = name_at_bank_encrypted WHERE id = $1',
        [damaged.id],
      );
      for (const { user_id } of [damaged, user])
        await runPan(service, '', 'release', '--user', user_id, ...WHO);
      await eventually(async () =>
        expect(await users.withdrawalsOf(user.id)).toEqual({ aravalli: 'WITHDRAWN' }),
      );
      await eventually(() => expect(logs()).toContain('an account without a PAN was not withdrawn'));
      await users.query("UPDATE onboarding.bank_syncs SET state = 'DROPPED' WHERE account_id = $1", [
        damaged.id,
      ]);
    },
  );

  it.concurrent(
    'does not register the account of a lost PAN again when the next PAN names another person',
    async () => {
      const user = await users.registered('aravalli');
      await runPan(service, '', 'release', '--user', user.user_id, ...WHO);
      await eventually(async () =>
        expect(await users.withdrawalsOf(user.id)).toEqual({ aravalli: 'WITHDRAWN' }),
      );
      await knownAs(service, user.user_id, ANOTHER_PERSON);
      await eventually(async () =>
        expect(await users.registrationsOf(user.id)).toEqual({ aravalli: 'DROPPED' }),
      );
      expectRefusal(await getVerification(user.api, user.id), BankErrors.holderDiffers);
      expect(await kindsOf('aravalli', user.body.account)).toEqual([
        ['account_registration', 1],
        ['account_withdrawal', 1],
      ]);
    },
  );

  it.concurrent(
    'repeats a registration with its key and withdraws it when the answer of the issuer was lost',
    withLostRegistration(BEHAVIOURS.resets, async (lost) => {
      const user = await lost.requestAndLose();
      await lost.users.nextPan(user, ANOTHER_PERSON);
      await lost.expectWithdrawn(user);
    }),
  );

  it.concurrent(
    'repeats a registration with its key and withdraws it when the user loses the PAN',
    withLostRegistration(BEHAVIOURS.resets, async (lost) => {
      const user = await lost.requestAndLose();
      await runPan(lost.service, '', 'release', '--user', user.user_id, ...WHO);
      await lost.users.tryRegistrationNow(user);
      await eventually(async () =>
        expect(await lost.users.withdrawalsOf(user.id)).toEqual({ aravalli: 'WITHDRAWN' }),
      );
      expect(await lost.users.registrationsOf(user.id)).toEqual({ aravalli: 'DUE' });
      expect(new Set(lost.registrations().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    }),
  );

  it.concurrent(
    'repeats a registration with its key and withdraws it when the user loses the PAN after it was given up',
    withLostRegistration(BEHAVIOURS.resets, async (lost) => {
      const user = await lost.requestAndLose();
      await lost.users.query(
        "UPDATE onboarding.bank_syncs SET state = 'ABANDONED', settled_at = now() WHERE account_id = $1",
        [user.id],
      );
      await runPan(lost.service, '', 'release', '--user', user.user_id, ...WHO);
      await eventually(async () =>
        expect(await lost.users.withdrawalsOf(user.id)).toEqual({ aravalli: 'WITHDRAWN' }),
      );
      expect(new Set(lost.registrations().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    }),
  );

  it.concurrent('withdraws when the issuer answers after the comparison with the PAN', async () => {
    let answerNow = (): void => undefined;
    const slowly: Behaviour = (response) => void (answerNow = () => REGISTERED(response));
    await withLostRegistration(slowly, async (lost) => {
      const user = await lost.request();
      lost.recover();
      await lost.users.nextPan(user, ANOTHER_PERSON);
      expectRefusal(await getVerification(user.api, user.id), BankErrors.holderDiffers);
      answerNow();
      await user.answer;
      await lost.expectWithdrawn(user);
    })();
  });

  it.concurrent(
    'withdraws a registration after it was given up',
    withLostRegistration(BEHAVIOURS.resets, async (lost) => {
      const user = await lost.requestAndLose();
      await lost.users.query(
        "UPDATE onboarding.bank_syncs SET state = 'ABANDONED', settled_at = now() WHERE account_id = $1",
        [user.id],
      );
      await lost.users.nextPan(user, ANOTHER_PERSON);
      await lost.expectWithdrawn(user);
    }),
  );

  it.concurrent(
    'does not repeat a registration at an issuer that could not remove the account',
    withLostRegistration(BEHAVIOURS.resets, async (lost) => {
      const user = await lost.requestAndLose(ISSUER_CODES.kaveri);
      // the worker, which repeats it after a pause, finds another PAN
      await eventually(async () => {
        const [, count] = await lost.service.dataSource.query<[unknown, number]>(
          `UPDATE onboarding.bank_syncs SET next_try_at = now() + interval '1 hour'
            WHERE account_id = $1 AND lease_id IS NULL`,
          [user.id],
        );
        expect(count).toBe(1);
      });
      const { length } = lost.registrations();
      await lost.users.nextPan(user, ANOTHER_PERSON);
      await eventually(async () =>
        expect(await lost.users.registrationsOf(user.id)).toEqual({ kaveri: 'DROPPED' }),
      );
      expect(lost.registrations()).toHaveLength(length);
      expect(lost.service.logs()).toContain('an issuer may keep an account of another person');
    }),
  );

  it.concurrent(
    'completes a registration when only the consent was withdrawn, because the issuer may have the account',
    withLostRegistration(BEHAVIOURS.resets, async (lost) => {
      const user = await lost.requestAndLose();
      const { body } = await user.api.get('/api/v1/consents');
      for (const { consent_id } of (body as { payload: ConsentsPayload }).payload.consents)
        expect((await user.api.post(`/api/v1/consents/${consent_id}/withdraw`, {})).status).toBe(200);
      await lost.users.tryRegistrationNow(user);
      await eventually(async () =>
        expect(await lost.users.registrationsOf(user.id)).toEqual({ aravalli: 'SYNCED' }),
      );
      const status = await getVerification(user.api, user.id);
      expect([status.status, payloadOf(status).is_synced]).toEqual([200, true]);
      expect(new Set(lost.registrations().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    }),
  );

  it.concurrent.each([
    ['removes the account', answersJson(200, { beneficiary_id: 'b-1', state: 'WITHDRAWN' })],
    [
      'no longer knows the account',
      answersJson(404, { error: { type: 'unknown_beneficiary', message: '' } }),
    ],
  ])(
    'repeats a withdrawal with the same key until the issuer %s',
    withIssuer(async ({ service, provider: issuer }, _what, done) => {
      const users = new Users(service);
      issuer.behaviour = answersJson(201, { beneficiary_id: 'b-1', state: 'ACTIVE' });
      const user = await users.registered('aravalli');
      issuer.behaviour = BEHAVIOURS.resets;
      await users.nextPan(user, ANOTHER_PERSON);
      const withdrawals = () =>
        issuer.calls.filter(({ path }) => path.endsWith('/bank-accounts/b-1/withdrawal'));
      const isTried = (tries: number) =>
        users.query<object[]>(
          'SELECT 1 FROM onboarding.bank_withdrawals WHERE account_id = $1 AND tries >= $2',
          [user.id, tries],
        );
      await eventually(async () => expect(await isTried(1)).toHaveLength(1));
      issuer.behaviour = done;
      await users.query('UPDATE onboarding.bank_withdrawals SET next_try_at = now() WHERE account_id = $1', [
        user.id,
      ]);
      await eventually(async () =>
        expect(await users.withdrawalsOf(user.id)).toEqual({ aravalli: 'WITHDRAWN' }),
      );
      expect(withdrawals().length).toBeGreaterThan(1);
      expect(new Set(withdrawals().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    }),
  );

  it.concurrent(
    'records and lists a withdrawal that was given up, and completes it once an operator repeats it',
    withIssuer(async ({ service, provider: issuer }) => {
      const users = new Users(service);
      issuer.behaviour = answersJson(201, { beneficiary_id: 'b-1', state: 'ACTIVE' });
      const user = await users.registered('aravalli');
      issuer.behaviour = BEHAVIOURS.resets;
      await users.nextPan(user, ANOTHER_PERSON);
      const open = await eventually(async () => {
        const lines = (await runCalls(service, 'list', ...WHO)).split('\n');
        const line = lines.find((text) => text.startsWith('bank-withdrawal') && text.includes(user.user_id));
        expect(line).toContain('\tDUE\t');
        return line!;
      });
      const id = open.split('\t')[1]!;
      const abandoned = async () =>
        Number(
          /bank_withdrawals_total\{outcome="abandoned"\} (\d+)/.exec(
            (await service.api.get('/metrics')).text,
          )?.[1],
        );
      expect(await abandoned()).toBe(0);
      await runCalls(service, 'give-up', '--call', id, ...WHO);
      await eventually(async () =>
        expect(await users.withdrawalsOf(user.id)).toEqual({ aravalli: 'ABANDONED' }),
      );
      expect(await abandoned()).toBe(1);
      const listed = (await runCalls(service, 'list', ...WHO)).split('\n').find((text) => text.includes(id));
      expect(listed).toMatch(/\tABANDONED\t.*ended \S+Z$/);
      await expect(runCalls(service, 'give-up', '--call', id, ...WHO)).rejects.toThrow(
        /No such call is open/,
      );
      issuer.behaviour = answersJson(200, { beneficiary_id: 'b-1', state: 'WITHDRAWN' });
      expect(await runCalls(service, 'repeat', '--call', id, ...WHO)).toContain('\tDUE\t');
      await eventually(async () =>
        expect(await users.withdrawalsOf(user.id)).toEqual({ aravalli: 'WITHDRAWN' }),
      );
      const keys = issuer.calls.filter(({ path }) => path.endsWith('/withdrawal'));
      expect(new Set(keys.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      await expect(runCalls(service, 'repeat', '--call', id, ...WHO)).rejects.toThrow(/No such call is open/);
    }),
  );

  it.concurrent(
    'does not repeat a withdrawal once the holder has registered the account again',
    withIssuer(async ({ service, provider: issuer }) => {
      const users = new Users(service);
      issuer.behaviour = answersJson(201, { beneficiary_id: 'b-1', state: 'ACTIVE' });
      const user = await users.registered('aravalli');
      const id = randomUUID();
      await users.query(
        `INSERT INTO onboarding.bank_withdrawals (id, account_id, issuer_slug, reference, idempotency_key, state, settled_at)
       VALUES ($1, $2, 'aravalli', 'b-1', $1, 'ABANDONED', now())`,
        [id, user.id],
      );
      expect(await runCalls(service, 'list', ...WHO)).not.toContain(id);
      await expect(runCalls(service, 'repeat', '--call', id, ...WHO)).rejects.toThrow(/No such call is open/);
      expect(await users.withdrawalsOf(user.id)).toEqual({ aravalli: 'ABANDONED' });
    }),
  );
});

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
