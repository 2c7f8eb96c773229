import { Injectable } from '@nestjs/common';
import type { ErrorCode } from '@fd/errors';
import { Database, pipelined, type Queryable } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import {
  AuditTrail,
  type CallState,
  KeyedHash,
  LEASE_COLUMNS,
  type OldRows,
  PiiCipher,
  type SessionIdentity,
} from '../../core/index.js';
import { isCovered, LOCK_USER } from '../../identity/index.js';
import { JourneyRepository, type StepState } from '../../journey/index.js';
import type { PaidPart, PanQuery } from './pan-registry.port.js';
import { BEGIN_CHECK, END_CHECK } from './pan.queries.js';
import { openIdentity, type SealedIdentity, type VerifiedIdentity } from './sealed-identity.js';

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
    this.noteStep(newState);
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

  async lock(id: string, transaction: Queryable): Promise<PanCheck> {
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
    if (ended) this.noteStep(ended.newState);
  }

  /** Stores the paid part of a look-up that the caller still runs. */
  async keepPaid({ id, claim }: NewPanCheck, paid: PaidPart): Promise<void> {
    const sealed: SealedClaim = { ...claim, paid };
    await this.database.execute(
      `UPDATE onboarding.pan_checks SET claim_encrypted = $2 WHERE id = $1 AND state = 'DUE' AND lease_id = id`,
      [id, this.cipher.encrypt(JSON.stringify(sealed), locationOf(id))],
    );
  }

  private open({ sealedClaim, ...row }: Row): PanCheck {
    if (sealedClaim === null) return { ...row, claim: undefined, paid: undefined };
    const opened = JSON.parse(this.cipher.decrypt(sealedClaim, locationOf(row.id))) as SealedClaim;
    const { paid, ...claim } = opened;
    return { ...row, claim, paid };
  }

  private noteStep(state: StepState | null): void {
    if (state) this.journey.noteState({ step: 'PAN', issuer: '', state });
  }
}

const locationOf = (id: string) => ({ table: 'pan_checks', column: 'claim', id });
