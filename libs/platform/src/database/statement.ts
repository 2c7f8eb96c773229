import type { EntityManager, QueryResult } from 'typeorm';

/** What the driver takes and gives for PostgreSQL's types. */
interface SqlTypes {
  readonly bool: boolean;
  readonly bytea: Buffer;
  readonly float8: number;
  readonly int4: number;
  /** As text. */
  readonly 'int8[]': readonly string[];
  /** Of any precision, as text. */
  readonly numeric: string;
  readonly json: string;
  readonly jsonb: string;
  readonly text: string;
  readonly 'text[]': readonly string[];
  readonly timestamptz: Date;
  readonly uuid: string;
  readonly 'uuid[]': readonly string[];
}

/** A type of PostgreSQL, with `?` where NULL is possible. */
type SqlType = keyof SqlTypes | `${keyof SqlTypes}?`;

type Shape = Readonly<Record<string, SqlType>>;

type ValueOf<Type extends SqlType> = Type extends keyof SqlTypes
  ? SqlTypes[Type]
  : Type extends `${infer Known extends keyof SqlTypes}?`
    ? SqlTypes[Known] | null
    : never;

type ValuesOf<Given extends Shape> = { readonly [Name in keyof Given]: ValueOf<Given[Name]> };

/**
 * Hand-written SQL of a table's owner, with named parameters: where one conditional statement is the guarantee, or a measurement asks for
 * it. The types of parameters and columns are compared with the migrated schema by a test.
 */
export class Statement<Parameters extends Shape, Columns extends Shape> {
  /** With `$1` for the first named parameter. */
  readonly text: string;
  /** Of the parameters, in the order of their numbers. */
  readonly names: readonly string[];

  constructor(
    named: string,
    readonly parameters: Parameters,
    readonly columns: Columns,
  ) {
    const names: string[] = [];
    this.text = named.replace(/(?<!:):([a-z]\w*)/gi, (_, name: string) => {
      if (!(name in parameters)) throw new Error(`the statement has no parameter ${name}`);
      if (!names.includes(name)) names.push(name);
      return `$${names.indexOf(name) + 1}`;
    });
    const unused = Object.keys(parameters).filter((name) => !names.includes(name));
    if (unused.length > 0) throw new Error(`the statement does not use ${unused.join(', ')}`);
    this.names = names;
  }

  /** @throws QueryFailedError, or the error of a connection: see `isDatabaseUnavailable` */
  async rows(tx: EntityManager, values: ValuesOf<Parameters>): Promise<ValuesOf<Columns>[]> {
    return (await this.send(tx, values)).records as ValuesOf<Columns>[];
  }

  /** @returns the number of affected rows */
  async run(tx: EntityManager, values: ValuesOf<Parameters>): Promise<number> {
    return (await this.send(tx, values)).affected ?? 0;
  }

  private async send(tx: EntityManager, values: ValuesOf<Parameters>): Promise<QueryResult> {
    const runner = tx.queryRunner ?? tx.dataSource.createQueryRunner();
    const given = this.names.map((name) => values[name]);
    try {
      return await runner.query(this.text, given, true);
    } finally {
      if (!tx.queryRunner) await runner.release();
    }
  }
}

/**
 * @param parameters types by name; `:name` stands for a value
 * @param columns types by name of what it returns
 */
export const statement = <const Parameters extends Shape, const Columns extends Shape = Record<never, never>>(
  parameters: Parameters,
  named: string,
  columns = {} as Columns,
): Statement<Parameters, Columns> => new Statement(named, parameters, columns);
