import { mkdtempSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionErrors } from '@fd/errors';
import { administer, eventually, expectRefusal, recordEvidence } from '@fd/testing';
import { sealTrail } from '../../test/support/audit.js';
import { aPhone, codeOf } from '../../test/support/inbox.js';
import { as, logIn, type LoggedIn, verifyBody } from '../../test/support/login.js';
import { runUsers, WHO } from '../../test/support/operator.js';
import {
  archiveWal,
  type OwnPostgres,
  restoreTo,
  takeBackup,
  throwawayPostgres,
} from '../../test/support/own-postgres.mjs';
import { aPerson, type Person } from '../../test/support/person.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startApp, startService, type TestService, type UsersApp } from '../../test/support/users-app.js';
import { JourneyClient } from '../../test/support/journey-client.js';

const RUNBOOK = join(import.meta.dirname, '../../../../docs/runbooks/backup-and-restore.md');

/** Returns a statement of the runbook, so that the drill runs exactly that text. */
function statementOfRunbook(beginning: string): string {
  const statements = readFileSync(RUNBOOK, 'utf8').matchAll(/```sql\s+([^`;]+);/g);
  const found = [...statements].map(([, statement]) => statement!).find((text) => text.startsWith(beginning));
  if (!found) throw new Error(`the runbook has no statement ${beginning}`);
  return found;
}

