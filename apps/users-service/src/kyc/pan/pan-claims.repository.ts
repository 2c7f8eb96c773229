import { Injectable } from '@nestjs/common';
import { PanErrors } from '@fd/errors';
import type { Queryable, Transaction } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { AuditTrail, type OldRows, PiiCipher, SETTLED } from '../../core/index.js';
import { JourneyRepository, type Step } from '../../journey/index.js';
import {
  CLAIM,
  openIdentity,
  type SealedIdentity,
  sealIdentity,
  type VerifiedIdentity,
} from './identities.repository.js';
import { TAKE_IDENTITY } from './pan.queries.js';

/** Claims of another user's PAN that have waited too long for their eKYC. */
export const OLD_CLAIMS: OldRows = {
  name: 'contested PAN claims',
  table: 'contested_identities',
  key: 'user_id',
  where: "verified_at <= now() - interval '30 days'",
};

/** An eKYC request whose outcome may still change. */
const IS_OPEN = "state IN ('DUE', 'FOLLOWED')";

/**
 * Locks the open eKYC requests of a user before the identity, as an eKYC that is verified does.
 * @param user SQL of the id
 */
const lockRequests = (user: string): string =>
  `SELECT FROM onboarding.ekyc_requests WHERE user_id = ${user} AND ${IS_OPEN} ORDER BY id FOR UPDATE`;

/** Deletes an identity and dependent data. $1 user; returns no row if the user has none. */
const RELEASE = `
WITH released AS (
  DELETE FROM onboarding.identities WHERE user_id = $1 RETURNING user_id, verification_id
), unknown AS (
  -- what issuers said was about the holder of the PAN
  DELETE FROM onboarding.existing_customers c USING released WHERE c.user_id = released.user_id
), uncompared AS (
  -- the holders' names are compared with that of the next PAN
  UPDATE onboarding.bank_accounts b SET is_compared = false FROM released WHERE b.user_id = released.user_id RETURNING b.id
), in_doubt AS (
  -- an issuer may have the account without a confirmation: it is asked again, so that the account can be withdrawn
  UPDATE onboarding.bank_syncs s SET state = 'DUE', tries = 0, next_try_at = now(), due_since = now(), settled_at = NULL
    FROM uncompared WHERE s.account_id = uncompared.id AND s.state = 'ABANDONED' AND s.sent_at IS NOT NULL
), unproved AS (
  -- a proof of the former holder no longer counts: nobody polls for it, or ends a step that is reset
  UPDATE onboarding.ekyc_requests r SET status = 'EXPIRED', updated_at = now(), state = 'SETTLED', ${SETTLED}
    FROM released WHERE r.user_id = released.user_id AND r.compared_with = released.verification_id AND ${IS_OPEN}
)
SELECT verification_id AS "verificationId" FROM released`;

/** Reasons of a release: for the audit trail, and for the client, as a stable token of the step PAN. */
export interface ReleaseReasons {
  readonly recorded: string;
  readonly shown: string;
}

/**
 * Decides which user has a PAN. The first user to verify it owns it provisionally; a later user is refused and may take
 * it over by an eKYC of its holder. A verified eKYC that was compared with the PAN makes the ownership permanent. Both
 * need a registry that compared the date of birth: otherwise a namesake of the holder proves a name and a date of their
 * own. A document with only the year of birth, which namesakes may share, gives way to one with the full date.
 * `identities` has a row for each user with a PAN, `contested_identities` for each user who claims the PAN of
 * another; the unique index of `identities` decides races.
 */
@Injectable()
export class PanClaims {
  constructor(
    private readonly cipher: PiiCipher,
    private readonly audit: AuditTrail,
    private readonly journey: JourneyRepository,
  ) {}

  /**
   * Assigns a PAN in the transaction that verifies an eKYC of its holder. A provisional user loses it and is notified.
   * @param verificationId the verification of the PAN that the eKYC was compared with
   * @returns whether the user has the PAN; permanently if the registry compared the date of birth
   */
  async confirm(transaction: Transaction, userId: string, verificationId: string): Promise<boolean> {
    // locked, so that no other user takes it over before this transaction ends
    const [own] = await transaction.query<object[]>(
      'SELECT 1 FROM onboarding.identities WHERE user_id = $1 AND verification_id = $2 FOR NO KEY UPDATE',
      [userId, verificationId],
    );
    return own !== undefined || this.takeOver(transaction, userId, verificationId);
  }

