import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EkycStatusPayload } from '@fd/contracts';
import { ConsentErrors, PanErrors, SessionErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel, recordEvidence } from '@fd/testing';
import { ownerDatabaseConfig } from '@fd/platform';
import { decodeJwt } from 'jose';
import { DataSource, EntityManager } from 'typeorm';
import { rowsOfUser } from '../../src/application/support/user-data.repository.js';
import { USER_TABLES } from '../../src/application/user-data.table.js';
import { keysConfig, piiConfig } from '../../src/config/users-config.js';
import { checkTrail } from '../../src/core/audit/audit-check.js';
import { AuditKeys } from '../../src/core/audit/audit-event.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { PiiCipher } from '../../src/core/pii/pii-cipher.js';
import { ConsentsRepository } from '../../src/identity/consents/consents.repository.js';
import { sealTrail, shortOf, trailOf } from '../support/audit.js';
import { bankBody, HOLDER, postBank, verifyBank } from '../support/bank.js';
import { finishEkyc } from '../support/ekyc.js';
import { anEmail, verifyEmail } from '../support/email.js';
import { codeOf } from '../support/inbox.js';
import { anAccount, issuerPath } from '../support/issuers.js';
import { lockWaiters } from '../support/lock-waiters.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { postNominee } from '../support/nominees.js';
import { runCalls, runPan, runUsers, runUsersAlone, WHO } from '../support/operator.js';
import { knownAs, panBody, verifyPan } from '../support/pan.js';
import { aPerson, type Person } from '../support/person.js';
import { startService, type TestService } from '../support/users-app.js';
import { JourneyClient } from '../support/journey-client.js';
import { withoutTriggers } from '../support/past-rows.js';

interface Exported {
  readonly format: string;
  readonly user_id: string;
  readonly data: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly left_out: Readonly<Record<string, string>>;
}

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const run = (action: string, userId: string, ...more: string[]) =>
  runUsers(service, '', action, '--user', userId, ...more, ...WHO);

/** Completes a journey with an issuer. @returns the person and the id of their user */
async function aCustomer(): Promise<{ person: Person; customer: JourneyClient; userId: string }> {
  const person = aPerson();
  const customer = new JourneyClient(service.url, 'sahyadri', person);
  await customer.all();
  const found = await runUsers(service, person.phone, 'find', ...WHO);
  return { person, customer, userId: found.split('\t')[0]! };
}

/**
 * Returns the number of rows of a user by table, in one snapshot. The tables of the audit trail count as one: events move
 * between them.
 */
const rowsOf = (userId: string): Promise<Record<string, number>> =>
  service.dataSource.transaction('REPEATABLE READ', async (transaction) => {
    const counts: Record<string, number> = {};
    for (const userTable of USER_TABLES) {
      const { table } = userTable;
      const count = await rowsOfUser(transaction, userTable, userId).getCount();
      const name = table === 'audit_unsealed' ? 'audit_events' : table;
      if (count > 0) counts[name] = (counts[name] ?? 0) + count;
    }
    return counts;
  });

/** Tables without data of users, and why. */
const OTHER_TABLES: Readonly<Record<string, string>> = {
  partners: 'companies and their keys',
  keys_in_use: 'ids of keys',
  audit_checkpoints: 'hashes of the audit trail',
  migrations: 'changes of the schema',
  webhooks: 'hashes of webhooks',
  event_subscriptions: 'addresses and secrets of partners',
  backend_keys: 'hashes of keys of partners',
};

/** The rows and the record of a refusal. */
const withOneEvent = (rows: Record<string, number>) => ({
  ...rows,
  audit_events: (rows['audit_events'] ?? 0) + 1,
});

const KEPT = USER_TABLES.filter(({ kept }) => kept !== undefined).map(({ table }) => table);

