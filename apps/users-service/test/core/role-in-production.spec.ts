import { randomUUID } from 'node:crypto';
import { ConfigError } from '@fd/platform';
import { administer, SERVICE_ROLE, startTestApp } from '@fd/testing';
import { AppModule } from '../../src/app.module.js';
import { usersConfig } from '../../src/config/users-config.js';
import { USERS_SERVICE } from '../../src/service.js';
import { FakeClock } from '../support/fake-clock.js';
import { startService, type TestService } from '../support/users-app.js';

describe('the role of the service in production', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({});
  });
  afterAll(() => service.close());

  const ownerUrl = (): string => service.environment['MIGRATIONS_DATABASE_URL']!;
  const startAs = async (url: string): Promise<void> => {
    const { MIGRATIONS_DATABASE_URL: _, ...environment } = service.environment;
    const config = usersConfig({ ...environment, DATABASE_URL: url });
    const module = AppModule.forRoot({ ...config, database: { ...config.database, isRoleChecked: true } });
    await (await startTestApp(module, config.http, USERS_SERVICE, new FakeClock())).close();
  };

  it('starts the service with the role that migrate has prepared, not with the owner of the schema', async () => {
    await startAs(service.environment['DATABASE_URL']!);
    await expect(startAs(ownerUrl())).rejects.toThrow(
      /DATABASE_URL: names a role with more rights or settings/,
    );
  });

  const OWNER = 'schema_owner';
  const PARTITION = `audit_events_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
  it.each<[string, string, string[]]>([
    [
      'becomes the owner by SET ROLE',
      'ownership of schema onboarding',
      [`CREATE ROLE ${OWNER}`, `ALTER SCHEMA onboarding OWNER TO ${OWNER}`, `GRANT ${OWNER} TO {role}`],
    ],
    [
      'becomes the owner by RESET ROLE',
      'ownership of schema onboarding',
      [
        `CREATE ROLE ${OWNER}`,
        `ALTER SCHEMA onboarding OWNER TO ${OWNER}`,
        `GRANT ${OWNER} TO {role}`,
        `ALTER ROLE {role} SET role = ${SERVICE_ROLE}`,
      ],
    ],
    ['owns the schema', 'ownership of schema onboarding', ['ALTER SCHEMA onboarding OWNER TO {role}']],
    [
      'owns a table',
      'ownership of table onboarding.consents',
      ['ALTER TABLE onboarding.consents OWNER TO {role}'],
    ],
    [
      'owns a function of the triggers',
      'ownership of function onboarding.refuse_change()',
      ['ALTER FUNCTION onboarding.refuse_change() OWNER TO {role}'],
    ],
    ['owns the database', 'ownership of database {database}', ['ALTER DATABASE {database} OWNER TO {role}']],
    [
      'owns the database and hides it by functions of its own',
      'ownership of database {database}',
      [
        'CREATE SCHEMA planted',
        'GRANT USAGE ON SCHEMA planted TO PUBLIC',
        'CREATE FUNCTION planted.pg_has_role(name, oid, text) RETURNS boolean RETURN false',
        'ALTER DATABASE {database} SET search_path = planted, pg_catalog',
        'ALTER DATABASE {database} OWNER TO {role}',
      ],
    ],
    ['makes schemas', 'CREATE on database {database}', ['GRANT CREATE ON DATABASE {database} TO {role}']],
    ['makes functions', 'CREATE on schema onboarding', ['GRANT CREATE ON SCHEMA onboarding TO {role}']],
    ['is a superuser', ': SUPERUSER', ['ALTER ROLE {role} SUPERUSER']],
    // up to PostgreSQL 15 it makes itself a member of the owner
    ['makes roles', 'CREATEROLE', ['ALTER ROLE {role} CREATEROLE']],
    ['makes databases', 'CREATEDB', ['ALTER ROLE {role} CREATEDB']],
    ['ends sessions of others', 'membership of pg_signal_backend', ['GRANT pg_signal_backend TO {role}']],
    [
      'reads files of the server',
      'EXECUTE on function pg_read_file(text)',
      ['GRANT EXECUTE ON FUNCTION pg_read_file(text) TO {role}'],
    ],
    ['reads passwords', 'SELECT on pg_authid', ['GRANT SELECT ON pg_authid TO {role}']],
    ['reads the log of changes', 'REPLICATION', ['ALTER ROLE {role} REPLICATION']],
    ['passes row security', 'BYPASSRLS', ['ALTER ROLE {role} BYPASSRLS']],
    ['writes files', 'membership of pg_write_server_files', ['GRANT pg_write_server_files TO {role}']],
    [
      'switches triggers off',
      'SET on parameter session_replication_role',
      ['GRANT SET ON PARAMETER session_replication_role TO {role}'],
    ],
    [
      'changes a column of the trail',
      'UPDATE on onboarding.audit_events',
      ['GRANT UPDATE (outcome) ON onboarding.audit_events TO {role}'],
    ],
    [
      'adds sealed events',
      'INSERT on onboarding.audit_events',
      ['GRANT INSERT ON onboarding.audit_events TO {role}'],
    ],
    [
      'deletes from a partition',
      `DELETE on onboarding.${PARTITION}`,
      [`GRANT DELETE ON onboarding.${PARTITION} TO {role}`],
    ],
    [
      'deletes events before they are sealed',
      'DELETE on onboarding.audit_unsealed',
      ['GRANT DELETE ON onboarding.audit_unsealed TO {role}'],
    ],
    [
      'makes triggers on consents and empties them',
      'TRIGGER, TRUNCATE on onboarding.consents',
      ['GRANT TRIGGER, TRUNCATE ON onboarding.consents TO {role}'],
    ],
    [
      'reads migrations',
      'SELECT on onboarding.migrations',
      ['GRANT SELECT ON onboarding.migrations TO PUBLIC'],
    ],
    [
      'calls a function that runs as the owner',
      'EXECUTE on function onboarding.forget(), which runs as {owner}',
      // functions are for PUBLIC by default
      [
        `CREATE FUNCTION onboarding.forget() RETURNS void SECURITY DEFINER LANGUAGE sql
         AS 'DELETE FROM onboarding.audit_unsealed'`,
      ],
    ],
    [
      'gets rights on each new partition',
      'DELETE on future tables of {owner}',
      ['ALTER DEFAULT PRIVILEGES IN SCHEMA onboarding GRANT DELETE ON TABLES TO {role}'],
    ],
    [
      'gets rights on each new table like everyone',
      'TRUNCATE on future tables of {owner}',
      ['ALTER DEFAULT PRIVILEGES GRANT TRUNCATE ON TABLES TO PUBLIC'],
    ],
    [
      'reads a table of another schema',
      'SELECT on public.foreign_rows',
      ['CREATE TABLE public.foreign_rows (id int)', 'GRANT SELECT ON public.foreign_rows TO {role}'],
    ],
    // PostgreSQL lets every role change its own settings, so an attacker could leave them to later replicas
    ...['', 'IN DATABASE {database} '].flatMap((where) =>
      [
        ['synchronous_commit', 'off'],
        ['default_transaction_read_only', 'on'],
        ['search_path', 'pg_temp, onboarding'],
      ].map(([name, value]): [string, string, string[]] => [
        `has given itself ${name} ${where}`,
        `setting ${name} of {role}`,
        ['SET ROLE {role}', `ALTER ROLE {role} ${where}SET ${name} = ${value}`, 'RESET ROLE'],
      ]),
    ),
  ])('does not start the service with a role that %s', async (_name, excess, given) => {
    const role = `member_${randomUUID().replaceAll('-', '')}`;
    const ofRole = new URL(service.environment['DATABASE_URL']!);
    ofRole.username = ofRole.password = role;
    const [owner, database] = [new URL(ownerUrl()).username, ofRole.pathname.slice(1)];
    const filled = (text: string): string =>
      text.replaceAll('{role}', role).replace('{database}', database).replace('{owner}', owner);
    try {
      await administer(
        ownerUrl(),
        `CREATE ROLE ${role} LOGIN NOINHERIT PASSWORD '${role}'`,
        `GRANT USAGE ON SCHEMA onboarding TO ${role}`,
        `GRANT ${SERVICE_ROLE} TO ${role}`,
        ...given.map(filled),
      );
      const start = startAs(ofRole.href);
      await expect(start).rejects.toThrow(ConfigError);
      await expect(start).rejects.toThrow(filled(excess));
    } finally {
      await administer(
        ownerUrl(),
        `ALTER DATABASE ${database} RESET search_path`,
        ...[role, OWNER].map(
          (name) => `DO $$ BEGIN IF to_regrole('${name}') IS NOT NULL THEN
            REASSIGN OWNED BY ${name} TO ${owner}; DROP OWNED BY ${name}; DROP ROLE ${name}; END IF; END $$`,
        ),
        'DROP TABLE IF EXISTS public.foreign_rows',
        'DROP FUNCTION IF EXISTS onboarding.forget()',
        'ALTER DEFAULT PRIVILEGES REVOKE TRUNCATE ON TABLES FROM PUBLIC',
        'DROP SCHEMA IF EXISTS planted CASCADE',
        'REVOKE ALL ON onboarding.migrations FROM PUBLIC',
      );
    }
  });

  it('starts the service with the limits of a pooler, and with settings that only a superuser can make', async () => {
    const name = new URL(ownerUrl()).pathname.slice(1);
    const settings = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const of = `ALTER ROLE ${SERVICE_ROLE} IN DATABASE ${name}`;
    await administer(
      ownerUrl(),
      ...[...settings, 'log_min_duration_statement'].map((setting) => `${of} SET ${setting} = '500ms'`),
    );
    await startAs(service.environment['DATABASE_URL']!);
    await administer(ownerUrl(), `${of} RESET ALL`);
  });
});
