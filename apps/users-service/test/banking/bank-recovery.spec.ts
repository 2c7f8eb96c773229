import { randomUUID } from 'node:crypto';
import { BankErrors, IssuerErrors } from '@fd/errors';
import { eventually, expectRefusal } from '@fd/testing';
import { BankSyncRepository } from '../../src/banking/bank-sync.repository.js';
import { IssuerDirectory } from '../../src/integrations/issuers/issuer-directory.js';
import { bankBody, getVerification, HOLDER, payloadOf, postBank, verifyBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount, ISSUER_CODES, type IssuerSlug } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { startService, type TestService } from '../support/users-app.js';

const IFSC = 'HDFC0001234';

interface AccountRow {
  readonly id: string;
  readonly state: string;
  readonly idempotency_key: string;
}

/** Sends what the service would send, with its key: what a replica did that then died. */
async function askSandbox<Answer>(path: string, key: string, body: object): Promise<Answer> {
  const response = await fetch(`${sandboxUrl()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer key', 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

describe('a bank account that nobody calls for any more', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
    // its worker goes for the same rows
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

  /** Verifications that an error was logged about. */
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

  /** A call that was written down, whose replica died at once. */
  async function anOpenedCall(slug: IssuerSlug, account = anAccount()) {
    const user = await aUser();
    const issuer = service.app.get(IssuerDirectory).bySlug(slug);
    const { account: opened } = await service.app
      .get(BankSyncRepository)
      .requestVerification({ userId: user.user_id, account, ifsc: IFSC, holderName: HOLDER }, issuer);
    return { ...user, id: opened.id, key: opened.idempotencyKey, account, slug };
  }

  /** A call that died between the two halves. */
  async function aVerifiedCall(slug: IssuerSlug, account = anAccount()) {
    const user = await aUser();
    await verifyBank(user.api, { account });
    const { id } = await accountOf(user.user_id);
    const issuer = service.app.get(IssuerDirectory).bySlug(slug);
    const { registration } = (await service.app
      .get(BankSyncRepository)
      .acceptHolderName({ account: { id }, isRecorded: false }, HOLDER, issuer))!;
    return { ...user, id, syncId: registration!.id, key: registration!.idempotencyKey, account, slug };
  }

  /** Holds a row for somebody who is dead, for as long as a second. */
  const leaseToTheDead = (table: 'bank_accounts' | 'bank_syncs', id: string, seconds = 1) =>
    query(
      `UPDATE onboarding.${table} SET lease_id = $2, leased_until = now() + make_interval(secs => $3),
              next_try_at = now() WHERE id = $1`,
      [id, randomUUID(), seconds],
    );

  /** Nobody calls: the workers bring it to its end. */
  async function isFinished({ api, id, slug, user_id }: Awaited<ReturnType<typeof anOpenedCall>>) {
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

  describe('whose replica died', () => {
    it('before the bank was asked', async () => {
      const call = await anOpenedCall('aravalli');
      await isFinished(call);
      expect(await pennies(call.account)).toMatchObject([{ calls: 1, idempotency_key: call.key }]);
      expect(await registrations('aravalli', call.account)).toMatchObject([{ calls: 1 }]);
    });

    it('after the bank was asked and before that was written down: asked again with the same key', async () => {
      const call = await anOpenedCall('nilgiri');
      await leaseToTheDead('bank_accounts', call.id);
      const body = { account_number: call.account, ifsc: IFSC, holder_name: HOLDER };
      await askSandbox('/providers/bank/account-verifications', call.key, body);
      await isFinished(call);
      expect(await pennies(call.account)).toMatchObject([{ calls: 2, idempotency_key: call.key }]);
      expect(await registrations('nilgiri', call.account)).toMatchObject([{ calls: 1 }]);
    });

    it('while the bank was at work', async () => {
      const call = await anOpenedCall('aravalli', anAccount('0202'));
      const body = { account_number: call.account, ifsc: IFSC, holder_name: HOLDER };
      const taken = await askSandbox<{ verification_id: string }>(
        '/providers/bank/account-verifications',
        call.key,
        body,
      );
      await query("UPDATE onboarding.bank_accounts SET state = 'PROCESSING', receipt = $2 WHERE id = $1", [
        call.id,
        taken.verification_id,
      ]);
      await leaseToTheDead('bank_accounts', call.id);
      await isFinished(call);
      expect(await pennies(call.account)).toMatchObject([{ calls: 1 }]);
    });

    it('between the bank and the issuer', async () => {
      const call = await aVerifiedCall('kaveri');
      await isFinished(call);
      expect(await pennies(call.account)).toMatchObject([{ calls: 1 }]);
      expect(await registrations('kaveri', call.account)).toMatchObject([
        { calls: 1, idempotency_key: call.key },
      ]);
    });

    it('after an issuer registered and before that was written down: asked again with the same key', async () => {
      const call = await aVerifiedCall('sahyadri');
      await leaseToTheDead('bank_syncs', call.syncId);
      await askSandbox('/issuers/sahyadri/bank-accounts', call.key, {
        beneficiary_name: HOLDER.toUpperCase(),
        account_no: call.account,
        ifsc: IFSC,
        customer_ref: call.user_id,
      });
      await isFinished(call);
      expect(await registrations('sahyadri', call.account)).toMatchObject([
        { calls: 2, idempotency_key: call.key },
      ]);
    });

    it('while an issuer was deciding', async () => {
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
      await leaseToTheDead('bank_syncs', call.syncId);
      await isFinished(call);
      expect(await registrations('vindhya', call.account)).toMatchObject([{ calls: 1 }]);
    });

    it('in the middle of many: the workers of all replicas together do each of them once', async () => {
      const calls = await Promise.all(Array.from({ length: 12 }, () => anOpenedCall('aravalli')));
      for (const call of calls) {
        await isFinished(call);
        expect(await pennies(call.account)).toMatchObject([{ calls: 1 }]);
        expect(await registrations('aravalli', call.account)).toMatchObject([{ calls: 1 }]);
      }
    });
  });

  it('that cannot be written down for a while is written down later, with the same key', async () => {
    await query(
      "ALTER TABLE onboarding.bank_accounts ADD CONSTRAINT ck_test CHECK (state <> 'VERIFIED') NOT VALID",
    );
    const call = await anOpenedCall('aravalli');
    await eventually(() => expect(logged('an open bank row was not moved on')).toContain(call.id));
    await query('ALTER TABLE onboarding.bank_accounts DROP CONSTRAINT ck_test');
    await eventually(async () => {
      // once it is put back; it would be left alone for a minute
      const [, count] = await service.dataSource.query<[unknown, number]>(
        'UPDATE onboarding.bank_accounts SET next_try_at = now() WHERE id = $1 AND lease_id IS NULL',
        [call.id],
      );
      expect(count).toBe(1);
    });
    await isFinished(call);
    expect(await pennies(call.account)).toMatchObject([{ calls: 2, idempotency_key: call.key }]);
  });

  it('that cannot even be read is given up after a day, and so is its registration', async () => {
    const spoil = (id: string) =>
      query("UPDATE onboarding.bank_accounts SET account_encrypted = 'none' WHERE id = $1", [id]);
    const wasDueLongAgo = (table: 'bank_accounts' | 'bank_syncs', id: string) =>
      query(
        `UPDATE onboarding.${table} SET due_since = now() - interval '25 hours', next_try_at = now(),
                lease_id = NULL, leased_until = NULL WHERE id = $1`,
        [id],
      );
    const opened = await anOpenedCall('aravalli');
    await spoil(opened.id);
    await wasDueLongAgo('bank_accounts', opened.id);
    await eventually(async () => {
      expect(await accountOf(opened.user_id)).toMatchObject({ state: 'ABANDONED' });
    });
    expect(await syncOf(opened.id)).toMatchObject({ state: 'DROPPED' });
    expect(await bankStep(opened.user_id, 'aravalli')).toBe('FAILED');

    const verified = await aVerifiedCall('aravalli');
    await leaseToTheDead('bank_syncs', verified.syncId, 3_600);
    await spoil(verified.id);
    await wasDueLongAgo('bank_syncs', verified.syncId);
    await eventually(async () => {
      expect(await syncOf(verified.id)).toMatchObject({ state: 'ABANDONED' });
    });
    expect(await bankStep(verified.user_id, 'aravalli')).toBe('FAILED');
    expect(logged('an open bank row was not moved on')).toEqual(
      expect.arrayContaining([opened.id, verified.syncId]),
    );
  });

  it('fails the steps of all its issuers in one order, whichever was asked for first', async () => {
    const call = await anOpenedCall('vindhya', anAccount('0423'));
    await leaseToTheDead('bank_accounts', call.id, 3_600);
    const given = { userId: call.user_id, account: call.account, ifsc: IFSC, holderName: HOLDER };
    for (const slug of ['kaveri', 'aravalli', 'nilgiri'] as const)
      await service.app
        .get(BankSyncRepository)
        .requestVerification(given, service.app.get(IssuerDirectory).bySlug(slug));
    await leaseToTheDead('bank_accounts', call.id, 0);
    await eventually(async () => expect(await bankStep(call.user_id, 'vindhya')).toBe('FAILED'));
    const failed = await query<{ issuer_slug: string }>(
      "SELECT issuer_slug FROM onboarding.journey_events WHERE user_id = $1 AND event = 'FAILED' ORDER BY id",
      [call.user_id],
    );
    expect(failed.map((row) => row.issuer_slug)).toEqual(['aravalli', 'kaveri', 'nilgiri', 'vindhya']);
  });

  it('that somebody works on is left to him; calls are answered 202 in time', async () => {
    const call = await anOpenedCall('aravalli');
    await leaseToTheDead('bank_accounts', call.id, 3_600);
    const body = bankBody({ account: call.account, issuer_code: 'ARAVFIN' });
    const response = await postBank(call.api, body);
    expect([response.status, payloadOf(response)]).toEqual([
      202,
      expect.objectContaining({ verification_id: call.id, pending_code: BankErrors.pending.code }),
    ]);
    expect(await pennies(call.account)).toEqual([]);
    await leaseToTheDead('bank_accounts', call.id, 0);
    await isFinished(call);
  });

  describe('that a party has forgotten', () => {
    it('is asked of the bank anew, with the same key', async () => {
      const call = await anOpenedCall('aravalli');
      await query(
        "UPDATE onboarding.bank_accounts SET state = 'PROCESSING', receipt = 'gone' WHERE id = $1",
        [call.id],
      );
      await isFinished(call);
      expect(await pennies(call.account)).toMatchObject([{ calls: 1, idempotency_key: call.key }]);
    });

    it('is asked of the issuer anew, with the same key', async () => {
      const call = await aVerifiedCall('kaveri');
      await query("UPDATE onboarding.bank_syncs SET state = 'ACCEPTED', receipt = 'gone' WHERE id = $1", [
        call.syncId,
      ]);
      await isFinished(call);
      expect(await registrations('kaveri', call.account)).toMatchObject([
        { calls: 1, idempotency_key: call.key },
      ]);
    });
  });

  describe('that is open for more than a day is given up', () => {
    const wasDueLongAgo = (table: 'bank_accounts' | 'bank_syncs', id: string) =>
      query(
        `UPDATE onboarding.${table} SET due_since = now() - interval '25 hours', next_try_at = now() WHERE id = $1`,
        [id],
      );

    it('when the bank stays away; asked for again it goes on with the same key', async () => {
      const call = await anOpenedCall('aravalli', anAccount('0503'));
      await wasDueLongAgo('bank_accounts', call.id);
      await eventually(async () =>
        expectRefusal(await getVerification(call.api, call.id), BankErrors.unavailable),
      );
      expect(await bankStep(call.user_id, 'aravalli')).toBe('FAILED');
      expect(logged('a bank verification was given up')).toContain(call.id);
      expectRefusal(await postBank(call.api, bankBody({ account: call.account })), BankErrors.unavailable);
      expect(await accountOf(call.user_id)).toMatchObject({ state: 'DUE', idempotency_key: call.key });
    });

    it('when the bank stays at work', async () => {
      const call = await anOpenedCall('aravalli', anAccount('0202'));
      await wasDueLongAgo('bank_accounts', call.id);
      await eventually(async () =>
        expectRefusal(await getVerification(call.api, call.id), BankErrors.unavailable),
      );
      expect(await syncOf(call.id)).toMatchObject({ state: 'DROPPED' });
    });

    it('counted for the issuer from when the account was verified', async () => {
      const call = await anOpenedCall('nilgiri', anAccount('2403'));
      await query(
        "UPDATE onboarding.bank_syncs SET due_since = now() - interval '25 hours' WHERE account_id = $1",
        [call.id],
      );
      await eventually(async () =>
        expect(await accountOf(call.user_id)).toMatchObject({ state: 'VERIFIED' }),
      );
      const [sync] = await query<{ is_fresh: boolean }>(
        "SELECT due_since > now() - interval '1 hour' AS is_fresh FROM onboarding.bank_syncs WHERE account_id = $1",
        [call.id],
      );
      expect(sync).toEqual({ is_fresh: true });
    });

    it('when the issuer stays away; asked for again it goes on with the same key', async () => {
      const call = await aVerifiedCall('nilgiri', anAccount('2403'));
      await wasDueLongAgo('bank_syncs', call.syncId);
      await eventually(async () =>
        expectRefusal(await getVerification(call.api, call.id), IssuerErrors.unavailable),
      );
      expect(await bankStep(call.user_id, 'nilgiri')).toBe('FAILED');
      expect(logged('a registration at an issuer was given up')).toContain(call.id);
      const body = bankBody({ account: call.account, issuer_code: 'NILHFC' });
      expectRefusal(await postBank(call.api, body), IssuerErrors.unavailable);
      expect(await syncOf(call.id)).toMatchObject({ state: 'DUE', idempotency_key: call.key });
      // the account itself is not in doubt
      expect(await accountOf(call.user_id)).toMatchObject({ state: 'VERIFIED' });
    });
  });
});
