import { Injectable } from '@nestjs/common';
import type { AadhaarSeedingStatus } from '@fd/contracts';
import type { Queryable } from '@fd/platform';
import { EntityManager } from 'typeorm';
import { KeyedHash, PiiCipher } from '../../core/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { CONTEST_IDENTITY, KEEP_IDENTITY } from './pan.queries.js';
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

/** Selects a `SealedIdentity` from the claims. */
export const CLAIM = `verification_id AS "verificationId", pan_encrypted AS pan, dob_encrypted AS "dateOfBirth",
  names_encrypted AS names, pan_status AS "panStatus", aadhaar_seeding_status AS "aadhaarSeedingStatus",
  verified_at AS "verifiedAt"`;

/** Selects a `SealedIdentity` from the identities. */
export const IDENTITY = `${CLAIM}, is_dob_compared AS "isBirthDateCompared"`;

/** The values of a row, encrypted for a table. */
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
) {
  const { fullName, firstName, middleName, lastName, fatherName } = rest;
  const isClaim = table === 'contested_identities';
  const names: SealedNames = {
    ...{ fullName, firstName, middleName, lastName, fatherName },
    ...(isClaim ? { isBirthDateCompared } : {}),
  };
  return {
    ...{ userId, verificationId, panIndex, panStatus, aadhaarSeedingStatus },
    pan: cipher.encrypt(pan, { table, column: 'pan', id: userId }),
    dob: cipher.encrypt(dateOfBirth, { table, column: 'dob', id: userId }),
    names: cipher.encrypt(JSON.stringify(names), { table, column: 'names', id: userId }),
  };
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

/** Identities of users: one for each user; a PAN has one user at a time, and others may claim it (`PanClaims`). */
@Injectable()
export class IdentitiesRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
    private readonly journey: JourneyRepository,
  ) {}

  /** The identity of a user; undefined until a PAN is verified. Mask it before sending. */
  async findByUserId(
    userId: string,
    tx: EntityManager | Queryable = this.manager,
  ): Promise<VerifiedIdentity | undefined> {
    const [row] = await managerOf(tx).query<SealedIdentity[]>(
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
    tx: EntityManager,
    userId: string,
    identity: NewIdentity,
  ): Promise<VerifiedIdentity | undefined> {
    const { verificationId } = identity;
    const [kept] = await KEEP_IDENTITY.rows(tx, {
      ...this.sealed('identities', userId, identity),
      isDobCompared: identity.isBirthDateCompared,
    });
    if (!kept) return this.findByUserId(userId, tx);
    await this.journey.record(tx, { userId, step: 'PAN', event: 'COMPLETED', object: verificationId });
    return { ...identity, verifiedAt: kept.verifiedAt };
  }

  /**
   * Stores the registry's answer about a PAN of another user. A repeat changes nothing, so that a running eKYC stays
   * valid, unless only the new answer compared the date of birth.
   */
  async contest(tx: EntityManager, userId: string, identity: NewIdentity): Promise<void> {
    const claim = identity.isBirthDateCompared ? await this.findClaim(userId, tx) : undefined;
    await CONTEST_IDENTITY.run(tx, {
      ...this.sealed('contested_identities', userId, identity),
      uncompared: claim?.isBirthDateCompared === false ? claim.verificationId : null,
    });
  }

  /** The person that the eKYC of a user must prove: the holder of the user's PAN, or of the PAN that the user claims. */
  async findClaimed(userId: string): Promise<VerifiedIdentity | undefined> {
    const identity = await this.findByUserId(userId);
    return identity ?? this.findClaim(userId, this.manager);
  }

  /** @returns the id of the user of a PAN */
  async findUserOf(pan: string, connection: Queryable): Promise<string | undefined> {
    const [holder] = await connection.query<{ userId: string }[]>(
      'SELECT user_id AS "userId" FROM onboarding.identities WHERE pan_index = $1',
      [this.hash.digest(PAN_INDEX, pan)],
    );
    return holder?.userId;
  }

  private async findClaim(userId: string, tx: EntityManager): Promise<VerifiedIdentity | undefined> {
    const [row] = await tx.query<SealedIdentity[]>(
      `SELECT ${CLAIM} FROM onboarding.contested_identities WHERE user_id = $1`,
      [userId],
    );
    return row && openIdentity(this.cipher, 'contested_identities', userId, row);
  }

  /** The values of a row, encrypted for its table. */
  private sealed(table: IdentityTable, userId: string, identity: NewIdentity) {
    return sealIdentity(this.cipher, table, userId, this.hash.digest(PAN_INDEX, identity.pan), identity);
  }
}

/** For callers that still have a transaction of `Database`. */
const managerOf = (tx: EntityManager | Queryable): EntityManager => ('manager' in tx ? tx.manager : tx);
