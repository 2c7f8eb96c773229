import { randomUUID } from 'node:crypto';
import { eventually, expectRefusal } from '@fd/testing';
import { BankErrors } from '@fd/errors';
import { BeneficiaryRegistration } from '../../src/banking/registration/beneficiary-registration.service.js';
import { BeneficiaryWithdrawal } from '../../src/banking/registration/beneficiary-withdrawal.service.js';
import { AccountVerification } from '../../src/banking/verification/account-verification.service.js';
import type { CallKind } from '../../src/core/jobs/call-kind.js';
import { CALL_KINDS } from '../../src/onboarding-database.js';
import { HostedOutcome } from '../../src/kyc/ekyc/hosted-outcome.service.js';
import { LockerVisits } from '../../src/kyc/ekyc/locker-visits.service.js';
import { PanService } from '../../src/kyc/pan/pan.service.js';
import { MailNotices } from '../../src/identity/index.js';
import { PanNotices } from '../../src/kyc/pan/pan-notices.js';
import { shortOf, trailOf } from '../support/audit.js';
import { bankBody, postBank } from '../support/bank.js';
import { anAccount, issuerPath } from '../support/issuers.js';
import { as, logIn, type LoggedIn } from '../support/login.js';
import { refusalsOf, runBank, runCalls, runPartners, runUsers, WHO } from '../support/operator.js';
import { startService, type TestService } from '../support/users-app.js';

