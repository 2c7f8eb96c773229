import { Injectable } from '@nestjs/common';
import type { ErrorCode } from '@fd/errors';
import { Database, pipelined, type Queryable } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { AuditTrail, KeyedHash, PiiCipher, type SessionIdentity } from '../../core/index.js';
import { LOCK_USER } from '../../identity/index.js';
import { JourneyRepository, type StepState } from '../../journey/index.js';
import { BEGIN_LOOKUP, KEEP_IDENTITY } from './pan.queries.js';
import {
  IDENTITY,
  type NewIdentity,
  openIdentity,
  type SealedIdentity,
  sealIdentity,
  type VerifiedIdentity,
} from './sealed-identity.js';

/** What the keyed hash of a PAN is for, by which its user is found. */
export const PAN_INDEX = 'identities.pan';

/** Whose look-up it is, in which session, and from where it came. */
export type Claimant = SessionIdentity & { readonly ip: string };

/** A look-up that may be made now, an identity that spares it, or the seconds until the next one. */
export type BegunLookup =
  | { readonly outcome: 'begun'; readonly id: string }
  | { readonly outcome: 'known'; readonly identity: VerifiedIdentity }
  | { readonly outcome: 'too-many'; readonly waitSeconds: number };

/** Who the users are, one identity each; one PAN has one user at a time. Look-ups are counted; what was asked is not kept. */
@Injectable()
export class IdentitiesRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
    private readonly audit: AuditTrail,
    private readonly journey: JourneyRepository,
  ) {}

  /** Who a user is; undefined until a PAN is verified. Never send it on unmasked. */
  async findByUserId(
    userId: string,
    connection: Queryable = this.database,
  ): Promise<VerifiedIdentity | undefined> {
    const [row] = await connection.query<SealedIdentity[]>(
      `SELECT ${IDENTITY} FROM onboarding.identities WHERE user_id = $1`,
      [userId],
    );
    return row && this.open(userId, row);
  }

  /** Counts a look-up before it is made, with consent and step: a process that dies in between leaves it counted. */
  async beginLookup({ userId, sessionId, ip }: Claimant): Promise<BegunLookup> {
    const [id, consentId] = [uuidv7(), uuidv7()];
    const values = [
      userId,
      id,
      consentId,
      this.hash.of('consents.ip', ip),
      sessionId,
      this.audit.rowOf({ action: 'CONSENT_GIVEN', subject: userId, object: consentId }),
      this.audit.rowOf({ action: 'PAN_SENT_TO_REGISTRY', subject: userId, object: id }),
    ];
    // nothing is decided in between: one round trip
    const [, [begun]] = await this.database.transaction((transaction) =>
      pipelined([
        transaction.query(LOCK_USER, [userId]),
        transaction.query<
          [Partial<SealedIdentity> & { waitSeconds: number | null; newState: StepState | null }]
        >(BEGIN_LOOKUP, values),
        transaction.commit(),
      ]),
    );
    const { waitSeconds, newState, ...known } = begun;
    if (known.verificationId)
      return { outcome: 'known', identity: this.open(userId, known as SealedIdentity) };
    if (waitSeconds !== null) return { outcome: 'too-many', waitSeconds };
    this.noteStep(newState);
    return { outcome: 'begun', id };
  }

  /** Takes a look-up back that does not count. */
  async uncountLookup(userId: string, id: string): Promise<void> {
    await this.database.query('DELETE FROM onboarding.pan_lookups WHERE id = $1 AND user_id = $2', [
      id,
      userId,
    ]);
  }

  /**
   * Keeps an identity and completes the step.
   * @returns the identity that the user has now; undefined: another user has this PAN
   */
  async keep(userId: string, identity: NewIdentity): Promise<VerifiedIdentity | undefined> {
    const { pan, verificationId } = identity;
    const [kept] = await this.database.query<{ verifiedAt: Date; newState: StepState | null }[]>(
      KEEP_IDENTITY,
      [
        ...sealIdentity(this.cipher, 'identities', userId, this.hash.of(PAN_INDEX, pan), identity),
        this.audit.rowOf({ action: 'PAN_VERIFIED', subject: userId, object: verificationId }),
      ],
    );
    if (!kept) return this.findByUserId(userId);
    this.noteStep(kept.newState);
    return { ...identity, verifiedAt: kept.verifiedAt };
  }

  async recordFailure(userId: string, reason: ErrorCode): Promise<void> {
    await this.journey.record({ userId, step: 'PAN', event: 'FAILED', reason });
  }

  private open(userId: string, row: SealedIdentity): VerifiedIdentity {
    return openIdentity(this.cipher, 'identities', userId, row);
  }

  private noteStep(state: StepState | null): void {
    if (state) this.journey.noteState({ step: 'PAN', issuer: '', state });
  }
}