describe('tables of user data', () => {
  const tablesWhere = async (condition: string): Promise<string[]> => {
    const rows = await service.dataSource.query<{ name: string }[]>(
      `SELECT relname AS name FROM pg_class c WHERE relnamespace = 'onboarding'::regnamespace AND relkind IN ('r', 'p')
          AND NOT relispartition AND ${condition} ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  };

  it('lists every table of the schema, with or without data of users', async () => {
    const decided = [...USER_TABLES.map(({ table }) => table), ...Object.keys(OTHER_TABLES)];
    expect([...decided].sort()).toEqual(await tablesWhere('true'));
  });

  it('deletes every table that refers to a user', async () => {
    const referring = await tablesWhere(
      `EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND conrelid = c.oid AND confrelid = 'onboarding.users'::regclass)`,
    );
    expect(referring.length).toBeGreaterThan(10);
    expect(KEPT.filter((table) => referring.includes(table))).toEqual([]);
  });

  it('keeps no personal data after an erasure, except in the KYC record and in answers deleted within a day', async () => {
    const encrypted = await service.dataSource.query<{ name: string }[]>(
      `SELECT DISTINCT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'onboarding' AND column_name LIKE '%\\_encrypted'`,
    );
    const names = encrypted.map(({ name }) => name);
    expect(KEPT.filter((table) => names.includes(table))).toEqual(['erased_users', 'idempotent_calls']);
  });

  it('describes every table in docs/user-data.md', () => {
    const page = readFileSync(new URL('../../../../docs/user-data.md', import.meta.url), 'utf8');
    const [, tables, others] = page.split(/## The tables|Tables without data of users:/);
    const cells = (line: string) => line.split('|').map((cell) => cell.trim());
    const rowsIn = (part: string) =>
      part
        .split('\n')
        .filter((line) => line.startsWith('| `'))
        .map(cells);
    expect(rowsIn(tables!)).toEqual(
      USER_TABLES.map(({ table, holds, leftOut, kept, isKyc }) => [
        '',
        `\`${table}\``,
        holds,
        leftOut ? `no: ${leftOut}` : 'yes',
        kept ? `kept: ${kept}` : `deleted${isKyc ? '; in the KYC record' : ''}`,
        '',
      ]),
    );
    expect(rowsIn(others!)).toEqual(
      Object.entries(OTHER_TABLES).map(([table, holds]) => ['', `\`${table}\``, holds, '']),
    );
  });
});

