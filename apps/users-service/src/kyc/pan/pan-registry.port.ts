import type { AadhaarSeedingStatus } from '@fd/contracts';

/** The person to look up, with their consent. */
export interface PanQuery {
  readonly pan: string;
  /** YYYY-MM-DD */
  readonly dateOfBirth: string;
}

/** A holder's names as the PAN registry writes them. */
export interface PanNames {
  readonly fullName: string;
  readonly firstName: string;
  readonly middleName: string | null;
  readonly lastName: string | null;
  readonly fatherName: string | null;
}

export type PanLookup =
  /** `not-valid`: known, but cancelled or otherwise unusable. */
  | { readonly outcome: 'not-found' | 'not-valid' | 'dob-differs' }
  | {
      readonly outcome: 'verified';
      readonly names: PanNames;
      readonly aadhaarSeedingStatus: AadhaarSeedingStatus;
    };

/** The PAN registry of the tax department. */
export interface PanRegistry {
  /**
   * Whether a look-up with an unknown outcome can be repeated with its reference free of charge: the registry honours
   * references, or the adapter looks up the outcome first. Otherwise such a look-up fails.
   */
  readonly isRepeatable?: boolean;

  /**
   * Makes one look-up; each is charged.
   * @param reference our id of the look-up, the same for every try
   * @throws ProviderError
   */
  lookUp(query: PanQuery, reference: string): Promise<PanLookup>;
}

export const PAN_REGISTRY = Symbol('pan registry');