  /**
   * Releases a PAN with its dependent data: answers of issuers, comparisons of bank accounts, the steps PAN, EKYC and
   * BANK. An eKYC request refers to a verification of the PAN, so it no longer counts; an open one ends. Declarations stay; the
   * worker of BANK withdraws accounts from issuers.
   * @returns the former verification of the PAN; undefined if the user has no PAN
   */
  async release(
    transaction: Queryable,
    userId: string,
    { recorded, shown }: ReleaseReasons,
  ): Promise<string | undefined> {
    await transaction.query(lockRequests('$1'), [userId]);
    // locks first: the DELETE would not see rows that an issuer's answer adds while it waits for the lock
    await transaction.query('SELECT FROM onboarding.identities WHERE user_id = $1 FOR UPDATE', [userId]);
    const [released] = await transaction.query<{ verificationId: string }[]>(RELEASE, [userId]);
    if (!released) return undefined;
    await this.audit.record(transaction, {
      action: 'PAN_RELEASED',
      subject: userId,
      code: recorded,
      object: released.verificationId,
    });
    // in the order of other transactions: accounts before steps, and steps by issuer
    const begun = await transaction.query<{ step: Step; issuer: string }[]>(
      `SELECT step, issuer_slug AS issuer FROM onboarding.journey_steps
        WHERE user_id = $1 AND step IN ('PAN', 'EKYC', 'BANK') AND state <> 'NOT_STARTED'
        ORDER BY step, issuer_slug`,
      [userId],
    );
    for (const { step, issuer } of begun) {
      const why = step === 'PAN' ? { reason: shown } : {};
      await this.journey.record(transaction.manager, { userId, step, issuer, event: 'RESET', ...why });
    }
    return released.verificationId;
  }

  private async takeOver(transaction: Transaction, userId: string, verificationId: string): Promise<boolean> {
    try {
      return await transaction.nested(() => this.takeOnce(transaction, userId, verificationId));
    } catch (error) {
      if (!(error instanceof ClaimedMeanwhile)) throw error;
      return this.takeOver(transaction, userId, verificationId);
    }
  }

  /** @throws ClaimedMeanwhile; then what it has written must be rolled back */
  private async takeOnce(transaction: Transaction, userId: string, verificationId: string): Promise<boolean> {
    const [claim] = await transaction.query<(SealedIdentity & { panIndex: Buffer })[]>(
      `SELECT ${CLAIM}, pan_index AS "panIndex" FROM onboarding.contested_identities c
        WHERE user_id = $1 AND verification_id = $2
          AND NOT EXISTS (SELECT FROM onboarding.identities WHERE user_id = c.user_id)`,
      [userId, verificationId],
    );
    if (!claim) return false;
    const { panIndex, ...sealed } = claim;
    const identity = openIdentity(this.cipher, 'contested_identities', userId, sealed);
    if (!(await this.vacate(transaction, panIndex, { ...identity, userId }))) return false;
    const taken = await TAKE_IDENTITY.run(transaction.manager, {
      ...sealIdentity(this.cipher, 'identities', userId, panIndex, identity),
      isDobCompared: identity.isBirthDateCompared,
    });
    if (taken === 0) throw new ClaimedMeanwhile();
    await transaction.query('DELETE FROM onboarding.contested_identities WHERE user_id = $1', [userId]);
    await this.audit.record(transaction, {
      action: 'PAN_TAKEN_OVER',
      subject: userId,
      object: verificationId,
    });
    await this.journey.record(transaction.manager, {
      userId,
      step: 'PAN',
      event: 'COMPLETED',
      object: verificationId,
    });
    return true;
  }

  /**
   * Releases a PAN from a provisional user for a claim.
   * @returns false if that user owns it permanently, or has proved as much as the claim, or if the claim's date of birth was
   * not compared
   */
  private async vacate(
    transaction: Transaction,
    panIndex: Buffer,
    { isBirthDateCompared, ...claim }: VerifiedIdentity & { readonly userId: string },
  ): Promise<boolean> {
    // another holder meanwhile has its requests locked late, and PostgreSQL ends a deadlock
    await transaction.query(
      lockRequests('(SELECT user_id FROM onboarding.identities WHERE pan_index = $1)'),
      [panIndex],
    );
    // eKYCs of that user are verified and read under this lock
    const [holder] = await transaction.query<
      { userId: string; verificationId: string; isCompared: boolean }[]
    >(
      `SELECT user_id AS "userId", verification_id AS "verificationId", is_dob_compared AS "isCompared"
         FROM onboarding.identities WHERE pan_index = $1 FOR UPDATE`,
      [panIndex],
    );
    if (!holder) return true;
    if (!isBirthDateCompared) return false;
    const [held, claimed] = [await proofOf(transaction, holder), await proofOf(transaction, claim)];
    if (holder.isCompared && held && (held === 'DATE' || claimed === 'YEAR')) return false;
    const { code } = PanErrors.belongsToAnotherUser;
    await this.release(transaction, holder.userId, { recorded: code, shown: code });
    await transaction.query(
      'INSERT INTO onboarding.pan_notices (id, user_id, idempotency_key) VALUES ($1, $2, $3)',
      [uuidv7(), holder.userId, uuidv7()],
    );
    return true;
  }
}

/** Another claim finished first, and decides; or the user has verified another PAN, and its holder keeps this one. */
class ClaimedMeanwhile extends Error {}

/** What the eKYCs of a user have proved that were compared with a verification: the full date of birth, or its year. */
async function proofOf(
  transaction: Transaction,
  { userId, verificationId }: { readonly userId: string; readonly verificationId: string },
): Promise<'DATE' | 'YEAR' | undefined> {
  const [{ isFullDate }] = await transaction.query<[{ isFullDate: boolean | null }]>(
    `SELECT bool_or(is_full_date IS NOT FALSE) AS "isFullDate" FROM onboarding.ekyc_requests
      WHERE user_id = $1 AND status = 'VERIFIED' AND compared_with = $2`,
    [userId, verificationId],
  );
  if (isFullDate === null) return undefined;
  return isFullDate ? 'DATE' : 'YEAR';
}
