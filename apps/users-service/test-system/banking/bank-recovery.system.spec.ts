import '@fd/testing/use-generous-limits';
import { randomUUID } from 'node:crypto';
import { BankErrors, IssuerErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel } from '@fd/testing';
import { AccountRequests } from '../../src/banking/account-requests.service.js';
import { IssuerDirectory } from '../../src/journey/steps/current-issuer.service.js';
import {
  bankBody,
  getVerification,
  handOverToBankWorker,
  HOLDER,
  payloadOf,
  postBank,
  verifyBank,
} from '../../test/support/bank.js';
import { effectsOf } from '../../test/support/effects.js';
import { anAccount, ISSUER_CODES, type IssuerSlug } from '../../test/support/issuers.js';
import { as, logIn } from '../../test/support/login.js';
import { knownAs } from '../../test/support/pan.js';
import { sandboxUrl } from '../../test/support/sandbox.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const IFSC = 'HDFC0001234';

interface AccountRow {
  readonly id: string;
  readonly state: string;
  readonly idempotency_key: string;
}

/** Sends the sandbox the request of a replica that died afterwards, with its idempotency key. */
async function askSandbox<Answer>(path: string, key: string, body: object): Promise<Answer> {
  const response = await fetch(`${sandboxUrl()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer key', 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

describe('recovery of bank verifications without another call', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
    // its worker competes for the same rows
    await service.replica();
  });
  afterAll(() => service.close());

  async function aUser() {
    const user = await logIn(service);
    await knownAs(service, user.user_id, HOLDER);
    return { ...user, api: as(service.api, user) };
  }

  const pennies = (account: string) => effectsOf('bank', account);
  const registrations = (slug: string, account: string) => effectsOf(`issuer:${slug}`, account);
  const query = <Row>(sql: string, parameters: unknown[] = []) =>
    service.dataSource.query<Row[]>(sql, parameters);
  const accountOf = async (userId: string) =>
    (
      await query<AccountRow>(
        'SELECT id, state, idempotency_key FROM onboarding.bank_accounts WHERE user_id = $1',
        [userId],
      )
    )[0]!;
  const syncOf = async (accountId: string) =>
    (
      await query<AccountRow>(
        'SELECT id, state, idempotency_key FROM onboarding.bank_syncs WHERE account_id = $1',
        [accountId],
      )
    )[0]!;
  const bankStep = async (userId: string, slug: string) =>
    (
      await query<{ state: string }>(
        `SELECT state FROM onboarding.journey_steps
          WHERE user_id = $1 AND issuer_slug = $2 AND step = 'BANK'`,
        [userId, slug],
      )
    )[0]?.state;

  /** Ids of the verifications and registrations in error lines with this message. */
  const logged = (msg: string) =>
    service
      .logs()
      .trim()
      .split('\n')
      .map(
        (line) => JSON.parse(line) as { level: string; msg: string; verification_id?: string; id?: string },
      )
      .filter((line) => line.level === 'error' && line.msg === msg)
      .map((line) => line.verification_id ?? line.id);

  /** Makes rows that no worker takes before a lease or `handOverToBankWorker`, however slow the machine is. */
  async function held<T>(make: () => Promise<T>): Promise<T> {
    await query(`CREATE FUNCTION onboarding.hold() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.next_try_at := greatest(NEW.next_try_at, now() + interval '50 seconds'); RETURN NEW; END $$`);
    try {
      for (const table of ['bank_accounts', 'bank_syncs'])
        await query(`CREATE TRIGGER hold BEFORE INSERT ON onboarding.${table}
          FOR EACH ROW EXECUTE FUNCTION onboarding.hold()`);
      return await make();
    } finally {
      await query('DROP FUNCTION onboarding.hold() CASCADE');
    }
  }

  /** A verification whose replica died after it stored the request. @param isHeld false: the worker takes it after its usual time */
  async function anOpenedCall(slug: IssuerSlug, account = anAccount(), isHeld = true) {
    const user = await aUser();
    const issuer = service.app.get(IssuerDirectory).bySlug(slug);
    const request = () =>
      service.app
        .get(AccountRequests)
        .requestVerification({ userId: user.user_id, account, ifsc: IFSC, holderName: HOLDER }, issuer);
    const { account: opened } = await (isHeld ? held(request) : request());
    return { ...user, id: opened.id, key: opened.idempotencyKey, account, slug };
  }

  /** A verified account whose replica died before it asked the issuer. */
  async function aVerifiedCall(slug: IssuerSlug, account = anAccount()) {
    const user = await aUser();
    await verifyBank(user.api, { account });
    const { id } = await accountOf(user.user_id);
    const issuer = service.app.get(IssuerDirectory).bySlug(slug);
    const { registration } = (await held(() =>
      service.app
        .get(AccountRequests)
        .acceptHolderName({ account: { id, userId: user.user_id }, isRecorded: false }, HOLDER, issuer),
    ))!;
    return { ...user, id, syncId: registration!.id, key: registration!.idempotencyKey, account, slug };
  }

  /** Leases a row to a replica that never works on it. */
  const leaseToDeadReplica = (table: 'bank_accounts' | 'bank_syncs', id: string, seconds = 1) =>
    query(
      `UPDATE onboarding.${table} SET lease_id = $2, leased_until = now() + make_interval(secs => $3),
              next_try_at = now() WHERE id = $1`,
      [id, randomUUID(), seconds],
    );

  /** Waits until the workers have verified and registered the account. */
  async function expectFinished({ api, id, slug, user_id }: Awaited<ReturnType<typeof anOpenedCall>>) {
    await eventually(async () => {
      const response = await getVerification(api, id);
      expect([response.status, payloadOf(response)]).toEqual([
        200,
        expect.objectContaining({
          is_bank_verified: true,
          is_synced: true,
          issuer_code: ISSUER_CODES[slug],
          issuer_reference: expect.any(String) as string,
        }),
      ]);
    });
    expect(await bankStep(user_id, slug)).toBe('DONE');
  }

  /** Waits as `expectFinished`, without the time after which the workers take the account over. */
  async function expectRecovered(call: Awaited<ReturnType<typeof anOpenedCall>>) {
    await handOverToBankWorker(service, call.user_id);
    await expectFinished(call);
  }

  describe('after the replica died', () => {
    it('asks the bank and the issuer once when the replica died before it asked the bank', async () => {
      const call = await anOpenedCall('aravalli', anAccount(), false);
      await expectFinished(call);
      expect(await pennies(call.account)).toMatchObject([{ calls: 1, idempotency_key: call.key }]);
      expect(await registrations('aravalli', call.account)).toMatchObject([{ calls: 1 }]);
    });

    it('asks the bank again with the same key when the replica died before it stored the answer', async () => {
      const call = await anOpenedCall('nilgiri');
      await leaseToDeadReplica('bank_accounts', call.id);
      const body = { account_number: call.account, ifsc: IFSC, holder_name: HOLDER };
      await askSandbox('/providers/bank/account-verifications', call.key, body);
      await expectRecovered(call);
      expect(await pennies(call.account)).toMatchObject([{ calls: 2, idempotency_key: call.key }]);
      expect(await registrations('nilgiri', call.account)).toMatchObject([{ calls: 1 }]);
    });

    it('follows the running check when the replica died while the bank was checking', async () => {
      const call = await anOpenedCall('aravalli', anAccount('0202'));
      const body = { account_number: call.account, ifsc: IFSC, holder_name: HOLDER };
      const taken = await askSandbox<{ verification_id: string }>(
        '/providers/bank/account-verifications',
        call.key,
        body,
      );
      await query(
        "UPDATE onboarding.bank_accounts SET state = 'PROCESSING', provider = 'bank', receipt = $2 WHERE id = $1",
        [call.id, taken.verification_id],
      );
      await leaseToDeadReplica('bank_accounts', call.id);
      await expectRecovered(call);
      expect(await pennies(call.account)).toMatchObject([{ calls: 1 }]);
    });

    it('registers the account when the replica died between bank and issuer', async () => {
      const call = await aVerifiedCall('kaveri');
      await expectRecovered(call);
      expect(await pennies(call.account)).toMatchObject([{ calls: 1 }]);
      expect(await registrations('kaveri', call.account)).toMatchObject([
        { calls: 1, idempotency_key: call.key },
      ]);
    });

    it('asks the issuer again with the same key when the replica died before it stored the registration', async () => {
      const call = await aVerifiedCall('sahyadri');
      await leaseToDeadReplica('bank_syncs', call.syncId);
      await askSandbox('/issuers/sahyadri/bank-accounts', call.key, {
        beneficiary_name: HOLDER.toUpperCase(),
        account_no: call.account,
        ifsc: IFSC,
        customer_ref: call.user_id,
      });
      await expectRecovered(call);
      expect(await registrations('sahyadri', call.account)).toMatchObject([
        { calls: 2, idempotency_key: call.key },
      ]);
    });

    it('follows the running registration when the replica died while the issuer was deciding', async () => {
      const call = await aVerifiedCall('vindhya');
      const { body } = await askSandbox<{ body: { ackNo: string } }>(
        '/issuers/vindhya/cbs/beneficiaryAdd',
        call.key,
        {
          header: { channel: 'TEST', txnRef: 't-1' },
          body: { benName: HOLDER, benAcctNo: call.account, benIfsc: IFSC, custRef: call.user_id },
        },
      );
      await query("UPDATE onboarding.bank_syncs SET state = 'ACCEPTED', receipt = $2 WHERE id = $1", [
        call.syncId,
        body.ackNo,
      ]);
      await leaseToDeadReplica('bank_syncs', call.syncId);
      await expectRecovered(call);
      expect(await registrations('vindhya', call.account)).toMatchObject([{ calls: 1 }]);
    });

    it('verifies and registers each of 12 open accounts once, with the workers of two replicas', async () => {
      const calls = await inParallel(12, () => anOpenedCall('aravalli', anAccount(), false));
      for (const call of calls) {
        await expectFinished(call);
        expect(await pennies(call.account)).toMatchObject([{ calls: 1 }]);
        expect(await registrations('aravalli', call.account)).toMatchObject([{ calls: 1 }]);
      }
    });
  });

  it('asks the bank again with the same key when PostgreSQL refused to store its answer', async () => {
    await query(
      "ALTER TABLE onboarding.bank_accounts ADD CONSTRAINT ck_test CHECK (state <> 'VERIFIED') NOT VALID",
    );
    const call = await anOpenedCall('aravalli');
    await handOverToBankWorker(service, call.user_id);
    await eventually(() => expect(logged('an open bank row was not advanced')).toContain(call.id));
    await query('ALTER TABLE onboarding.bank_accounts DROP CONSTRAINT ck_test');
    await eventually(async () => {
      // as soon as the worker releases the row, which it would otherwise leave alone for a minute
      const [, count] = await service.dataSource.query<[unknown, number]>(
        'UPDATE onboarding.bank_accounts SET next_try_at = now() WHERE id = $1 AND lease_id IS NULL',
        [call.id],
      );
      expect(count).toBe(1);
    });
    await expectRecovered(call);
    expect(await pennies(call.account)).toMatchObject([{ calls: 2, idempotency_key: call.key }]);
  });

  it('fails the step at all issuers of an account in one order, whichever issuer came first', async () => {
    const call = await anOpenedCall('vindhya', anAccount('0423'));
    await leaseToDeadReplica('bank_accounts', call.id, 3_600);
    const given = { userId: call.user_id, account: call.account, ifsc: IFSC, holderName: HOLDER };
    for (const slug of ['kaveri', 'aravalli', 'nilgiri'] as const)
      await service.app
        .get(AccountRequests)
        .requestVerification(given, service.app.get(IssuerDirectory).bySlug(slug));
    await leaseToDeadReplica('bank_accounts', call.id, 0);
    await eventually(async () => expect(await bankStep(call.user_id, 'vindhya')).toBe('FAILED'));
    const failed = await query<{ issuer_slug: string }>(
      "SELECT issuer_slug FROM onboarding.journey_events WHERE user_id = $1 AND event = 'FAILED' ORDER BY id",
      [call.user_id],
    );
    expect(failed.map((row) => row.issuer_slug)).toEqual(['aravalli', 'kaveri', 'nilgiri', 'vindhya']);
  });

  it('answers 202 and does not ask the bank while another replica holds the lease', async () => {
    const call = await anOpenedCall('aravalli');
    await leaseToDeadReplica('bank_accounts', call.id, 3_600);
    const body = bankBody({ account: call.account, issuer_code: 'ARAVFIN' });
    const response = await postBank(call.api, body);
    expect([response.status, payloadOf(response)]).toEqual([
      202,
      expect.objectContaining({ verification_id: call.id, pending_code: BankErrors.pending.code }),
    ]);
    expect(await pennies(call.account)).toEqual([]);
    await leaseToDeadReplica('bank_accounts', call.id, 0);
    await expectRecovered(call);
  });

  describe('verification or registration that the provider lost', () => {
    it('asks the bank again with the same key when the bank lost the verification', async () => {
      const call = await anOpenedCall('aravalli');
      await query(
        "UPDATE onboarding.bank_accounts SET state = 'PROCESSING', provider = 'bank', receipt = 'gone' WHERE id = $1",
        [call.id],
      );
      await expectRecovered(call);
      expect(await pennies(call.account)).toMatchObject([{ calls: 1, idempotency_key: call.key }]);
    });

    it('asks the issuer again with the same key when the issuer lost the registration', async () => {
      const call = await aVerifiedCall('kaveri');
      await query("UPDATE onboarding.bank_syncs SET state = 'ACCEPTED', receipt = 'gone' WHERE id = $1", [
        call.syncId,
      ]);
      await expectRecovered(call);
      expect(await registrations('kaveri', call.account)).toMatchObject([
        { calls: 1, idempotency_key: call.key },
      ]);
    });
  });

  describe('giving up after a day', () => {
    const makeOverdue = (table: 'bank_accounts' | 'bank_syncs', id: string) =>
      query(
        `UPDATE onboarding.${table} SET due_since = now() - interval '25 hours', next_try_at = now() WHERE id = $1`,
        [id],
      );

    it('gives up a verification and a registration after a day when the account cannot be decrypted', async () => {
      const spoil = (id: string) =>
        query("UPDATE onboarding.bank_accounts SET account_encrypted = 'none' WHERE id = $1", [id]);
      const makeOverdueAndRelease = (table: 'bank_accounts' | 'bank_syncs', id: string) =>
        query(
          `UPDATE onboarding.${table} SET due_since = now() - interval '25 hours', next_try_at = now(),
                  lease_id = NULL, leased_until = NULL WHERE id = $1`,
          [id],
        );
      const opened = await anOpenedCall('aravalli');
      await spoil(opened.id);
      await makeOverdueAndRelease('bank_accounts', opened.id);
      await eventually(async () => {
        expect(await accountOf(opened.user_id)).toMatchObject({ state: 'ABANDONED' });
      });
      expect(await syncOf(opened.id)).toMatchObject({ state: 'DROPPED' });
      expect(await bankStep(opened.user_id, 'aravalli')).toBe('FAILED');

      const verified = await aVerifiedCall('aravalli');
      await leaseToDeadReplica('bank_syncs', verified.syncId, 3_600);
      await spoil(verified.id);
      await makeOverdueAndRelease('bank_syncs', verified.syncId);
      await eventually(async () => {
        expect(await syncOf(verified.id)).toMatchObject({ state: 'ABANDONED' });
      });
      expect(await bankStep(verified.user_id, 'aravalli')).toBe('FAILED');
      expect(logged('an open bank row was not advanced')).toEqual(
        expect.arrayContaining([opened.id, verified.syncId]),
      );
    });

    it('gives up when the bank stays down for a day, and starts again with the same key on the next call', async () => {
      const call = await anOpenedCall('aravalli', anAccount('0503'));
      await makeOverdue('bank_accounts', call.id);
      await eventually(async () =>
        expectRefusal(await getVerification(call.api, call.id), BankErrors.unavailable),
      );
      expect(await bankStep(call.user_id, 'aravalli')).toBe('FAILED');
      expect(logged('a bank verification was given up')).toContain(call.id);
      expectRefusal(await postBank(call.api, bankBody({ account: call.account })), BankErrors.unavailable);
      expect(await accountOf(call.user_id)).toMatchObject({ state: 'DUE', idempotency_key: call.key });
    });

    it('gives up when the bank keeps checking for a day, and drops the registration', async () => {
      const call = await anOpenedCall('aravalli', anAccount('0202'));
      await makeOverdue('bank_accounts', call.id);
      await eventually(async () =>
        expectRefusal(await getVerification(call.api, call.id), BankErrors.unavailable),
      );
      expect(await syncOf(call.id)).toMatchObject({ state: 'DROPPED' });
    });

    it('counts the day of a registration from the verification of the account', async () => {
      const call = await anOpenedCall('nilgiri', anAccount('2403'));
      await query(
        "UPDATE onboarding.bank_syncs SET due_since = now() - interval '25 hours' WHERE account_id = $1",
        [call.id],
      );
      await handOverToBankWorker(service, call.user_id);
      await eventually(async () =>
        expect(await accountOf(call.user_id)).toMatchObject({ state: 'VERIFIED' }),
      );
      const [sync] = await query<{ is_fresh: boolean }>(
        "SELECT due_since > now() - interval '1 hour' AS is_fresh FROM onboarding.bank_syncs WHERE account_id = $1",
        [call.id],
      );
      expect(sync).toEqual({ is_fresh: true });
    });

    it('gives up when the issuer stays down for a day, and starts again with the same key on the next call', async () => {
      const call = await aVerifiedCall('nilgiri', anAccount('2403'));
      await makeOverdue('bank_syncs', call.syncId);
      await eventually(async () =>
        expectRefusal(await getVerification(call.api, call.id), IssuerErrors.unavailable),
      );
      expect(await bankStep(call.user_id, 'nilgiri')).toBe('FAILED');
      expect(logged('a registration at an issuer was given up')).toContain(call.id);
      const body = bankBody({ account: call.account, issuer_code: 'NILHFC' });
      expectRefusal(await postBank(call.api, body), IssuerErrors.unavailable);
      expect(await syncOf(call.id)).toMatchObject({ state: 'DUE', idempotency_key: call.key });
      // the account stays verified
      expect(await accountOf(call.user_id)).toMatchObject({ state: 'VERIFIED' });
    });
  });
});
