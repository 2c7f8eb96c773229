import { Clock, type Database } from '@fd/platform';
import type { AuditTrail } from '../../core/index.js';
import type { UserDataReader } from './user-data.repository.js';
import { USER_TABLES } from './user-tables.js';

/** Format version of exports; changes with their structure or meaning. */
const EXPORT_FORMAT = 'user-data/1';

/** Exports all data of a person in machine-readable form, as the DPDP Act requires. */
export class UserExport {
  constructor(
    private readonly database: Database,
    private readonly reader: UserDataReader,
    private readonly audit: AuditTrail,
  ) {}

  /** Returns JSON; undefined for an unknown user. Records the export before it reads. */
  async write(userId: string, reason: string): Promise<string | undefined> {
    return this.database.transaction(
      async (transaction) => {
        const [known] = await transaction.query<object[]>(
          `SELECT FROM onboarding.users WHERE id = $1 UNION ALL SELECT FROM onboarding.erased_users WHERE user_id = $1`,
          [userId],
        );
        if (!known) return undefined;
        await this.audit.record(transaction, { action: 'USER_EXPORTED', subject: userId, code: reason });
        const leftOut = USER_TABLES.flatMap(({ table, leftOut: why }) => (why ? [[table, why]] : []));
        const exported = {
          format: EXPORT_FORMAT,
          user_id: userId,
          exported_at: new Clock().now().toISOString(),
          data: await this.reader.read(transaction, userId),
          left_out: Object.fromEntries(leftOut) as object,
        };
        return JSON.stringify(exported, undefined, 2);
      },
      // one consistent snapshot
      { isolation: 'REPEATABLE READ' },
    );
  }
}
