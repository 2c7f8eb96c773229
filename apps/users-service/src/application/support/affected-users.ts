import { CommandError } from '@fd/platform';
import type { EntityManager } from 'typeorm';
import { type AuditTrail, subjectsBetween } from '../../core/index.js';
import { consentsThrough } from '../../identity/index.js';
import { USER_TABLES } from '../user-data.table.js';
import { rowsOfUser } from './user-data.repository.js';

/** What is known of a breach; omitted fields do not filter. */
export interface Breach {
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
  /** The table that was read or changed. */
  readonly table: string | undefined;
  /** URL of the partner whose sessions, app or key were misused. */
  readonly partner: string | undefined;
}

/** Lists the people whom a breach of data concerns, who must be told of it. */
export class AffectedUsers {
  constructor(
    private readonly manager: EntityManager,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * Lists the users with an event of the audit trail in the time, with data in the table, and with a consent or a confirmed session through the partner:
   * id, first and last event in the time. Records it.
   * @throws CommandError for an unknown table or partner
   */
  async list({ from, to, table, partner }: Breach, reason: string): Promise<string[]> {
    const isConcerned = [
      ...(table === undefined ? [] : [this.hasRowsIn(table)]),
      ...(partner === undefined ? [] : [await consentsThrough(this.manager, partner)]),
    ];
    const lines: string[] = [];
    for await (const { userId, first, last } of subjectsBetween(this.manager, { from, to })) {
      const answers = await Promise.all(isConcerned.map((holds) => holds(userId)));
      if (answers.every(Boolean)) lines.push([userId, first.toISOString(), last.toISOString()].join('\t'));
    }
    await this.trail.record(this.manager, { action: 'AFFECTED_USERS_LISTED', code: reason });
    return lines;
  }

  private hasRowsIn(name: string): (userId: string) => Promise<boolean> {
    const table = USER_TABLES.find((one) => one.table === name && one.ofUser !== null);
    if (!table)
      throw new CommandError(`users affected: --table must be one of the tables of docs/user-data.md`);
    return (userId) => rowsOfUser(this.manager, table, userId).getExists();
  }
}
