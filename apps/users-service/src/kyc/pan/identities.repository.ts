import { Injectable } from '@nestjs/common';
import type { AadhaarSeedingStatus } from '@fd/contracts';
import { Database, type Queryable } from '@fd/platform';
import { auditRow, AuditTrail, KeyedHash, PiiCipher, SETTLED } from '../../core/index.js';
import { applyEvent, JourneyRepository, NEW_STATE, type StepState } from '../../journey/index.js';
import type { PanNames, PanQuery } from './pan-registry.port.js';

/** An identity confirmed by the PAN registry. */
export interface PanIdentity extends PanNames, PanQuery {}

/** An identity with the verification that it came from. */
export interface VerifiedIdentity extends PanIdentity {
  readonly verificationId: string;
  readonly panStatus: 'VALID';
  /** Whether the registry compared the date of birth; otherwise it is only claimed. */
  readonly isBirthDateCompared: boolean;
  readonly aadhaarSeedingStatus: AadhaarSeedingStatus;
  readonly verifiedAt: Date;
}

type NewIdentity = Omit<VerifiedIdentity, 'verifiedAt'>;

/** A selected identity or claim with encrypted texts. */
export type SealedIdentity = Omit<VerifiedIdentity, keyof PanNames | 'isBirthDateCompared'> & {
  readonly names: string;
  /** Undefined in a claim, which keeps it beside the names. */
  readonly isBirthDateCompared?: boolean;
};

/**
 * What is encrypted as the names. A claim also keeps whether the date of birth was compared: the former release replaces
 * claims by `ROW (excluded.*)`, which fails if the table has another column. That release writes claims without it.
 */
type SealedNames = PanNames & { readonly isBirthDateCompared?: boolean };

type IdentityTable = 'identities' | 'contested_identities';

/** Columns of claims for the values of `sealIdentity`, the user first. */
const CLAIM_COLUMNS = `user_id, verification_id, pan_index, pan_encrypted, dob_encrypted, names_encrypted, pan_status,
  aadhaar_seeding_status`;

/** Columns of identities for the values of `sealIdentity`. */
export const IDENTITY_COLUMNS = `${CLAIM_COLUMNS}, is_dob_compared`;

/** Selects a `SealedIdentity` from the claims. */
export const CLAIM = `verification_id AS "verificationId", pan_encrypted AS pan, dob_encrypted AS "dateOfBirth",
  names_encrypted AS names, pan_status AS "panStatus", aadhaar_seeding_status AS "aadhaarSeedingStatus",
  verified_at AS "verifiedAt"`;

/** Selects a `SealedIdentity` from the identities. */
export const IDENTITY = `${CLAIM}, is_dob_compared AS "isBirthDateCompared"`;

/** The values of a row for a table, in the order of its columns. */
export function sealIdentity(
  cipher: PiiCipher,
  table: IdentityTable,
  userId: string,
  panIndex: Buffer,
  {
    pan,
    dateOfBirth,
    verificationId,
    panStatus,
    isBirthDateCompared,
    aadhaarSeedingStatus,
    ...rest
  }: NewIdentity,
): unknown[] {
  const { fullName, firstName, middleName, lastName, fatherName } = rest;
  const isClaim = table === 'contested_identities';
  const names: SealedNames = {
    ...{ fullName, firstName, middleName, lastName, fatherName },
    ...(isClaim ? { isBirthDateCompared } : {}),
  };
  return [
    userId,
    verificationId,
    panIndex,
    cipher.encrypt(pan, { table, column: 'pan', id: userId }),
    cipher.encrypt(dateOfBirth, { table, column: 'dob', id: userId }),
    cipher.encrypt(JSON.stringify(names), { table, column: 'names', id: userId }),
    panStatus,
    aadhaarSeedingStatus,
    ...(isClaim ? [] : [isBirthDateCompared]),
  ];
}

export function openIdentity(
  cipher: PiiCipher,
  table: IdentityTable,
  userId: string,
  { names, ...row }: SealedIdentity,
): VerifiedIdentity {
  const open = (column: string, sealed: string) => cipher.decrypt(sealed, { table, column, id: userId });
  return {
    isBirthDateCompared: false,
    ...row,
    ...(JSON.parse(open('names', names)) as SealedNames),
    pan: open('pan', row.pan),
    dateOfBirth: open('dob', row.dateOfBirth),
  };
}

