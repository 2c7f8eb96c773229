import { Injectable } from '@nestjs/common';
import type { AadhaarSeedingStatus } from '@fd/contracts';
import { type ErrorDefinition, PanErrors } from '@fd/errors';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { KeyedHash, PiiCipher } from '../../core/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { ContestedIdentity } from './contested-identity.entity.js';
import { Identity } from './identity.entity.js';
import { CONTEST_IDENTITY, KEEP_IDENTITY } from './pan.queries.js';
import type { PanNames, PanQuery } from './pan-registry.port.js';
import type { RegistryAnswer } from './registry-answer.entity.js';

export interface PanIdentity extends PanNames, PanQuery {}

export interface VerifiedIdentity extends PanIdentity {
  readonly verificationId: string;
  readonly panStatus: 'VALID';
  /** Whether the registry compared the date of birth; otherwise it is only claimed. */
  readonly isBirthDateCompared: boolean;
  readonly aadhaarSeedingStatus: AadhaarSeedingStatus;
  readonly verifiedAt: Date;
}

/** Why an identity does not confirm the claim. */
export function differenceFrom(known: VerifiedIdentity, claim: PanQuery): ErrorDefinition | undefined {
  if (known.pan !== claim.pan) return PanErrors.anotherPanVerified;
  return known.dateOfBirth === claim.dateOfBirth ? undefined : PanErrors.birthDateDiffers;
}

type NewIdentity = Omit<VerifiedIdentity, 'verifiedAt'>;

/**
 * What is encrypted as the names. A claim also keeps whether the date of birth was compared: the former release replaces
 * claims by `ROW (excluded.*)`, which fails if the table has another column. That release writes claims without it.
 */
type SealedNames = PanNames & { readonly isBirthDateCompared?: boolean };

type IdentityTable = 'identities' | 'contested_identities';

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

/** @param row of an identity, or of a claim, which keeps beside the names whether the date of birth was compared */
export function openIdentity(
  cipher: PiiCipher,
  table: IdentityTable,
  row: RegistryAnswer & { readonly isDobCompared?: boolean },
): VerifiedIdentity {
  const { userId: id, verificationId, panStatus, aadhaarSeedingStatus, verifiedAt } = row;
  const open = (column: string, sealed: string) => cipher.decrypt(sealed, { table, column, id });
  return {
    ...{ verificationId, panStatus, aadhaarSeedingStatus, verifiedAt },
    isBirthDateCompared: row.isDobCompared ?? false,
    ...(JSON.parse(open('names', row.namesEncrypted)) as SealedNames),
    pan: open('pan', row.panEncrypted),
    dateOfBirth: open('dob', row.dobEncrypted),
  };
}

const PAN_INDEX = 'identities.pan';

/** Identities of users: one for each user; a PAN has one user at a time, and others may claim it (`PanClaims`). */
@Injectable()
export class IdentitiesRepository {
  constructor(
    @InjectRepository(Identity) private readonly rows: Repository<Identity>,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
    private readonly journey: JourneyRepository,
  ) {}

  /** Mask it before sending. */
  async findByUserId(
    userId: string,
    tx: EntityManager = this.rows.manager,
  ): Promise<VerifiedIdentity | undefined> {
    const row = await tx.findOneBy(Identity, { userId });
    return row ? openIdentity(this.cipher, 'identities', row) : undefined;
  }

  /**
   * Keeps the identity of a user, if any, until the transaction ends: a release of the PAN waits. Runs before the locks of the
   * user's bank accounts, as in a release.
   */
  async lock(tx: EntityManager, userId: string): Promise<void> {
    await tx.findOne(Identity, { where: { userId }, lock: { mode: 'pessimistic_read' } });
  }

  /**
   * Stores an identity, completes the step and ends its check; commits then, since no decision is left.
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
    const completed = { userId, step: 'PAN', event: 'COMPLETED', object: verificationId } as const;
    await this.journey.recordAndCommit(tx, completed);
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
    return identity ?? this.findClaim(userId, this.rows.manager);
  }

  async findUsersOf(pan: string): Promise<{ owner: string | undefined; claimants: string[] }> {
    const panIndex = this.hash.digest(PAN_INDEX, pan);
    const owner = await this.rows.findOneBy({ panIndex });
    const claims = await this.rows.manager.findBy(ContestedIdentity, { panIndex });
    return { owner: owner?.userId, claimants: claims.map(({ userId }) => userId) };
  }

  private async findClaim(userId: string, tx: EntityManager): Promise<VerifiedIdentity | undefined> {
    const row = await tx.findOneBy(ContestedIdentity, { userId });
    return row ? openIdentity(this.cipher, 'contested_identities', row) : undefined;
  }

  private sealed(table: IdentityTable, userId: string, identity: NewIdentity) {
    return sealIdentity(this.cipher, table, userId, this.hash.digest(PAN_INDEX, identity.pan), identity);
  }
}
