import { requestStore } from '@fd/envelope';
import type { DataSource, QueryRunner } from 'typeorm';

/** A statement that was answered. BEGIN and COMMIT do not count. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly records: readonly unknown[];
  readonly affected: number;
  /** Of the call that sent it; undefined for a worker. */
  readonly requestId: string | undefined;
}

/** Notes all statements from now on that are sent through a data source; `jest.restoreAllMocks` ends it. */
export function noteStatements(dataSource: DataSource): SentStatement[] {
  const sent: SentStatement[] = [];
  const create = dataSource.createQueryRunner.bind(dataSource);
  jest.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
    const runner = create(mode);
    const query: QueryRunner['query'] = runner.query.bind(runner);
    const noted = async (text: string, values: unknown[] = [], isStructured = false): Promise<unknown> => {
      const requestId = requestStore()?.requestId;
      const result = await query(text, values, true);
      const records = result.records as unknown[];
      sent.push({ text, values, records, affected: result.affected ?? 0, requestId });
      return isStructured ? result : result.raw;
    };
    return Object.assign(runner, { query: noted });
  });
  return sent;
}