describe('users export', () => {
  const folder = mkdtempSync(join(tmpdir(), 'export-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('contains all data held about a person, decrypted, with the audit events about it', async () => {
    const { person, userId } = await aCustomer();
    const exported = JSON.parse(await run('export', userId)) as Exported;
    expect([exported.format, exported.user_id]).toEqual(['user-data/1', userId]);
    const tables = USER_TABLES.filter(({ leftOut }) => leftOut === undefined).map(({ table }) => table);
    expect(Object.keys(exported.data)).toEqual(tables);
    expect(Object.keys(exported.left_out)).toEqual([
      'former_pan_holders',
      'idempotent_calls',
      'refresh_tokens',
      'otp_counts',
    ]);
    const text = JSON.stringify(exported.data);
    const given = [person.phone, person.pan, person.dob, person.email, person.account, person.ifsc];
    given.push(person.address.line1, person.motherName, person.nominee.name, person.nominee.dob);
    expect(given.filter((value) => !text.includes(value))).toEqual([]);
    const { audit_unsealed: unsealed = [], ...data } = exported.data;
    const held = { ...data, audit_events: [...data['audit_events']!, ...unsealed] };
    for (const table of Object.keys(await rowsOf(userId)).filter((name) => tables.includes(name)))
      expect([table, held[table as keyof typeof held].length > 0]).toEqual([table, true]);
    // no internal values: keyed hashes, keys, ciphertexts
    expect(text).not.toMatch(/\\\\x[0-9a-f]{64}|_encrypted|idempotency_key|"k1\./);
    expect(exported.data['bank_accounts']![0]).toMatchObject({
      user_id: userId,
      account: { account: person.account, ifsc: person.ifsc },
      state: 'VERIFIED',
    });
    const last = (await trailOf(service, userId)).at(-1)!;
    expect([shortOf(last), last.actor]).toEqual([
      'USER_EXPORTED TICKET_4711',
      'operator:users export by asha-rao',
    ]);
  });

  it('writes a file that only its owner may read, and never overwrites one', async () => {
    const { user_id: id, phone } = await logIn(service);
    const file = join(folder, 'export.json');
    expect(await run('export', id, '--to', file)).toBe(`written to ${file}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((JSON.parse(readFileSync(file, 'utf8')) as Exported).data['users']![0]).toMatchObject({ phone });
    await expect(run('export', id, '--to', file)).rejects.toThrow(/EEXIST/);
  });

  it('reads a few rows at a time, since a user may have millions of reported events', async () => {
    const { user_id: id } = await logIn(service);
    await withoutTriggers(
      service,
      `INSERT INTO onboarding.insight_events (user_id, event_id, event_name, occurred_at, properties)
       SELECT $1, gen_random_uuid(), 'PAN_SUBMITTED', now(), '{}' FROM generate_series(1, 2500)`,
      [id],
    );
    const queried = jest.spyOn(EntityManager.prototype, 'query');
    const exported = JSON.parse(await run('export', id)) as Exported;
    const reads = queried.mock.results.filter((_, i) => /to_jsonb|FETCH/.test(queried.mock.calls[i]![0]));
    const sizes = await Promise.all(reads.map(async ({ value }) => ((await value) as object[]).length));
    queried.mockRestore();
    expect(exported.data['insight_events']).toHaveLength(2_500);
    expect(Math.max(...sizes)).toBe(1_000);
  });

  it('hides who took over the PAN of the user, and shows the actors of all other actions', async () => {
    const body = panBody();
    const [first, later] = [await logIn(service), await logIn(service)];
    await verifyPan(as(service.api, first), body);
    const laterApi = as(service.api, later);
    expectRefusal(await laterApi.post('/api/v1/pan-verification', body), PanErrors.belongsToAnotherUser);
    const status = async () =>
      (
        (await laterApi.post(issuerPath('aravalli', 'v3/check-status'), {})).body as {
          payload: EkycStatusPayload;
        }
      ).payload;
    await finishEkyc((await status()).ekyc_request_id!, 'verified');
    await eventually(async () => expect(await status()).toMatchObject({ is_ekyc_verified: true }));
    await run('show', first.user_id);
    const exported = JSON.parse(await run('export', first.user_id)) as Exported;
    const events = [...exported.data['audit_events']!, ...exported.data['audit_unsealed']!];
    expect(events.find(({ action }) => action === 'PAN_RELEASED')).toMatchObject({
      actor: 'another user',
      session_id: null,
      request_id: null,
    });
    const [released] = (await trailOf(service, first.user_id)).filter(
      ({ action }) => action === 'PAN_RELEASED',
    );
    expect(released).toMatchObject({ actor: `user:${later.user_id}` });
    const text = JSON.stringify(exported);
    for (const id of [later.user_id, released!.sessionId!, released!.requestId!])
      expect(text).not.toContain(id);
    const actors = new Set(events.map(({ actor }) => actor));
    expect(actors).toContain(`user:${first.user_id}`);
    expect(actors).toContain('operator:users show by asha-rao');
    const own = events.find(({ action }) => action === 'LOGGED_IN');
    expect(own).toMatchObject({
      session_id: decodeJwt(first.access_token)['sid'],
      request_id: expect.any(String) as string,
    });
  });

  it('contains an address that begins like JSON, and such a user can be erased with a KYC record', async () => {
    const user = await logIn(service);
    const email = `{${anEmail()}`;
    await verifyEmail(as(service.api, user), email);
    const exported = JSON.parse(await run('export', user.user_id)) as Exported;
    expect(exported.data['users']![0]).toMatchObject({ email });
    const year = new Date().getFullYear() + 5;
    expect(await run('erase', user.user_id, '--kyc-until', `${year}-03-31`)).toContain('kept\tKYC record\t');
  });

  it('escapes control characters that a terminal would obey', async () => {
    const { user_id: id } = await logIn(service);
    const device = 'phone \u009b2J\u202e';
    await service.dataSource.query('UPDATE onboarding.sessions SET device = $2 WHERE user_id = $1', [
      id,
      device,
    ]);
    const json = await run('export', id);
    expect(json).toContain('"phone \\u009b2J\\u202e"');
    expect((JSON.parse(json) as Exported).data['sessions']![0]).toMatchObject({ device });
  });

  it('refuses an unknown user', async () => {
    await expect(run('export', crypto.randomUUID())).rejects.toThrow(/no such user/);
  });
});

describe('users erase', () => {
  it('lets no step go on that began before it', async () => {
    const { user_id: userId } = await logIn(service);
    const [{ partner_id: partnerId }] = await service.dataSource.query<[{ partner_id: string }]>(
      'SELECT partner_id FROM onboarding.sessions WHERE user_id = $1',
      [userId],
    );
    await run('erase', userId);
    // the guard has let the session pass
    const step = service.app.get(ConsentsRepository).requireInForce({ userId, partnerId });
    await expect(step).rejects.toMatchObject({ code: ConsentErrors.withdrawn.code });
  });

  it('withdraws the consents in force, and the clean-up deletes them seven years later', async () => {
    const { user_id: id } = await logIn(service);
    const withdrawn = () =>
      service.dataSource.query<{ withdrawn: boolean }[]>(
        'SELECT withdrawn_at IS NOT NULL AS withdrawn FROM onboarding.consents WHERE user_id = $1',
        [id],
      );
    const age = (years: string) =>
      withoutTriggers(
        service,
        'UPDATE onboarding.consents SET withdrawn_at = now() - $2::interval WHERE user_id = $1',
        [id, years],
      );
    await run('erase', id);
    expect(await withdrawn()).toEqual([{ withdrawn: true }]);
    await age('6 years 364 days');
    await service.app.get(Jobs).runCleanup();
    expect(await withdrawn()).toHaveLength(1);
    await age('7 years 1 day');
    await service.app.get(Jobs).runCleanup();
    expect(await withdrawn()).toEqual([]);
  });

  it('deletes proof of consents that is older than seven years at once', async () => {
    const { user_id: id } = await logIn(service);
    await withoutTriggers(
      service,
      "UPDATE onboarding.consents SET withdrawn_at = now() - interval '8 years' WHERE user_id = $1",
      [id],
    );
    await run('erase', id);
    expect(
      await service.dataSource.query('SELECT FROM onboarding.consents WHERE user_id = $1', [id]),
    ).toEqual([]);
  });

  it('deletes all data held about a person except proofs without personal data', async () => {
    const { person, customer, userId } = await aCustomer();
    const before = await rowsOf(userId);
    expect(Object.keys(before).length).toBeGreaterThan(15);
    const said = await run('erase', userId, '--no-deposit');
    for (const [table, count] of Object.entries(before).filter(([name]) => !KEPT.includes(name)))
      expect(said).toContain(`deleted\t${table}\t${count}\n`);
    for (const table of KEPT) expect(said).toContain(`kept\t${table}\t`);
    expect(said).toContain('elsewhere\tsahyadri\t');
    const after = Object.keys(await rowsOf(userId));
    expect(after.filter((table) => !KEPT.includes(table))).toEqual([]);
    expect(after).toEqual(expect.arrayContaining(['consents', 'journey_events', 'erased_users']));
    const left = await run('export', userId);
    const given = [
      person.phone,
      person.pan,
      person.email,
      person.account,
      person.motherName,
      person.nominee.name,
    ];
    expect(given.filter((value) => left.includes(value))).toEqual([]);
    // the session ended with the user
    expect((await customer.call('GET', '/api/v1/user-profile')).body.error![0]!.errorCode).toBe(
      SessionErrors.ended.code,
    );
    await expect(runUsers(service, person.phone, 'find', ...WHO)).rejects.toThrow(/No user has it/);
    await expect(runUsers(service, person.pan, 'find', ...WHO)).rejects.toThrow(/No user has it/);
    const erased = (await trailOf(service, userId)).find(({ action }) => action === 'USER_ERASED')!;
    expect([shortOf(erased), erased.actor]).toEqual([
      'USER_ERASED TICKET_4711',
      'operator:users erase by asha-rao',
    ]);
    // the same person may return as a new user
    const again = await logIn(service, person.phone);
    expect([again.is_new_user, again.user_id === userId]).toEqual([true, false]);
    await verifyPan(as(service.api, again), panBody(person.pan, person.dob));
    recordEvidence('erased-is-gone', {
      'tables with rows before': Object.keys(before).length,
      'tables kept as proof': after.length,
      'values of the person found after': 0,
    });
  });

  it('leaves an unbroken audit trail', async () => {
    const user = await logIn(service);
    await run('erase', user.user_id);
    await sealTrail(service);
    const keys = new AuditKeys(keysConfig(service.environment, 'AUDIT_KEYS'));
    const { finding } = await checkTrail(service.database, keys, { now: new Date() });
    expect(finding).toBeUndefined();
  });

  it('reports an earlier erasure when it is repeated', async () => {
    const user = await logIn(service);
    await Promise.all([run('erase', user.user_id), run('erase', user.user_id)]);
    await sealTrail(service);
    const [{ count }] = await service.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int FROM onboarding.audit_events WHERE action = 'USER_ERASED' AND outcome = 'OK' AND subject_user_id = $1`,
      [user.user_id],
    );
    expect(count).toBe(1);
    expect(await run('erase', user.user_id)).toMatch(/^erased before\t\S+Z\n$/);
    expect(shortOf((await trailOf(service, user.user_id)).at(-1)!)).toBe('USER_ERASED REPEATED TICKET_4711');
    await expect(run('erase', crypto.randomUUID())).rejects.toThrow(/no such user/);
  });

  it('changes nothing while a call to a provider is open', async () => {
    const user = await logIn(service);
    await postBank(as(service.api, user), bankBody({ account: anAccount('0503'), issuer_code: 'ARAVFIN' }));
    const before = await rowsOf(user.user_id);
    await expect(run('erase', user.user_id)).rejects.toThrow(
      /Calls to providers are open[^]*bank-verification/,
    );
    expect(await rowsOf(user.user_id)).toEqual(withOneEvent(before));
    expect(shortOf((await trailOf(service, user.user_id)).at(-1)!)).toBe('USER_ERASED REFUSED TICKET_4711');
    expect((await as(service.api, user).get('/api/v1/user-profile')).status).toBe(200);
  });

  it('erases a user whose account waits for a PAN, with a decision if an issuer had the account', async () => {
    const waiting = await logIn(service);
    expect((await postBank(as(service.api, waiting), bankBody({ issuer_code: 'ARAVFIN' }))).status).toBe(200);
    expect(await run('erase', waiting.user_id)).toContain('deleted\tusers\t1\n');

    const { user_id, ...lost } = await logIn(service);
    await knownAs(service, user_id, HOLDER);
    await verifyBank(as(service.api, lost), { issuer_code: 'ARAVFIN' });
    await runPan(service, '', 'release', '--user', user_id, ...WHO);
    await eventually(async () =>
      expect(
        await service.dataSource.query<object[]>(
          `SELECT s.state, w.state AS withdrawal FROM onboarding.bank_accounts a
             JOIN onboarding.bank_syncs s ON s.account_id = a.id JOIN onboarding.bank_withdrawals w ON w.account_id = a.id
            WHERE user_id = $1`,
          [user_id],
        ),
      ).toEqual([{ state: 'DUE', withdrawal: 'WITHDRAWN' }]),
    );
    await expect(run('erase', user_id)).rejects.toThrow(/--no-deposit/);
    expect(await run('erase', user_id, '--no-deposit')).toContain('deleted\tusers\t1\n');
  });

  it('erases a user whose account waits for a review of its names, which no command gives up', async () => {
    const { user_id, ...login } = await logIn(service);
    await knownAs(service, user_id, 'Zubin Mistry');
    const body = bankBody({ account_holder_full_name: 'Zubin', issuer_code: 'ARAVFIN' });
    expect((await postBank(as(service.api, login), body)).status).toBe(202);
    const [{ id }] = await service.dataSource.query<[{ id: string }]>(
      `SELECT s.id FROM onboarding.bank_syncs s JOIN onboarding.bank_accounts a ON a.id = s.account_id WHERE user_id = $1`,
      [user_id],
    );
    await expect(runCalls(service, 'give-up', '--call', id, ...WHO)).rejects.toThrow(
      /the review of its names/,
    );
    expect(await run('erase', user_id)).toContain('deleted\tusers\t1\n');
  });

  it('changes nothing while the user is blocked: otherwise the phone could log in again as a new user', async () => {
    const { user_id: userId, phone } = await logIn(service);
    await run('block', userId);
    const before = await rowsOf(userId);
    await expect(run('erase', userId)).rejects.toThrow(/The user is blocked/);
    expect(await rowsOf(userId)).toEqual(withOneEvent(before));
    await run('unblock', userId);
    expect(await run('erase', userId)).toContain('deleted\tusers\t1');
    expect((await logIn(service, phone)).user_id).not.toBe(userId);
  });

  it('changes nothing when it fails in the middle', async () => {
    const { userId } = await aCustomer();
    const before = await rowsOf(userId);
    await service.dataSource.query(
      'CREATE TABLE onboarding.obstacle (user_id uuid REFERENCES onboarding.users (id))',
    );
    try {
      await service.dataSource.query('INSERT INTO onboarding.obstacle VALUES ($1)', [userId]);
      await expect(run('erase', userId, '--no-deposit')).rejects.toThrow(/obstacle/);
      expect(await rowsOf(userId)).toEqual(before);
    } finally {
      await service.dataSource.query('DROP TABLE onboarding.obstacle');
    }
    expect(await run('erase', userId, '--no-deposit')).toContain('deleted\tusers\t1\n');
  });

  it('lets concurrent calls and logins write nothing more about the person', async () => {
    for (let round = 0; round < 4; round++) {
      const user = await logIn(service);
      const api = as(service.api, user);
      await service.api.post('/auth/register', { phone: user.phone });
      const code = await codeOf(user.phone);
      const calls = inParallel(6, () => postNominee(api));
      const login = service.api.post('/auth/api/v2/register/verify', verifyBody(user.phone, code));
      await run('erase', user.user_id);
      await calls;
      const { status, body } = await login;
      // the login either precedes the erasure and is deleted with it, or creates a new user
      if (status === 200 && (body as { payload: { user_id: string } }).payload.user_id !== user.user_id)
        expect(body.payload.is_new_user).toBe(true);
      const after = Object.keys(await rowsOf(user.user_id));
      expect(after.filter((table) => !KEPT.includes(table))).toEqual([]);
    }
  });

  it("answers 401 to calls that wait for the user's row", async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const erasing = service.dataSource.createQueryRunner();
    try {
      await erasing.startTransaction();
      await erasing.query('SELECT FROM onboarding.users WHERE id = $1 FOR UPDATE', [user.user_id]);
      const calls = [
        () => postNominee(api),
        () => api.post('/api/v1/pan-verification', panBody()),
        () => postBank(api, bankBody({ account_holder_full_name: 'Zubin Mistry' })),
        // else the consent would stay in force for ever
        () => api.post('/api/v1/consents', { purpose: 'CKYC', notice_version: '2026-11' }),
      ].map((call) => call());
      await lockWaiters(service, calls.length);
      await erasing.query('INSERT INTO onboarding.erased_users (user_id) VALUES ($1)', [user.user_id]);
      for (const userTable of USER_TABLES.filter(({ kept }) => kept === undefined))
        await erasing.manager.remove(await rowsOfUser(erasing.manager, userTable, user.user_id).getMany());
      await erasing.commitTransaction();
      for (const answer of await Promise.all(calls)) expectRefusal(answer, SessionErrors.ended);
    } finally {
      await erasing.release();
    }
  });

  it('retries after a deadlock with a worker that has locked a row of the user', async () => {
    // without the time limits of the service
    const { url } = ownerDatabaseConfig(service.environment);
    const unlimited = await new DataSource({ type: 'postgres', url }).initialize();
    const setDeadlockTimeout = (setting: string) =>
      unlimited.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" ${setting}`);

    try {
      const { userId } = await aCustomer();
      // PostgreSQL looks for a deadlock once, after this time: the worker must wait by then, and must not look first
      await setDeadlockTimeout("SET deadlock_timeout = '8s'");
      let erased: Promise<string>;
      await unlimited.transaction(async (worker) => {
        await worker.query("SET LOCAL deadlock_timeout = '1min'");
        await worker.query('SELECT FROM onboarding.bank_accounts WHERE user_id = $1 FOR UPDATE', [userId]);
        erased = runUsersAlone(service, 'erase', '--user', userId, '--no-deposit', ...WHO);
        // the erasure has locked the user and waits for the account
        await eventually(async () => {
          const waiting = await service.dataSource.query<object[]>(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'fd-onboarding-command' AND wait_event_type = 'Lock'",
          );
          expect(waiting).toHaveLength(1);
        });
        await worker.query('SELECT FROM onboarding.users WHERE id = $1 FOR KEY SHARE', [userId]);
      });
      expect(await erased!).toContain('deleted\tusers\t1\n');
    } finally {
      await setDeadlockTimeout('RESET deadlock_timeout');
      await unlimited.destroy();
    }
  });

  it('runs once beside operators who block, unblock, export and show the user at the same moment', async () => {
    const { userId } = await aCustomer();
    const others = ['block', 'unblock', 'end-sessions', 'show', 'export'].flatMap((action) =>
      [1, 2].map(() => runUsersAlone(service, action, '--user', userId, ...WHO).catch(String)),
    );
    const erase = () => runUsersAlone(service, 'erase', '--user', userId, '--no-deposit', ...WHO);
    const erased = await erase().catch(async (reason: unknown) => {
      expect(String(reason)).toMatch(/The user is blocked/);
      await Promise.all(others);
      await runUsersAlone(service, 'unblock', '--user', userId, ...WHO);
      return erase();
    });
    expect(erased).toContain('deleted\tusers\t1\n');
    for (const said of await Promise.all(others)) expect(said).not.toMatch(/deadlock|timeout|TypeError/);
    expect(Object.keys(await rowsOf(userId)).filter((table) => !KEPT.includes(table))).toEqual([]);
  });

  it('requires a decision on the KYC record after a booking check or a registration at an issuer', async () => {
    const registered = await logIn(service);
    await knownAs(service, registered.user_id, HOLDER);
    const { is_synced } = await verifyBank(as(service.api, registered), { issuer_code: 'ARAVFIN' });
    expect(is_synced).toBe(true);
    const checked = await logIn(service);
    await as(service.api, checked).get(issuerPath('aravalli', 'v1/booking-check'));
    for (const { user_id: id } of [registered, checked]) {
      const before = await rowsOf(id);
      await expect(run('erase', id)).rejects.toThrow(
        /deposit may have been opened with aravalli.*--kyc-until.*--no-deposit/,
      );
      await expect(run('erase', id, '--no-deposit', '--kyc-until', '2040-03-31')).rejects.toThrow(/not both/);
      expect(await rowsOf(id)).toEqual(withOneEvent(withOneEvent(before)));
      expect(await run('erase', id, '--no-deposit')).toContain('deleted\tusers\t1\n');
      const [declared, erased] = (await trailOf(service, id)).slice(-2);
      expect([shortOf(declared!), declared!.actor, shortOf(erased!)]).toEqual([
        'NO_DEPOSIT_DECLARED TICKET_4711',
        'operator:users erase by asha-rao',
        'USER_ERASED TICKET_4711',
      ]);
    }
  });

  describe('of a person with a deposit', () => {
    const withDeposit = async () => {
      const customer = await aCustomer();
      await service.dataSource.query("UPDATE onboarding.leads SET state = 'CONVERTED' WHERE user_id = $1", [
        customer.userId,
      ]);
      return customer;
    };
    const kycOf = async (userId: string) => {
      const [row] = await service.dataSource.query<{ until: string | null; record: string | null }[]>(
        `SELECT kyc_until::text AS until, kyc_record_encrypted AS record FROM onboarding.erased_users
          WHERE user_id = $1`,
        [userId],
      );
      return row!;
    };

    it('requires the day until which its KYC record is kept, keeps the record, and deletes it then', async () => {
      const { person, userId } = await withDeposit();
      await expect(run('erase', userId)).rejects.toThrow(/deposit was opened with sahyadri.*--kyc-until/);
      await expect(run('erase', userId, '--no-deposit')).rejects.toThrow(/deposit was opened with sahyadri/);
      expect(await run('erase', userId, '--kyc-until', '2040-03-31')).toContain(
        'KYC record\tuntil 2040-03-31',
      );
      const { until, record } = await kycOf(userId);
      expect(until).toBe('2040-03-31');
      const place = { table: 'erased_users', column: 'kyc_record', id: userId };
      const kyc = new PiiCipher(piiConfig(service.environment).keys).decrypt(record!, place);
      expect(kyc).toContain(person.pan);
      expect(kyc).toContain(person.address.line1);
      expect(kyc).not.toContain(person.nominee.name);
      await service.app.get(Jobs).runCleanup();
      expect((await kycOf(userId)).record).not.toBeNull();
      // bypasses the trigger, as if the day had come
      await withoutTriggers(
        service,
        'UPDATE onboarding.erased_users SET kyc_until = current_date WHERE user_id = $1',
        [userId],
      );
      await service.app.get(Jobs).runCleanup();
      expect(await kycOf(userId)).toEqual({ until: null, record: null });
    });

    it.each(['tomorrow', '2020-01-01', '2039-02-30', '2099-03-31'])(
      'refuses the day %s, and records the refusal',
      async (day) => {
        const id = crypto.randomUUID();
        await expect(run('erase', id, '--kyc-until', day)).rejects.toThrow(/--kyc-until must be/);
        expect((await trailOf(service, id)).map(shortOf)).toEqual(['USER_ERASED REFUSED TICKET_4711']);
      },
    );
  });

  it('refuses a session of the person at once, on every replica', async () => {
    const user = await logIn(service);
    const replica = await service.replica();
    expect((await as(replica.api, user).get('/api/v1/user-profile')).status).toBe(200);
    await run('erase', user.user_id);
    expectRefusal(await as(replica.api, user).get('/api/v1/user-profile'), SessionErrors.ended);
  });
});
