import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '@fd/platform';
import { AuditTrail, KeyedHash, PiiCipher } from '../../core/index.js';
import { JourneyRepository, type StepState } from '../../journey/index.js';
import { KEEP_IDENTITY } from './pan.queries.js';
import {
  IDENTITY,
  type NewIdentity,
  openIdentity,
  type SealedIdentity,
  sealIdentity,
  type VerifiedIdentity,
} from './sealed-identity.js';

/** Purpose of the keyed hash for finding the user of a PAN. */
export const PAN_INDEX = 'identities.pan';

/** Identities of users: one for each user; a PAN has one user at a time. */
@Injectable()
export class IdentitiesRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
    private readonly audit: AuditTrail,
    private readonly journey: JourneyRepository,
  ) {}

  /** The identity of a user; undefined until a PAN is verified. Mask it before sending. */
  async findByUserId(
    userId: string,
    connection: Queryable = this.database,
  ): Promise<VerifiedIdentity | undefined> {
    const [row] = await connection.query<SealedIdentity[]>(
      `SELECT ${IDENTITY} FROM onboarding.identities WHERE user_id = $1`,
      [userId],
    );
    return row && openIdentity(this.cipher, 'identities', userId, row);
  }

  /**
   * Stores an identity, completes the step and ends its check.
   * @returns the user's current identity; undefined if another user has this PAN
   */
  async keep(
    userId: string,
    identity: NewIdentity,
    connection: Queryable = this.database,
  ): Promise<VerifiedIdentity | undefined> {
    const { pan, verificationId } = identity;
    const [kept] = await connection.query<{ verifiedAt: Date; newState: StepState | null }[]>(KEEP_IDENTITY, [
      ...sealIdentity(this.cipher, 'identities', userId, this.hash.digest(PAN_INDEX, pan), identity),
      this.audit.rowOf({ action: 'PAN_VERIFIED', subject: userId, object: verificationId }),
    ]);
    if (!kept) return this.findByUserId(userId, connection);
    if (kept.newState) this.journey.noteState({ step: 'PAN', issuer: '', state: kept.newState });
    return { ...identity, verifiedAt: kept.verifiedAt };
  }
}