/** The drill of docs/runbooks/backup-and-restore.md. The order of the tests matters. */
describe('PostgreSQL restored to a moment before a disaster', () => {
  let postgres: OwnPostgres;
  /** The service before the disaster. */
  let former: TestService;
  /** The service after the restore. */
  let restored: UsersApp;
  /** The one of both that is still running. */
  let last: UsersApp;
  let processes: ServiceProcesses;
  const headFile = join(mkdtempSync(join(tmpdir(), 'fd-head-')), 'head');

  const asAdministrator = <Row extends object>(...statements: string[]) =>
    administer(postgres.url('onboarding'), ...statements) as Promise<Row[]>;
  const profile = async (on: UsersApp, user: { access_token: string }) =>
    as(on.api, user).get('/api/v1/user-profile');
  const refresh = async (on: UsersApp, { refresh_token }: { refresh_token: string }) =>
    on.api.post('/auth/api/v2/token/refresh', { refresh_token });
  const verify = (...args: string[]): [number | null, string] => {
    const { status, stdout, stderr } = processes.cli('audit', 'verify', ...args);
    return [status, stdout + stderr];
  };
  const rights = () =>
    asAdministrator(
      `SELECT relname AS name, relacl::text AS acl FROM pg_class WHERE relnamespace = 'onboarding'::regnamespace
       UNION ALL
       SELECT proname, proacl::text FROM pg_proc WHERE pronamespace = 'onboarding'::regnamespace
       UNION ALL
       SELECT nspname, nspacl::text FROM pg_namespace
       UNION ALL
       SELECT rolname, concat(rolsuper, rolcreaterole, rolbypassrls, rolinherit) FROM pg_roles
       ORDER BY name, acl`,
    );

  const customerOf = async (person: Person): Promise<JourneyClient> => {
    const customer = new JourneyClient(former.url, 'aravalli', person);
    await customer.all();
    return customer;
  };
  /** Returns the answers to reads of a person's data. */
  const answersOf = async (customer: JourneyClient): Promise<unknown[]> => {
    const nominees = customer.call('GET', '/api/v1/user-nominee');
    const answers = await Promise.all([
      customer.profile(),
      nominees,
      customer.bank(),
      customer.bookingCheck(),
    ]);
    return answers.map(({ status, body }) => [status, body.payload]);
  };

  let kept: { readonly customer: JourneyClient; readonly answers: unknown[] }[];
  /** Came after the moment. */
  let late: Person;
  let erasedBefore: LoggedIn;
  /** Existed at the moment; changed after it. */
  let erased: LoggedIn;
  let blocked: LoggedIn;
  let loggedOut: LoggedIn;
  let refreshed: LoggedIn;
  /** Issued after the moment. */
  let since: { readonly login: LoggedIn; readonly refreshToken: string; readonly phone: string };
  let headThen: string;
  let rightsThen: object[];
  const figures = { people: 0, 'MB of backup': 0, 'segments of WAL': 0, 'seconds of restore': 0 };

  beforeAll(async () => {
    postgres = await throwawayPostgres('the drill of a restore');
    await administer(
      postgres.url('postgres'),
      "CREATE ROLE service LOGIN PASSWORD 'service'",
      'CREATE DATABASE onboarding',
    );
    await archiveWal(postgres.home, postgres.url('postgres'));
    await postgres.stop();
    await postgres.start();
    const url = new URL(postgres.url('onboarding'));
    url.username = url.password = 'service';
    former = await startService({
      DATABASE_URL: url.href,
      MIGRATIONS_DATABASE_URL: postgres.url('onboarding'),
      SERVICE_DATABASE_ROLE: 'service',
    });
    last = former;
    processes = new ServiceProcesses(former.environment);
  });
  afterAll(async () => {
    await last.close();
    await postgres.release();
  });

  it('backs PostgreSQL up and archives its WAL while it serves users', async () => {
    const early = await customerOf(aPerson());
    const [during, bytes] = await Promise.all([
      customerOf(aPerson()),
      takeBackup(postgres.home, postgres.url('postgres')),
    ]);
    figures['MB of backup'] = Math.round(bytes / 1e6);
    const customers = [early, during, await customerOf(aPerson())];
    kept = await Promise.all(
      customers.map(async (customer) => ({ customer, answers: await answersOf(customer) })),
    );
    erasedBefore = await logIn(former);
    await runUsers(former, '', 'erase', '--user', erasedBefore.user_id, ...WHO);
    erased = await logIn(former);
    blocked = await logIn(former);
    loggedOut = await logIn(former);
    refreshed = await logIn(former);
    figures.people = kept.length + 5;
    await sealTrail(former);
    expect(verify('--head-file', headFile, '--begin')[0]).toBe(0);
    headThen = readFileSync(headFile, 'utf8').trim();
    rightsThen = await rights();
  });

  it('restores a destroyed PostgreSQL from the backup and the archive', async () => {
    const [{ moment }] = (await asAdministrator<{ moment: string }>(
      'SELECT clock_timestamp()::text AS moment',
    )) as [{ moment: string }];
    late = (await customerOf(aPerson())).person;
    const login = await logIn(former);
    const { refresh_token } = (await refresh(former, refreshed)).body.payload as LoggedIn;
    since = { login, refreshToken: refresh_token, phone: aPhone() };
    expect((await former.api.post('/auth/register', { phone: since.phone })).status).toBe(201);
    expect((await as(former.api, loggedOut).post('/auth/api/v2/logout', {})).status).toBe(200);
    await runUsers(former, '', 'erase', '--user', erased.user_id, ...WHO);
    await runUsers(former, '', 'block', '--user', blocked.user_id, ...WHO);
    await sealTrail(former);
    expect(verify('--head-file', headFile)[0]).toBe(0);
    const [{ segment }] = (await asAdministrator<{ segment: string }>(
      // an administrator, whom no trigger and no constraint stops
      'SET session_replication_role = replica',
      'DELETE FROM onboarding.sessions',
      'DELETE FROM onboarding.users',
      'DELETE FROM onboarding.bank_accounts',
      'SELECT pg_walfile_name(pg_current_wal_lsn()) AS segment',
    )) as [{ segment: string }];
    expectRefusal(await profile(former, login), SessionErrors.ended);
    await eventually(async () => {
      const archived = await asAdministrator(
        `SELECT FROM pg_stat_archiver WHERE last_archived_wal >= '${segment}'`,
      );
      expect(archived).toHaveLength(1);
    });
    await former.close();
    await postgres.stop({ isCrash: true });
    const startedAt = performance.now();
    figures['segments of WAL'] = await restoreTo(postgres.home, moment);
    await postgres.start();
    await eventually(async () =>
      expect(await asAdministrator('SELECT pg_is_in_recovery() AS recovers')).toEqual([{ recovers: false }]),
    );
    figures['seconds of restore'] = Math.round((performance.now() - startedAt) / 100) / 10;
  });

  it('restores the audit trail of that moment: verifies with its head, and reports a later head as missing', () => {
    const [status, said] = verify('--head', headThen);
    expect([status, said]).toEqual([0, expect.stringContaining(' are as they were written; 0 wait')]);
    const seq = Number(/\nhead (\d+):/.exec(said)![1]);
    expect(verify('--head-file', headFile)).toEqual([
      1,
      `The audit trail is broken at event ${seq + 1}: the chain ends before it, and once was longer.\n`,
    ]);
    renameSync(headFile, `${headFile}.lost`);
    expect(verify('--head-file', headFile, '--begin')).toEqual([
      0,
      expect.stringMatching(`^events 1 to ${seq} are as they were written`),
    ]);
  });

  it("gives the service's role its former permissions", async () => {
    expect(rightsThen).toContainEqual({ name: 'audit_events', acl: expect.stringContaining('service=r/') });
    expect(await rights()).toEqual(rightsThen);
    expect(processes.cli('migrate').status).toBe(0);
    expect(await rights()).toEqual(rightsThen);
  });

  it('loses later acts of operators, which the log shows and the operator repeats', () => {
    const acts = former
      .logs()
      .split('\n')
      .filter((line) => line.includes('an operator acted'))
      .map((line) => JSON.parse(line) as { action: string; user_id: string })
      .map(({ action, user_id }) => [action, user_id]);
    expect(acts).toEqual([
      ['USER_ERASED', erasedBefore.user_id],
      ['USER_ERASED', erased.user_id],
      ['USER_BLOCKED', blocked.user_id],
    ]);
    const run = (action: string, { user_id }: LoggedIn) =>
      processes.cli('users', action, '--user', user_id, ...WHO).stdout;
    expect(run('erase', erasedBefore)).toMatch(/^erased before\t/);
    expect(run('erase', erased)).toContain('deleted\tusers\t1\n');
    expect(run('block', blocked)).toContain('blocked\n');
  });

  it('returns everything answered before the moment, and nothing after it', async () => {
    restored = await startApp(former.environment);
    last = restored;
    for (const { customer, answers } of kept) {
      customer.baseUrl = restored.url;
      expect(await answersOf(customer)).toEqual(answers);
    }
    for (const user of [erasedBefore, erased, blocked])
      expectRefusal(await profile(restored, user), SessionErrors.ended);
    expectRefusal(await profile(restored, since.login), SessionErrors.ended);
    expectRefusal(await refresh(restored, since.login), SessionErrors.refreshTokenInvalid);
    expectRefusal(
      await refresh(restored, { refresh_token: since.refreshToken }),
      SessionErrors.refreshTokenInvalid,
    );
  });

  it('accepts a code sent after the moment, which Redis has kept', async () => {
    const body = verifyBody(since.phone, await codeOf(since.phone));
    expect((await restored.api.post('/auth/api/v2/register/verify', body)).status).toBe(200);
  });

  it("reopens ended sessions until the runbook's statement ends all sessions", async () => {
    expect((await profile(restored, loggedOut)).status).toBe(200);
    await asAdministrator(statementOfRunbook('UPDATE onboarding.sessions'));
    for (const user of [loggedOut, refreshed]) {
      expectRefusal(await profile(restored, user), SessionErrors.ended);
      expectRefusal(await refresh(restored, user), SessionErrors.refreshTokenInvalid);
    }
  });

  it('lets a user repeat a lost journey, although the issuer knows the user', async () => {
    const again = new JourneyClient(restored.url, 'aravalli', late);
    await again.all();
    expect((await again.bookingCheck()).body.payload['blockers']).toEqual([]);
    await sealTrail(restored);
    expect(verify('--head-file', headFile)[0]).toBe(0);
    recordEvidence('restored-to-a-moment', figures);
  });
});
