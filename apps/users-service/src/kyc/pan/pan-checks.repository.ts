import { Injectable } from '@nestjs/common';
import { type ErrorCode, PanErrors } from '@fd/errors';
import { Database, pipelined, type Queryable } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import {
  auditRow,
  AuditTrail,
  type CallState,
  KeyedHash,
  LEASE_COLUMNS,
  type OldRows,
  PiiCipher,
  type SessionIdentity,
} from '../../core/index.js';
import {
  type CountedRows,
  fullDay,
  giveConsent,
  isCovered,
  LOCK_USER,
  oldCounted,
  withdrawnBeside,
} from '../../identity/index.js';
import { applyEvent, fullStep, JourneyRepository, NEW_STATE, type StepState } from '../../journey/index.js';
import {
  ENDED,
  IDENTITY,
  openIdentity,
  type SealedIdentity,
  type VerifiedIdentity,
} from './identities.repository.js';
import type { PaidPart, PanQuery } from './pan-registry.port.js';

/** User, session and origin of a check. */
export type Claimant = SessionIdentity & { readonly ip: string };

/** A paid look-up at the PAN registry. Its id is also the reference there and the id of the verification. */
export interface NewPanCheck {
  readonly id: string;
  readonly userId: string;
  readonly claim: PanQuery;
}

/** DUE: no answer yet. REFUSED: with the reason in `refusal`. */
export interface PanCheck extends CallState<'DUE' | 'VERIFIED' | 'REFUSED'> {
  readonly userId: string;
  /** Undefined after its end. */
  readonly claim: PanQuery | undefined;
  /** The first of two paid calls, if the look-up got so far. */
  readonly paid: PaidPart | undefined;
  readonly refusal: ErrorCode | null;
  /** Whether the consents of the user still cover the look-up. */
  readonly isCovered: boolean;
}

/** A check, as clients see it. */
export type PanCheckStatus = Pick<PanCheck, 'id' | 'state' | 'refusal'> & { readonly settledAt: Date | null };

/** A check for the caller to run, a running one, an identity that makes it unnecessary, or a refusal. */
type BegunCheck =
  | { readonly outcome: 'begun'; readonly check: NewPanCheck }
  | { readonly outcome: 'under-way'; readonly id: string }
  | { readonly outcome: 'known'; readonly identity: VerifiedIdentity }
  | { readonly outcome: 'withdrawn' }
  | { readonly outcome: 'too-many'; readonly waitSeconds: number };

type Row = Omit<PanCheck, 'claim' | 'paid'> & { readonly sealedClaim: string | null };

/** Checks whose outcome can no longer be read. */
export const OLD_PAN_CHECKS: OldRows = {
  name: 'old PAN checks',
  table: 'pan_checks',
  where: "settled_at <= now() - interval '7 days'",
};

const SELECT = `SELECT id, user_id AS "userId", id AS "idempotencyKey", NULL AS receipt, claim_encrypted AS "sealedClaim",
  refusal, ${isCovered('pan_checks.user_id', 'PAN_VERIFICATION')} AS "isCovered", ${LEASE_COLUMNS} FROM onboarding.pan_checks`;

/** A query and what was paid for it, encrypted together: both are deleted when the check ends. */
type SealedClaim = PanQuery & { readonly paid?: PaidPart };

/** Each look-up is charged. */
const LOOKUPS: CountedRows = { table: 'pan_lookups', time: 'started_at', max: 10 };

export const OLD_LOOKUPS = oldCounted('old PAN look-ups', LOOKUPS);

/**
 * Begins a check, leased by its caller: records the consent, counts the look-up and writes its audit events, unless the
 * user has an identity, the same check is running, the day's look-ups are used up, or a required consent is not in
 * force. Runs after LOCK_USER in its transaction, to see earlier writes.
 * $1 user, $2 check and look-up, $3 consent, $4 hash of the address, $5 session,
 * $6 and $7 rows of the audit trail: the consent if it is a new one, and the look-up,
 * $8 index of the claim, $9 the claim, $10 seconds of the lease
 */
