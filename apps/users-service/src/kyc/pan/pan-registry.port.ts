import type { AadhaarSeedingStatus } from '@fd/contracts';

/** Who the registry is asked about, with the holder's consent. */
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
  /** `not-valid`: known, but cancelled or otherwise of no use. */
  | { readonly outcome: 'not-found' | 'not-valid' | 'dob-differs' }
  | {
      readonly outcome: 'verified';
      readonly names: PanNames;
      readonly aadhaarSeedingStatus: AadhaarSeedingStatus;
    };

/** The registry of the tax department, which knows whose each PAN is. */
export interface PanRegistry {
  /**
   * Whether a look-up whose outcome is not known may be made again with its reference, without being paid for again: the
   * registry honours references, or the adapter asks for the outcome by it first. Without it, such a look-up fails.
   */
  readonly isRepeatable?: boolean;

  /**
   * Asks once: each look-up is paid for.
   * @param reference our id of the look-up, the same for every try
   * @throws ProviderError
   */
  lookUp(query: PanQuery, reference: string): Promise<PanLookup>;
}

export const PAN_REGISTRY = Symbol('pan registry');
