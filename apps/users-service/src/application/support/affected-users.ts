import { CommandError } from '@fd/platform';
import type { EntityManager, ObjectLiteral } from 'typeorm';
import { NIL } from 'uuid';
import { type AuditTrail, type EventSubject, subjectsBetween } from '../../core/index.js';
import { consentsThrough, User } from '../../identity/index.js';
import { USER_TABLES } from '../user-data.table.js';
import { ErasedUser } from './erased-user.entity.js';
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

/** A user, with the first and the last event that the trail has of them. */
type KnownUser = Pick<EventSubject, 'userId'> & Partial<EventSubject>;

const BATCH = 1_000;

/** Lists the people whom a breach of data concerns, who must be told of it. */
export class AffectedUsers {
  constructor(
    private readonly manager: EntityManager,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * Lists the users with an event of the audit trail in the time, with data in the table, and with a consent or a confirmed session through the partner:
   * id, first and last event in the time. Without a time all users, as data outlives the trail; `-` for the events of those of whom it has none.
   * Records it.
   * @throws CommandError for an unknown table or partner
   */
  async list({ from, to, table, partner }: Breach, reason: string): Promise<string[]> {
    const isConcerned = [
      ...(table === undefined ? [] : [this.hasRowsIn(table)]),
      ...(partner === undefined ? [] : [await consentsThrough(this.manager, partner)]),
    ];
    const lines: string[] = [];
    const isTimed = from !== undefined || to !== undefined;
    const users = isTimed ? subjectsBetween(this.manager, { from, to }) : this.everyone();
    for await (const { userId, first, last } of users) {
      const answers = await Promise.all(isConcerned.map((holds) => holds(userId)));
      const times = [first, last].map((time) => time?.toISOString() ?? '-');
      if (answers.every(Boolean)) lines.push([userId, ...times].join('\t'));
    }
    await this.trail.record(this.manager, { action: 'AFFECTED_USERS_LISTED', code: reason });
    return lines;
  }

  /** All users, then the erased ones, of whom consents and KYC records are kept: so one who is erased meanwhile is not missed. */
  private async *everyone(): AsyncGenerator<KnownUser> {
    yield* this.withEvents(this.idsIn(User, 'id'));
    yield* this.withEvents(this.idsIn(ErasedUser, 'userId'));
  }

  private async *withEvents(batches: AsyncIterable<readonly string[]>): AsyncGenerator<KnownUser> {
    for await (const userIds of batches) {
      const events = new Map<string, EventSubject>();
      for await (const subject of subjectsBetween(this.manager, { userIds }))
        events.set(subject.userId, subject);
      yield* userIds.map((userId) => events.get(userId) ?? { userId });
    }
  }

  private async *idsIn(entity: new () => ObjectLiteral, key: string): AsyncGenerator<readonly string[]> {
    for (let after: string | undefined = NIL; after !== undefined;) {
      const rows: { id: string }[] = await this.manager
        .createQueryBuilder(entity, 'u')
        .select(`u.${key}`, 'id')
        .where(`u.${key} > :after`, { after })
        .orderBy(`u.${key}`)
        .limit(BATCH)
        .getRawMany();
      yield rows.map(({ id }) => id);
      after = rows.at(-1)?.id;
    }
  }

  private hasRowsIn(name: string): (userId: string) => Promise<boolean> {
    const table = USER_TABLES.find((one) => one.table === name && one.ofUser !== null);
    if (!table)
      throw new CommandError(`users affected: --table must be one of the tables of docs/user-data.md`);
    return (userId) => rowsOfUser(this.manager, table, userId).getExists();
  }
}
