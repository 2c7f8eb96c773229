import type { AadhaarSeedingStatus } from '@fd/contracts';

/** A holder's names as the PAN registry writes them. */
export interface PanNames {
  readonly fullName: string;
  readonly firstName: string;
  readonly middleName: string | null;
  readonly lastName: string | null;
  readonly fatherName: string | null;
}

/** Who a user is, as the PAN registry confirmed it. */
export interface PanIdentity extends PanNames {
  readonly pan: string;
  /** YYYY-MM-DD */
  readonly dateOfBirth: string;
}

/** An identity with the verification that it came from. */
export interface VerifiedIdentity extends PanIdentity {
  readonly verificationId: string;
  readonly panStatus: 'VALID';
  readonly aadhaarSeedingStatus: AadhaarSeedingStatus;
  readonly verifiedAt: Date;
}
