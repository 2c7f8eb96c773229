import type { AadhaarSeedingStatus } from '@fd/contracts';
import type { PiiCipher } from '../../core/index.js';
import type { PanNames, PanQuery } from './pan-registry.port.js';

/** An identity confirmed by the PAN registry. */
export interface PanIdentity extends PanNames, PanQuery {}

/** An identity with the verification that it came from. */
export interface VerifiedIdentity extends PanIdentity {
  readonly verificationId: string;
  readonly panStatus: 'VALID';
  readonly aadhaarSeedingStatus: AadhaarSeedingStatus;
  readonly verifiedAt: Date;
}

export type NewIdentity = Omit<VerifiedIdentity, 'verifiedAt'>;

/** A selected identity with encrypted texts. */
export type SealedIdentity = Omit<VerifiedIdentity, keyof PanNames> & { readonly names: string };

type IdentityTable = 'identities' | 'contested_identities';

/** Columns for the values of `sealIdentity`, the user first. */
export const IDENTITY_COLUMNS = `user_id, verification_id, pan_index, pan_encrypted, dob_encrypted, names_encrypted, pan_status,
  aadhaar_seeding_status`;

/** Selects a `SealedIdentity`. */
export const IDENTITY = `verification_id AS "verificationId", pan_encrypted AS pan, dob_encrypted AS "dateOfBirth",
  names_encrypted AS names, pan_status AS "panStatus", aadhaar_seeding_status AS "aadhaarSeedingStatus",
  verified_at AS "verifiedAt"`;

/** The values of a row for a table, in the order of its columns. */
export function sealIdentity(
  cipher: PiiCipher,
  table: IdentityTable,
  userId: string,
  panIndex: Buffer,
  { pan, dateOfBirth, verificationId, panStatus, aadhaarSeedingStatus, ...rest }: NewIdentity,
): unknown[] {
  const { fullName, firstName, middleName, lastName, fatherName } = rest;
  const names: PanNames = { fullName, firstName, middleName, lastName, fatherName };
  return [
    userId,
    verificationId,
    panIndex,
    cipher.encrypt(pan, { table, column: 'pan', id: userId }),
    cipher.encrypt(dateOfBirth, { table, column: 'dob', id: userId }),
    cipher.encrypt(JSON.stringify(names), { table, column: 'names', id: userId }),
    panStatus,
    aadhaarSeedingStatus,
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
    ...row,
    ...(JSON.parse(open('names', names)) as PanNames),
    pan: open('pan', row.pan),
    dateOfBirth: open('dob', row.dateOfBirth),
  };
}