export const BEGIN_CHECK = `
WITH known AS (
  SELECT ${IDENTITY} FROM onboarding.identities WHERE user_id = $1
), full_day AS (
  -- uncounted look-ups still change the step
  (${fullDay(LOOKUPS)}) UNION ALL (${fullStep('$1', 'PAN')})
), under_way AS (
  SELECT id FROM onboarding.pan_checks WHERE user_id = $1 AND claim_index = $8 AND state = 'DUE'
), caller AS (
  SELECT partner_id FROM onboarding.sessions WHERE id = $5 AND user_id = $1
), consent AS (
  ${giveConsent({
    purpose: 'PAN_VERIFICATION',
    id: '$3',
    user: '$1',
    partner: 'partner_id',
    ipHash: '$4',
    from: 'caller',
  })}
), withdrawn AS (
  ${withdrawnBeside('PAN_VERIFICATION', {
    user: '$1',
    partners: 'caller',
    given: 'consent',
    purposes: "ARRAY['TERMS_OF_USE', 'PAN_VERIFICATION']",
  })}
), lookup AS (
  INSERT INTO onboarding.pan_lookups (id, user_id, started_at)
  SELECT $2, $1, clock_timestamp()
   WHERE NOT EXISTS (SELECT FROM known) AND NOT EXISTS (SELECT FROM under_way) AND NOT EXISTS (SELECT FROM full_day)
     AND NOT EXISTS (SELECT FROM withdrawn)
  RETURNING id, started_at + make_interval(secs => $10) AS until
), made AS (
  INSERT INTO onboarding.pan_checks (id, user_id, claim_index, claim_encrypted, next_try_at, lease_id, leased_until)
  SELECT id, $1, $8, $9, until, id, until FROM lookup
), ${applyEvent('$1', 'PAN', 'STARTED', 'EXISTS (SELECT FROM lookup)', `'${PanErrors.pending.code}'::text`)}, audited AS (
  INSERT INTO onboarding.audit_unsealed
  SELECT e.* FROM consent, ${auditRow('$6')} e UNION ALL SELECT e.* FROM lookup, ${auditRow('$7')} e
)
-- one column, because the driver describes each column of each answer
SELECT (SELECT to_json(known) FROM known) AS known, (SELECT id FROM under_way) AS "underWay",
       (SELECT max(seconds) FROM full_day) AS "waitSeconds", EXISTS (SELECT FROM withdrawn) AS "isWithdrawn",
       ${NEW_STATE} AS "newState"`;

/**
 * Ends an open check, and fails the step if it is refused.
 * $1 check, $2 code of the refusal, or null when the user's identity confirms it, $3 whether its look-up does not count
 */
export const END_CHECK = `
WITH ended AS (
  UPDATE onboarding.pan_checks
     SET state = CASE WHEN $2::text IS NULL THEN 'VERIFIED' ELSE 'REFUSED' END, refusal = $2::text, ${ENDED}
   WHERE id = $1 AND state = 'DUE' RETURNING id, user_id
), given_back AS (
  DELETE FROM onboarding.pan_lookups USING ended WHERE pan_lookups.id = ended.id AND $3::boolean
), ${applyEvent('(SELECT user_id FROM ended)', 'PAN', 'FAILED', 'EXISTS (SELECT FROM ended WHERE $2::text IS NOT NULL)', '$2::text')}
SELECT ${NEW_STATE} AS "newState" FROM ended`;

