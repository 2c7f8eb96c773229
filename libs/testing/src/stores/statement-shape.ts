import pg, { type Connection } from 'pg';

/** A column of an answer. */
interface DescribedColumn {
  readonly name: string;
  readonly type: string;
  /** Whether it is a column of a table that may be NULL; false for an expression. */
  readonly isNullable: boolean;
}

/** How PostgreSQL understands a statement, with its own names of types. */
export interface StatementShape {
  readonly parameters: readonly string[];
  readonly columns: readonly DescribedColumn[];
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
  readonly tableID: number;
  readonly columnID: number;
}

/** Asks PostgreSQL to describe a statement without running it. */
class Describing {
  private fields: readonly Field[] = [];
  private parameterTypes: readonly number[] = [];

  constructor(
    private readonly text: string,
    private readonly done: (
      error: Error | undefined,
      fields: readonly Field[],
      types: readonly number[],
    ) => void,
  ) {}

  /** Called by the driver. */
  submit(connection: Connection): void {
    connection.once('parameterDescription', ({ dataTypeIDs }: { dataTypeIDs: readonly number[] }) => {
      this.parameterTypes = dataTypeIDs;
    });
    connection.parse({ name: '', text: this.text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.fields = fields;
  }

  handleError(error: Error): void {
    this.done(error, [], []);
  }

  handleReadyForQuery(): void {
    this.done(undefined, this.fields, this.parameterTypes);
  }
}

/** @param texts statements with `$1` for the first value @throws pg's DatabaseError for one that PostgreSQL refuses */
export async function shapesOf(url: string, texts: readonly string[]): Promise<StatementShape[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows: types } = await client.query<{ oid: number; name: string }>(
      'SELECT oid::int, format_type(oid, NULL) AS name FROM pg_type',
    );
    const { rows: nullable } = await client.query<{ column: string }>(
      `SELECT attrelid || '.' || attnum AS column FROM pg_attribute WHERE attnum > 0 AND NOT attnotnull`,
    );
    const typeNames = new Map(types.map(({ oid, name }) => [oid, name]));
    const nullables = new Set(nullable.map(({ column }) => column));
    const shapes: StatementShape[] = [];
    for (const text of texts) {
      shapes.push(
        await new Promise((resolve, reject) => {
          const done = (
            error: Error | undefined,
            fields: readonly Field[],
            parameters: readonly number[],
          ) => {
            if (error) return reject(error);
            resolve({
              parameters: parameters.map((oid) => typeNames.get(oid)!),
              columns: fields.map(({ name, dataTypeID, tableID, columnID }) => ({
                name,
                type: typeNames.get(dataTypeID)!,
                isNullable: nullables.has(`${tableID}.${columnID}`),
              })),
            });
          };
          client.query(new Describing(text, done) as never);
        }),
      );
    }
    return shapes;
  } finally {
    await client.end();
  }
}