/** Purpose of the keyed hash for finding the user of a PAN. */
export const PAN_INDEX = 'identities.pan';

/**
 * Keeps the identity of the user in $1, if any, until the transaction ends: a release of the PAN waits. Runs before the
 * locks of the user's bank accounts, as in a release.
 */
export const LOCK_IDENTITY = 'SELECT FROM onboarding.identities WHERE user_id = $1 FOR SHARE';

/** Assignments of an UPDATE that ends a check and clears its query. */
export const ENDED = `claim_index = NULL, claim_encrypted = NULL, ${SETTLED}`;

/**
 * Stores an identity, completes the step and ends its check, unless the user has an identity or another user has its
 * PAN: the unique indexes decide. An identity that arrives after its check was given up still counts.
 * $1 user, $2 verification and check, $3 index of the PAN, $4 PAN, $5 date of birth, $6 names, $7 state of the PAN,
 * $8 whether Aadhaar is linked, $9 whether the date of birth was compared, $10 row of the audit trail; no row: nothing was stored
 */
export const KEEP_IDENTITY = `
WITH kept AS (
  INSERT INTO onboarding.identities (${IDENTITY_COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING verified_at
), ${applyEvent('$1', 'PAN', 'COMPLETED', 'EXISTS (SELECT FROM kept)')}, ended AS (
  UPDATE onboarding.pan_checks SET state = 'VERIFIED', refusal = NULL, ${ENDED}
   WHERE id = $2 AND EXISTS (SELECT FROM kept)
), audited AS (
  INSERT INTO onboarding.audit_unsealed SELECT e.* FROM kept, ${auditRow('$10')} e
)
SELECT verified_at AS "verifiedAt", ${NEW_STATE} AS "newState" FROM kept`;

/** Identities of users: one for each user; a PAN has one user at a time, and others may claim it (`PanClaims`). */
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
    this.journey.noteState('PAN', kept.newState, connection);
    return { ...identity, verifiedAt: kept.verifiedAt };
  }

  /**
   * Stores the registry's answer about a PAN of another user. A repeat changes nothing, so that a running eKYC stays
   * valid, unless only the new answer compared the date of birth.
   */
  async contest(userId: string, identity: NewIdentity, connection: Queryable = this.database): Promise<void> {
    const index = this.hash.digest(PAN_INDEX, identity.pan);
    const claim = identity.isBirthDateCompared ? await this.findClaim(userId, connection) : undefined;
    await connection.query(
      `INSERT INTO onboarding.contested_identities AS c (${CLAIM_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (user_id) DO UPDATE
          SET (${CLAIM_COLUMNS}, verified_at) = ROW (excluded.*)
        WHERE c.pan_index <> excluded.pan_index OR c.verification_id = $9`,
      [
        ...sealIdentity(this.cipher, 'contested_identities', userId, index, identity),
        claim?.isBirthDateCompared === false ? claim.verificationId : null,
      ],
    );
  }

  /** The person that the eKYC of a user must prove: the holder of the user's PAN, or of the PAN that the user claims. */
  async findClaimed(userId: string): Promise<VerifiedIdentity | undefined> {
    const identity = await this.findByUserId(userId);
    return identity ?? this.findClaim(userId, this.database);
  }

  /** @returns the id of the user of a PAN */
  async findUserOf(pan: string, connection: Queryable): Promise<string | undefined> {
    const [holder] = await connection.query<{ userId: string }[]>(
      'SELECT user_id AS "userId" FROM onboarding.identities WHERE pan_index = $1',
      [this.hash.digest(PAN_INDEX, pan)],
    );
    return holder?.userId;
  }

  private async findClaim(userId: string, connection: Queryable): Promise<VerifiedIdentity | undefined> {
    const [row] = await connection.query<SealedIdentity[]>(
      `SELECT ${CLAIM} FROM onboarding.contested_identities WHERE user_id = $1`,
      [userId],
    );
    return row && openIdentity(this.cipher, 'contested_identities', userId, row);
  }
}
