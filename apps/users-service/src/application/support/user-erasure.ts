import { CommandError, type Database, type Transaction } from '@fd/platform';
import {
  type AuditTrail,
  callLine,
  DECLARATIONS_KEPT_YEARS,
  OpenCalls,
  type PiiCipher,
} from '../../core/index.js';
import type { UserDataReader } from './user-data.repository.js';
import { USER_TABLES } from './user-tables.js';

/** Request of an operator. */
interface Erasure {
  readonly userId: string;
  readonly reason: string;
  /** First day on which the KYC record of an opened deposit may be deleted. */
  readonly kycUntil: string | undefined;
  /** Whether the operator declares that issuers opened no deposit. */
  readonly hasNoDeposit: boolean;
}

/** Deleted and kept data, one line each. */
type Report = readonly string[];

/**
 * Deletes all data of a person, or nothing. Deletes the user's row too: running calls refer to it, so they can write
 * nothing more. Kept records contain only the id, which then identifies no one; the same phone logs in as a new user.
 */
export class UserErasure {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
    private readonly reader: UserDataReader,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @returns undefined for an unknown user
   * @throws CommandError while the user is blocked or has an open call to a provider, or if a deposit was opened and no
   * day is given, or may have been opened and nothing is declared
   */
  async erase({ userId, reason, kycUntil, hasNoDeposit }: Erasure): Promise<Report | undefined> {
    return this.database.transaction(async (transaction) => {
      const [user] = await transaction.query<{ isBlocked: boolean }[]>(
        'SELECT blocked_at IS NOT NULL AS "isBlocked" FROM onboarding.users WHERE id = $1 FOR UPDATE',
        [userId],
      );
      if (!user) {
        const report = await reportOfErased(transaction, userId);
        const repeated = {
          action: 'USER_ERASED',
          subject: userId,
          code: reason,
          outcome: 'REPEATED',
        } as const;
        if (report) await this.audit.record(transaction, repeated);
        return report;
      }
      // erasing a blocked user would let the phone log in as a new user
      if (user.isBlocked)
        throw new CommandError(
          'The user is blocked, which ends with the erasure: unblock first (users unblock), so that it is decided.',
        );
      await this.assertNoOpenCalls(transaction, userId);
      const issuers = await findIssuers(transaction, userId);
      assertDecided(issuers, kycUntil, hasNoDeposit);
      await this.recordErasure(transaction, userId, kycUntil);
      await endConsents(transaction, userId);
      const lines = await deleteRows(transaction, userId);
      const entry = { subject: userId, code: reason };
      if (hasNoDeposit) await this.audit.record(transaction, { action: 'NO_DEPOSIT_DECLARED', ...entry });
      await this.audit.record(transaction, { action: 'USER_ERASED', ...entry });
      return [...lines, ...keptLines(kycUntil), ...issuers.map(issuerLine)];
    });
  }

  /** Open calls must end before their data is deleted. */
  private async assertNoOpenCalls(transaction: Transaction, userId: string): Promise<void> {
    const calls = await new OpenCalls(this.database, this.audit).lockAll(userId, transaction);
    const open = calls.filter(({ isOpen, isReady }) => isOpen && isReady);
    if (open.length === 0) return;
    const lines = open.map(callLine).join('\n');
    throw new CommandError(
      `Calls to providers are open. Wait for their end, or give them up (calls give-up):\n${lines}`,
    );
  }

  /** Records the erasure, with the KYC record if required. */
  private async recordErasure(
    transaction: Transaction,
    userId: string,
    kycUntil: string | undefined,
  ): Promise<void> {
    const place = { table: 'erased_users', column: 'kyc_record', id: userId };
    const record = kycUntil && (await this.reader.read(transaction, userId, ({ isKyc }) => isKyc === true));
    await transaction.query(
      'INSERT INTO onboarding.erased_users (user_id, kyc_until, kyc_record_encrypted) VALUES ($1, $2, $3)',
      [userId, kycUntil ?? null, record ? this.cipher.encrypt(JSON.stringify(record), place) : null],
    );
  }
}

interface IssuerWithData {
  readonly issuer: string;
  readonly hasDeposit: boolean;
  /** Whether the person could book a deposit: issuers do not report every one. */
  readonly mayHaveDeposit: boolean;
}

