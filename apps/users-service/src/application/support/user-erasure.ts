import { CommandError } from '@fd/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { bankIssuersOf } from '../../banking/index.js';
import {
  type AuditTrail,
  callLine,
  deleteSelected,
  issuersOfAction,
  type OpenCalls,
  type PiiCipher,
} from '../../core/index.js';
import { eraseEventsOf, type PartnerEvents } from '../../events/index.js';
import { endConsentsOf, publishToPartners, type UsersRepository } from '../../identity/index.js';
import { issuersAskedAbout } from '../../kyc/index.js';
import { LeadRow } from '../leads/lead.entity.js';
import { USER_TABLES } from '../user-data.table.js';
import { ErasedUser } from './erased-user.entity.js';
import { rowsOfUser, type UserDataReader } from './user-data.repository.js';

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
  // eslint-disable-next-line max-params -- an erasure reaches what each domain knows of a person
  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UsersRepository,
    private readonly cipher: PiiCipher,
    private readonly reader: UserDataReader,
    private readonly audit: AuditTrail,
    private readonly calls: OpenCalls,
    private readonly events: PartnerEvents,
  ) {}

  /**
   * @returns undefined for an unknown user
   * @throws CommandError while the user is blocked or has an open call to a provider, or if a deposit was opened and no
   * day is given, or may have been opened and nothing is declared
   */
  async erase({ userId, reason, kycUntil, hasNoDeposit }: Erasure): Promise<Report | undefined> {
    return this.dataSource.transaction(async (tx) => {
      const user = await this.users.lockWhole(tx, userId);
      if (!user) {
        const report = await reportOfErased(tx, userId);
        const repeated = {
          action: 'USER_ERASED',
          subject: userId,
          code: reason,
          outcome: 'REPEATED',
        } as const;
        if (report) await this.audit.record(tx, repeated);
        return report;
      }
      // erasing a blocked user would let the phone log in as a new user
      if (user.isBlocked)
        throw new CommandError(
          'The user is blocked, which ends with the erasure: unblock first (users unblock), so that it is decided.',
        );
      await this.assertNoOpenCalls(tx, userId);
      const issuers = await findIssuers(tx, userId);
      assertDecided(issuers, kycUntil, hasNoDeposit);
      await this.recordErasure(tx, userId, kycUntil);
      await endConsentsOf(tx, userId);
      const lines = await deleteRows(tx, userId);
      const entry = { subject: userId, code: reason };
      if (hasNoDeposit) await this.audit.record(tx, { action: 'NO_DEPOSIT_DECLARED', ...entry });
      await this.audit.record(tx, { action: 'USER_ERASED', ...entry });
      await eraseEventsOf(tx, userId);
      await publishToPartners(tx, this.events, 'user.erased', userId);
      return [...lines, ...keptLines(kycUntil), ...issuers.map(issuerLine)];
    });
  }

  /** Open calls must end before their data is deleted. */
  private async assertNoOpenCalls(tx: EntityManager, userId: string): Promise<void> {
    const calls = await this.calls.lockAll(tx, userId);
    const open = calls.filter(({ isOpen, isReady }) => isOpen && isReady);
    if (open.length === 0) return;
    const lines = open.map(callLine).join('\n');
    throw new CommandError(
      `Calls to providers are open. Wait for their end, or give them up (calls give-up):\n${lines}`,
    );
  }

  /** Records the erasure, with the KYC record if required. */
  private async recordErasure(
    tx: EntityManager,
    userId: string,
    kycUntil: string | undefined,
  ): Promise<void> {
    const place = { table: 'erased_users', column: 'kyc_record', id: userId };
    const record = kycUntil && (await this.reader.read(tx, userId, ({ isKyc }) => isKyc === true));
    const kycRecordEncrypted = record ? this.cipher.encrypt(JSON.stringify(record), place) : null;
    await tx.insert(ErasedUser, { userId, kycUntil: kycUntil ?? null, kycRecordEncrypted });
  }
}

interface IssuerWithData {
  readonly issuer: string;
  readonly hasDeposit: boolean;
  /** Whether the person could book a deposit: issuers do not report every one. */
  readonly mayHaveDeposit: boolean;
}

async function findIssuers(tx: EntityManager, userId: string): Promise<IssuerWithData[]> {
  const leads = await tx.findBy(LeadRow, { userId });
  const opened = leads.filter(({ state }) => state === 'CONVERTED').map(({ issuerSlug }) => issuerSlug);
  const accounts = await bankIssuersOf(tx, userId);
  // whether a booking was possible is not recorded
  const checked = await issuersOfAction(tx, userId, 'BOOKING_CHECKED');
  const known = [...leads.map(({ issuerSlug }) => issuerSlug), ...(await issuersAskedAbout(tx, userId))];
  const issuers = new Set([...known, ...accounts.map(({ issuer }) => issuer), ...checked]);
  return [...issuers].sort().map((issuer) => ({
    issuer,
    hasDeposit: opened.includes(issuer),
    mayHaveDeposit:
      checked.includes(issuer) || accounts.some((known) => known.issuer === issuer && !known.isRefused),
  }));
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

async function deleteRows(tx: EntityManager, userId: string): Promise<string[]> {
  const lines: string[] = [];
  for (const userTable of USER_TABLES) {
    const { entity, table, kept } = userTable;
    if (kept !== undefined) continue;
    const count = await deleteSelected(tx, entity, rowsOfUser(tx, userTable, userId));
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

async function reportOfErased(tx: EntityManager, userId: string): Promise<Report | undefined> {
  const erased = await tx.findOneBy(ErasedUser, { userId });
  return erased ? [`erased before\t${erased.erasedAt.toISOString()}`] : undefined;
}

/** Batch size within the statement timeout. */
const PURGE_BATCH = 500;

/** Deletes a batch of expired KYC records; returns how many. */
export async function purgeKycRecords(manager: EntityManager): Promise<number> {
  const over = manager
    .createQueryBuilder(ErasedUser, 't')
    .select('t.userId')
    .where('t.kycUntil <= current_date')
    .limit(PURGE_BATCH)
    .setLock('pessimistic_write')
    .setOnLocked('skip_locked');
  const { affected } = await manager
    .createQueryBuilder()
    .update(ErasedUser)
    .set({ kycUntil: null, kycRecordEncrypted: null })
    .where(`user_id IN (${over.getQuery()})`)
    .execute();
  return affected ?? 0;
}
