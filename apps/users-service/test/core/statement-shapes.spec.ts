import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, Statement, statement } from '@fd/platform';
import { createTestDatabase, shapesOf, type StatementShape, type TestDatabase } from '@fd/testing';
import { ONBOARDING_DATABASE } from '../../src/onboarding-database.js';

type AnyStatement = Statement<Record<string, never>, Record<string, never>>;

/** PostgreSQL's names of the types that a statement declares. */
const TYPES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  float8: 'double precision',
  int4: 'integer',
  'int8[]': 'bigint[]',
  timestamptz: 'timestamp with time zone',
};

const typeOf = (declared: string): string => {
  const type = declared.replace('?', '');
  return TYPES[type] ?? type;
};

/** What a statement declares otherwise than PostgreSQL understands it. */
function differences({ names, parameters, columns }: AnyStatement, shape: StatementShape): string[] {
  const given = names.map((name) => `${name} ${typeOf(parameters[name]!)}`);
  const understood = names.map((name, index) => `${name} ${shape.parameters[index]}`);
  const declared = Object.entries<string>(columns).map(([name, type]) => `${name} ${typeOf(type)}`);
  const answered = shape.columns.map(({ name, type }) => `${name} ${type}`);
  const unmarked = shape.columns.filter(
    ({ name, isNullable }) => isNullable && !(columns[name] as string | undefined)?.endsWith('?'),
  );
  return [
    ...given.filter((line) => !understood.includes(line)).map((line) => `- parameter ${line}`),
    ...understood.filter((line) => !given.includes(line)).map((line) => `+ parameter ${line}`),
    ...declared.filter((line) => !answered.includes(line)).map((line) => `- column ${line}`),
    ...answered.filter((line) => !declared.includes(line)).map((line) => `+ column ${line}`),
    ...unmarked.map(({ name }) => `column ${name} may be NULL`),
  ];
}

describe('hand-written statements', () => {
  let database: TestDatabase;
  const statements: Record<string, AnyStatement> = {};
  beforeAll(async () => {
    database = await createTestDatabase();
    await migrate(database.owner, ONBOARDING_DATABASE);
    const folder = join(import.meta.dirname, '../../src');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => name.endsWith('.queries.ts'))) {
      const module = (await import(join(folder, file))) as Record<string, unknown>;
      for (const [name, value] of Object.entries(module))
        if (value instanceof Statement) statements[name] = value;
    }
  });
  afterAll(() => database.drop());

  const differencesOf = async (...checked: AnyStatement[]): Promise<string[][]> => {
    const shapes = await shapesOf(
      database.url,
      checked.map(({ text }) => text),
    );
    return checked.map((one, index) => differences(one, shapes[index]!));
  };

  it('declare the types of the migrated schema', async () => {
    const names = Object.keys(statements);
    expect(names.length).toBeGreaterThan(20);
    const found = await differencesOf(...Object.values(statements));
    expect(Object.fromEntries(names.map((name, index) => [name, found[index]]))).toEqual(
      Object.fromEntries(names.map((name) => [name, []])),
    );
  });

  it('are found to declare other types', async () => {
    const wrong = statement(
      { id: 'text' },
      'SELECT blocked_at AS "blockedAt", phone_index AS phone FROM onboarding.users WHERE id = :id',
      { blockedAt: 'timestamptz', phone: 'text' },
    );
    expect(await differencesOf(wrong as unknown as AnyStatement)).toEqual([
      [
        '- parameter id text',
        '+ parameter id uuid',
        '- column phone text',
        '+ column phone bytea',
        'column blockedAt may be NULL',
      ],
    ]);
  });
});
