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

/** Purpose of the keyed hash by which the user of a PAN is found. */
export const PAN_INDEX = 'identities.pan';

/** Who the users are, one identity each; one PAN has one user at a time. */
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
    return row && openIdentity(this.cipher, 'identities', userId, row);
  }

  /**
   * Keeps an identity, completes the step and ends the check that it comes from.
   * @returns the identity that the user has now; undefined: another user has this PAN
   */
  async keep(
    userId: string,
    identity: NewIdentity,
    connection: Queryable = this.database,
  ): Promise<VerifiedIdentity | undefined> {
    const { pan, verificationId } = identity;
    const [kept] = await connection.query<{ verifiedAt: Date; newState: StepState | null }[]>(KEEP_IDENTITY, [
      ...sealIdentity(this.cipher, 'identities', userId, this.hash.of(PAN_INDEX, pan), identity),
      this.audit.rowOf({ action: 'PAN_VERIFIED', subject: userId, object: verificationId }),
    ]);
    if (!kept) return this.findByUserId(userId, connection);
    if (kept.newState) this.journey.noteState({ step: 'PAN', issuer: '', state: kept.newState });
    return { ...identity, verifiedAt: kept.verifiedAt };
  }
}