describe('calls command', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  const stuck: string[] = [];
  afterAll(async () => {
    // the worker's repeats would keep the circuit of the bank open for the specs that follow
    await service.dataSource.query(
      "UPDATE onboarding.bank_accounts SET next_try_at = now() + interval '1 day' WHERE id = ANY($1)",
      [stuck],
    );
    await service.close();
  });

  /** Returns a user whose account the bank cannot verify, and the id of that call. */
  async function stuckCall(): Promise<{ user: LoggedIn; id: string }> {
    const user = await logIn(service);
    const body = bankBody({ account: anAccount('0503'), issuer_code: 'ARAVFIN' });
    expectRefusal(await postBank(as(service.api, user), body), BankErrors.unavailable);
    const [account] = await service.dataSource.query<{ id: string }[]>(
      'SELECT id FROM onboarding.bank_accounts WHERE user_id = $1',
      [user.user_id],
    );
    stuck.push(account!.id);
    return { user, id: account!.id };
  }
  const rowOf = async (id: string) => {
    const [row] = await service.dataSource.query<{ state: string; tries: number; in_seconds: number }[]>(
      `SELECT state, tries, extract(epoch FROM next_try_at - now())::float8 AS in_seconds
         FROM onboarding.bank_accounts WHERE id = $1`,
      [id],
    );
    return row!;
  };

  it.each(['constructor', 'toString', '__proto__'])(
    'refuses the unknown action %s in this and other commands',
    async (action) => {
      const id = ['--call', randomUUID()];
      await expect(runCalls(service, action, ...id, ...WHO)).rejects.toThrow(/^calls: /);
      await expect(runBank(service, action, ...WHO)).rejects.toThrow(/^bank: /);
      await expect(runUsers(service, '', action, ...WHO)).rejects.toThrow(/^users: /);
      await expect(runPartners(service, action, ...WHO)).rejects.toThrow(/^partners: /);
    },
  );

  it('lists open calls with their tries and next try', async () => {
    const { user, id } = await stuckCall();
    const line = (await runCalls(service, 'list', ...WHO)).split('\n').find((text) => text.includes(id));
    expect(line).toMatch(
      new RegExp(
        `^bank-verification\t${id}\t${user.user_id}\t-\tDUE\t\\d+ tries\topen since \\S+\tnext try \\S+Z$`,
      ),
    );
  });

  it('lists a stuck call, and a withdrawal that was given up, although older calls of many users wait for something else', async () => {
    const { user, id } = await stuckCall();
    const waiting = await stuckCall();
    await service.dataSource.query('UPDATE onboarding.users SET blocked_at = now() WHERE id = $1', [
      waiting.user.user_id,
    ]);
    await service.dataSource.query(
      `INSERT INTO onboarding.bank_accounts (id, user_id, account_index, account_encrypted, holder_encrypted,
                                             idempotency_key, next_try_at, due_since, provider)
       SELECT gen_random_uuid(), user_id, sha256(n::text::bytea), account_encrypted, holder_encrypted, gen_random_uuid(),
              next_try_at, now() - interval '12 hours', NULL
         FROM onboarding.bank_accounts, generate_series(1, 600) n WHERE id = $1`,
      [waiting.id],
    );
    const withdrawal = randomUUID();
    await service.dataSource.query(
      `INSERT INTO onboarding.bank_withdrawals (id, account_id, issuer_slug, reference, idempotency_key, state, settled_at)
       VALUES ($1, $2, 'aravalli', 'b-1', $1, 'ABANDONED', now())`,
      [withdrawal, id],
    );
    const listed = (await runCalls(service, 'list', ...WHO)).split('\n').map((line) => line.split('\t')[1]);
    expect(listed).toEqual(expect.arrayContaining([id, withdrawal]));
    await service.dataSource.query('DELETE FROM onboarding.bank_accounts WHERE user_id = $1 AND id <> $2', [
      waiting.user.user_id,
      waiting.id,
    ]);
    expect(await runUsers(service, '', 'show', '--user', user.user_id, ...WHO)).toContain(withdrawal);
  });

  it('records who lists calls and reviews, and why', async () => {
    await expect(runCalls(service, 'list')).rejects.toThrow(/--by must be a name/);
    await expect(runBank(service, 'reviews', '--by', 'asha-rao')).rejects.toThrow(/--reason must be a word/);
    const listed = async () => {
      const [{ count }] = await service.dataSource.query<[{ count: number }]>(
        `SELECT count(*)::int AS count FROM (SELECT actor, action, code FROM onboarding.audit_events
          UNION ALL SELECT actor, action, code FROM onboarding.audit_unsealed) e
          WHERE (actor, action, code) IN (('operator:calls list by asha-rao', 'OPEN_CALLS_LISTED', 'TICKET_4711'),
                                          ('operator:bank reviews by asha-rao', 'NAME_REVIEWS_LISTED', 'TICKET_4711'),
                                          ('operator:bank recheck by asha-rao', 'NAME_REVIEWS_LISTED', 'TICKET_4711'))`,
      );
      return count;
    };
    const before = await listed();
    await runCalls(service, 'list', ...WHO);
    await runBank(service, 'reviews', ...WHO);
    await runBank(service, 'recheck', ...WHO);
    expect((await listed()) - before).toBe(3);
  });

  it('repeats a call now instead of in minutes', async () => {
    const { user, id } = await stuckCall();
    await service.dataSource.query(
      "UPDATE onboarding.bank_accounts SET next_try_at = now() + interval '15 minutes', tries = 9 WHERE id = $1",
      [id],
    );
    expect(await runCalls(service, 'repeat', '--call', id.toUpperCase(), ...WHO)).toContain(`${id}\t`);
    // the worker has tried it again, starting with the shortest pause
    await eventually(async () => {
      const { state, tries, in_seconds: pause } = await rowOf(id);
      // once, or a few times on a busy machine: after nine tries the pause would be minutes
      expect([state, tries > 0 && tries < 4 && pause <= 10 * 2 ** (tries - 1)]).toEqual(['DUE', true]);
    });
    const trail = await trailOf(service, user.user_id);
    const repeated = trail.find(({ action }) => action === 'CALL_REPEATED')!;
    expect([shortOf(repeated), repeated.actor, repeated.objectId]).toEqual([
      'CALL_REPEATED TICKET_4711',
      'operator:calls repeat by asha-rao',
      id,
    ]);
  });

  it('tries a call for the last time and gives it up, with its step', async () => {
    const { user, id } = await stuckCall();
    const openSince = (line: string) => /\topen since (\S+)\t/.exec(line)?.[1];
    const listed = (await runCalls(service, 'list', ...WHO)).split('\n').find((line) => line.includes(id))!;
    const printed = await runCalls(service, 'give-up', '--call', id, ...WHO);
    expect(openSince(printed)).toBe(openSince(listed));
    expect(openSince(printed)).toMatch(/^\d{4}-\d{2}-\d{2}T/);
    await eventually(async () => expect((await rowOf(id)).state).toBe('ABANDONED'));
    const shown = await runUsers(service, '', 'show', '--user', user.user_id, ...WHO);
    expect(shown).toMatch(/\nstep\taravalli\tBANK\tFAILED\tSVCUSER\d+\t/);
    expect(shown).toMatch(new RegExp(`\ncall\tbank-verification\t${id}\t.*\tABANDONED\t.*\tended `));
    await expect(runCalls(service, 'give-up', '--call', id, ...WHO)).rejects.toThrow(/No such call is open/);
  });

  it('changes nothing about a call that does not wait for its provider', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    await api.post(issuerPath('aravalli', 'v3/check-status'), {});
    const [request] = await service.dataSource
      .query<{ id: string }[]>(
        `UPDATE onboarding.ekyc_requests SET status = 'REQUESTED', state = 'DUE' WHERE user_id = $1 RETURNING id`,
        [user.user_id],
      )
      .then(([rows]: unknown[]) => rows as { id: string }[]);
    await expect(runCalls(service, 'give-up', '--call', request!.id, ...WHO)).rejects.toThrow(
      /waits for the next check-status/,
    );
    expect(await refusalsOf(service, request!.id)).toHaveLength(1);
  });

  it.each<[string, string[], RegExp]>([
    ['an unknown action', ['drop'], /calls: list, repeat or give-up/],
    ['an invalid id', ['repeat', '--call', '7', ...WHO], /--call must be/],
    ['an unknown call', ['repeat', '--call', crypto.randomUUID(), ...WHO], /No such call is open/],
    ['a missing operator name', ['repeat', '--call', crypto.randomUUID()], /--by/],
  ])('refuses %s', async (_name, args, message) => {
    await expect(runCalls(service, ...args)).rejects.toThrow(message);
  });

  it.each(['repeat', 'give-up'])('records a refused %s of an unknown call', async (action) => {
    const id = crypto.randomUUID();
    await expect(runCalls(service, action, '--call', id, ...WHO)).rejects.toThrow(/No such call is open/);
    expect(await refusalsOf(service, id)).toEqual([
      { actor: `operator:calls ${action} by asha-rao`, code: 'TICKET_4711' },
    ]);
  });

  it('knows every kind of durable call of the service', () => {
    const { app } = service;
    const calls = [
      AccountVerification,
      BeneficiaryRegistration,
      BeneficiaryWithdrawal,
      HostedOutcome,
      LockerVisits,
      MailNotices,
      PanService,
      PanNotices,
    ].map((call): { readonly kind: CallKind } => app.get(call as never));
    expect(new Set(calls.map(({ kind }) => kind))).toEqual(new Set(CALL_KINDS));
  });

  it('knows every table of the schema with the columns of a durable call', async () => {
    const tables = await service.dataSource.query<{ name: string }[]>(
      `SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'onboarding' AND column_name = 'lease_id' ORDER BY 1`,
    );
    const { dataSource } = service;
    const known = CALL_KINDS.map(({ entity }) => dataSource.getMetadata(entity).tableName);
    // the command `events` is for these: they may wait for days, and prevent no erasure
    expect(tables.map(({ name }) => name)).toEqual([...known, 'partner_events'].sort());
  });
});