/** PAN checks. Stores the encrypted query until the registry has answered, and counts look-ups. */
@Injectable()
export class PanChecksRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
    private readonly audit: AuditTrail,
    private readonly journey: JourneyRepository,
  ) {}

  /** Records the consent and begins a check, counted in advance and leased by the caller, with its step. */
  async begin(
    { userId, sessionId, ip }: Claimant,
    claim: PanQuery,
    leaseSeconds: number,
  ): Promise<BegunCheck> {
    const [id, consentId] = [uuidv7(), uuidv7()];
    const values = [
      userId,
      id,
      consentId,
      this.hash.digest('consents.ip', ip),
      sessionId,
      this.audit.rowOf({ action: 'CONSENT_GIVEN', subject: userId, object: consentId }),
      this.audit.rowOf({ action: 'PAN_SENT_TO_REGISTRY', subject: userId, object: id }),
      this.hash.digest('pan_checks.claim', `${claim.pan} ${claim.dateOfBirth}`),
      this.cipher.encrypt(JSON.stringify(claim), locationOf(id)),
      leaseSeconds,
    ];
    // no decision in between: one round trip
    const [, [begun]] = await this.database.transaction((transaction) =>
      pipelined([
        transaction.query(LOCK_USER, [userId]),
        transaction.query<
          [
            {
              known: (Omit<SealedIdentity, 'verifiedAt'> & { verifiedAt: string }) | null;
              underWay: string | null;
              waitSeconds: number | null;
              isWithdrawn: boolean;
              newState: StepState | null;
            },
          ]
        >(BEGIN_CHECK, values),
        transaction.commit(),
      ]),
    );
    const { known, underWay, waitSeconds, isWithdrawn, newState } = begun;
    if (known) {
      const sealed = { ...known, verifiedAt: new Date(known.verifiedAt) };
      return { outcome: 'known', identity: openIdentity(this.cipher, 'identities', userId, sealed) };
    }
    if (underWay !== null) return { outcome: 'under-way', id: underWay };
    if (isWithdrawn) return { outcome: 'withdrawn' };
    if (waitSeconds !== null) return { outcome: 'too-many', waitSeconds };
    this.journey.noteState('PAN', newState);
    return { outcome: 'begun', check: { id, userId, claim } };
  }

  async findById(id: string, connection: Queryable = this.database): Promise<PanCheck> {
    const [row] = await connection.query<[Row]>(`${SELECT} WHERE id = $1`, [id]);
    return this.open(row);
  }

  async findStatus(userId: string, id: string): Promise<PanCheckStatus | undefined> {
    const [status] = await this.database.query<PanCheckStatus[]>(
      `SELECT id, state, refusal, settled_at AS "settledAt" FROM onboarding.pan_checks WHERE id = $1 AND user_id = $2`,
      [id, userId],
    );
    return status;
  }

  async lockById(id: string, transaction: Queryable): Promise<PanCheck> {
    const [row] = await transaction.query<[Row]>(`${SELECT} WHERE id = $1 FOR UPDATE`, [id]);
    return this.open(row);
  }

  /**
   * Ends an open check: as refused, with the failure of the step, or as confirmed by the user's identity.
   * @param isFree whether its look-up does not count
   */
  async end(
    id: string,
    refusal: ErrorCode | null,
    { isFree = false, connection = this.database }: { isFree?: boolean; connection?: Queryable } = {},
  ): Promise<void> {
    const values = [id, refusal, isFree];
    const [ended] = await connection.query<{ newState: StepState | null }[]>(END_CHECK, values);
    this.journey.noteState('PAN', ended?.newState ?? null, connection);
  }

  /** Stores the paid part of a look-up that the caller still runs, and renews its lease. */
  async keepPaid({ id, claim }: NewPanCheck, paid: PaidPart, leaseSeconds: number): Promise<void> {
    const sealed: SealedClaim = { ...claim, paid };
    await this.database.execute(
      `UPDATE onboarding.pan_checks SET claim_encrypted = $2, leased_until = now() + make_interval(secs => $3)
        WHERE id = $1 AND state = 'DUE' AND lease_id = id`,
      [id, this.cipher.encrypt(JSON.stringify(sealed), locationOf(id)), leaseSeconds],
    );
  }

  private open({ sealedClaim, ...row }: Row): PanCheck {
    if (sealedClaim === null) return { ...row, claim: undefined, paid: undefined };
    const opened = JSON.parse(this.cipher.decrypt(sealedClaim, locationOf(row.id))) as SealedClaim;
    const { paid, ...claim } = opened;
    return { ...row, claim, paid };
  }
}

const locationOf = (id: string) => ({ table: 'pan_checks', column: 'claim', id });
