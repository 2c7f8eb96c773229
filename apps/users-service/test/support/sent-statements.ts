import type { DataSource, QueryRunner } from 'typeorm';

/** A statement that was answered. BEGIN and COMMIT do not count. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly records: readonly unknown[];
  readonly affected: number;
}

/** Notes all statements from now on that are sent through a data source; `jest.restoreAllMocks` ends it. */
export function noteStatements(dataSource: DataSource): SentStatement[] {
  const sent: SentStatement[] = [];
  const create = dataSource.createQueryRunner.bind(dataSource);
  jest.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
    const runner = create(mode);
    const query: QueryRunner['query'] = runner.query.bind(runner);
    const noted = async (text: string, values: unknown[] = [], isStructured = false): Promise<unknown> => {
      const result = await query(text, values, true);
      sent.push({ text, values, records: result.records as unknown[], affected: result.affected ?? 0 });
      return isStructured ? result : result.raw;
    };
    return Object.assign(runner, { query: noted });
  });
  return sent;
}
