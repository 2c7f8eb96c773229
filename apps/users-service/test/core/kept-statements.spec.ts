import { Logger } from '@nestjs/common';
import { isDatabaseUnavailable } from '@fd/platform';
import { SERVICE_ROLE } from '@fd/testing';
import { aPhone } from '../support/inbox.js';
import { logIn } from '../support/login.js';
import { startService, type TestService } from '../support/users-app.js';

interface Kept {
  readonly statement: string;
  readonly uses: number;
}

describe('prepared statements of a PostgreSQL connection', () => {
  let service: TestService;
  beforeEach(async () => {
    // all statements share one connection
    service = await startService({ DATABASE_POOL_SIZE: '1' });
  });
  afterEach(() => service.close());

  const run = async (text: string, values?: unknown[]): Promise<unknown> =>
    service.database.query(text, values);
  const kept = async (): Promise<Kept[]> =>
    service.database.query(
      'SELECT statement, (generic_plans + custom_plans)::int AS uses FROM pg_prepared_statements',
    );
  const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('prepares each statement with values once and uses it for every call', async () => {
    for (let login = 0; login < 3; login++) await logIn(service);
    const uses = await kept();
    const inserted = uses.find(({ statement }) => /INSERT INTO onboarding\.users/i.test(statement));
    expect(inserted?.uses).toBeGreaterThanOrEqual(3);
    expect(uses.filter(({ statement }) => !statement.includes('$1'))).toEqual([]);
  });

  it('bounds the number of prepared statements, however many different texts it runs', async () => {
    for (let index = 0; index < 700; index++) await run(`SELECT $1::int + ${index}`, [1]);
    expect((await kept()).length).toBeLessThanOrEqual(500);
    expect(await run('SELECT $1::int + 699 AS sum', [1])).toEqual([{ sum: 700 }]);
  });

  it('prepares a statement again after a migration has changed its result', async () => {
    const read = () => run('SELECT value FROM onboarding.changing WHERE value = $1', [7]);
    await service.dataSource.query('CREATE TABLE onboarding.changing AS SELECT 7::int AS value');
    await service.dataSource.query(`GRANT SELECT ON onboarding.changing TO ${SERVICE_ROLE}`);
    await read();
    await service.dataSource.query('ALTER TABLE onboarding.changing ALTER value TYPE bigint');
    expect(isDatabaseUnavailable(await failureOf(read()))).toBe(true);
    expect(await read()).toEqual([{ value: '7' }]);
    expect((await kept()).map(({ statement }) => statement)).toContain(
      'SELECT value FROM onboarding.changing WHERE value = $1',
    );
  });

  it('prepares no more statements behind a pooler that shares the connection, and serves further calls', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const read = () => run('SELECT $1::int AS value', [7]);
    await read();
    // queued together for the only connection, so that no job of the service runs in between
    const [, failure] = await Promise.all([run('DEALLOCATE ALL'), failureOf(read())]);
    expect(isDatabaseUnavailable(failure)).toBe(true);
    for (let call = 0; call < 3; call++) expect(await read()).toEqual([{ value: 7 }]);
    expect((await service.api.post('/auth/register', { phone: aPhone() })).status).toBe(201);
    expect(await kept()).toEqual([]);
    expect(warn.mock.calls).toContainEqual([
      { msg: 'statements are not prepared: a pooler shares our connections' },
    ]);
    warn.mockRestore();
  });
});