async function findIssuers(transaction: Transaction, userId: string): Promise<IssuerWithData[]> {
  return transaction.query<IssuerWithData[]>(
    `SELECT issuer, bool_or(deposit = 'OPENED') AS "hasDeposit", bool_or(deposit = 'POSSIBLE') AS "mayHaveDeposit" FROM (
       SELECT issuer_slug AS issuer, CASE WHEN state = 'CONVERTED' THEN 'OPENED' ELSE 'NONE' END AS deposit
         FROM onboarding.leads WHERE user_id = $1
       UNION ALL
       SELECT issuer_slug, 'NONE' FROM onboarding.existing_customers WHERE user_id = $1
       UNION ALL
       SELECT s.issuer_slug, CASE WHEN s.state = 'INVALID' THEN 'NONE' ELSE 'POSSIBLE' END
         FROM onboarding.bank_syncs s JOIN onboarding.bank_accounts a ON a.id = s.account_id
        WHERE a.user_id = $1 AND (s.state = 'SYNCED' OR s.sent_at IS NOT NULL)
       UNION ALL
       SELECT w.issuer_slug, 'POSSIBLE'
         FROM onboarding.bank_withdrawals w JOIN onboarding.bank_accounts a ON a.id = w.account_id WHERE a.user_id = $1
       ${bookingChecks('audit_events')} ${bookingChecks('audit_unsealed')}) known
     GROUP BY issuer ORDER BY issuer`,
    [userId],
  );
}

/** Adds the issuers whose booking the user has checked. Whether one was possible is not recorded. */
function bookingChecks(table: 'audit_events' | 'audit_unsealed'): string {
  return `UNION ALL
       SELECT issuer_slug, 'POSSIBLE' FROM onboarding.${table}
        WHERE subject_user_id = $1 AND action = 'BOOKING_CHECKED' AND outcome = 'OK' AND issuer_slug IS NOT NULL`;
}

/** @throws CommandError unless the operator has decided on the KYC record of a deposit */
function assertDecided(
  issuers: readonly IssuerWithData[],
  kycUntil: string | undefined,
  hasNoDeposit: boolean,
): void {
  if (kycUntil !== undefined) {
    if (hasNoDeposit) throw new CommandError('users erase: --kyc-until or --no-deposit, not both');
    return;
  }
  const namesOf = (kind: 'hasDeposit' | 'mayHaveDeposit') =>
    issuers.flatMap((issuer) => (issuer[kind] ? [issuer.issuer] : [])).join(', ');
  const [opened, possible] = [namesOf('hasDeposit'), namesOf('mayHaveDeposit')];
  if (opened)
    throw new CommandError(
      `A deposit was opened with ${opened}: give the day until which its KYC record must be kept (--kyc-until, five years after the deposit ends).`,
    );
  if (possible && !hasNoDeposit)
    throw new CommandError(
      `A deposit may have been opened with ${possible}, so ask there. If so, give the day until which its KYC record must be kept (--kyc-until, five years after the deposit ends), otherwise --no-deposit.`,
    );
}

/** Nobody can withdraw them any more, so the time for which they are kept as proof begins now, or is over. */
async function endConsents(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query(
    'UPDATE onboarding.consents SET withdrawn_at = now() WHERE user_id = $1 AND withdrawn_at IS NULL',
    [userId],
  );
  await transaction.query(
    `DELETE FROM onboarding.consents
      WHERE user_id = $1 AND withdrawn_at < now() - interval '${DECLARATIONS_KEPT_YEARS} years'`,
    [userId],
  );
}

async function deleteRows(transaction: Transaction, userId: string): Promise<string[]> {
  const lines: string[] = [];
  for (const { table, where, kept } of USER_TABLES) {
    if (kept !== undefined) continue;
    const count = await transaction.execute(`DELETE FROM onboarding.${table} t WHERE ${where}`, [userId]);
    if (count > 0) lines.push(`deleted\t${table}\t${count}`);
  }
  return lines;
}

const keptLines = (kycUntil: string | undefined): string[] => [
  ...(kycUntil ? [`kept\tKYC record\tuntil ${kycUntil}`] : []),
  ...USER_TABLES.flatMap(({ table, kept }) => (kept ? [`kept\t${table}\t${kept}`] : [])),
];

const issuerLine = ({ issuer }: IssuerWithData): string =>
  `elsewhere\t${issuer}\twhat the issuer has is its own: ask it to erase it`;

async function reportOfErased(transaction: Transaction, userId: string): Promise<Report | undefined> {
  const [erased] = await transaction.query<{ erasedAt: Date }[]>(
    'SELECT erased_at AS "erasedAt" FROM onboarding.erased_users WHERE user_id = $1',
    [userId],
  );
  return erased && [`erased before\t${erased.erasedAt.toISOString()}`];
}

/** Batch size within the statement timeout. */
const PURGE_BATCH = 500;

/** Deletes a batch of expired KYC records; returns how many. */
export async function purgeKycRecords(database: Database): Promise<number> {
  return database.execute(
    `UPDATE onboarding.erased_users SET kyc_until = NULL, kyc_record_encrypted = NULL WHERE user_id IN (
       SELECT user_id FROM onboarding.erased_users WHERE kyc_until <= current_date LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [PURGE_BATCH],
  );
}
