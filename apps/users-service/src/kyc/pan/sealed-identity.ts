import type { AadhaarSeedingStatus } from '@fd/contracts';
import type { PiiCipher } from '../../core/index.js';
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

export type NewIdentity = Omit<VerifiedIdentity, 'verifiedAt'>;

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
export const CLAIM_COLUMNS = `user_id, verification_id, pan_index, pan_encrypted, dob_encrypted, names_encrypted, pan_status,
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
