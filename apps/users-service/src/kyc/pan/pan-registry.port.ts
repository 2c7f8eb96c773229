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
      /** Whether the provider compared the date of birth. If not, the holder may have another one. */
      readonly isBirthDateCompared: boolean;
      readonly aadhaarSeedingStatus: AadhaarSeedingStatus;
    };

/** What the first of two paid calls of a look-up returned. Personal data: kept encrypted until the look-up ends. */
export interface PaidPart {
  readonly provider: string;
  /** JSON of its adapter. */
  readonly answer: unknown;
}

/** The PAN registry of the tax department. */
export interface PanRegistry {
  /**
   * Makes one look-up; each is charged.
   * @param reference our id of the look-up, the same for every try
   * @param keep stores a paid part before the next call
   * @throws ProviderError
   */
  lookUp(query: PanQuery, reference: string, keep?: (paid: PaidPart) => Promise<void>): Promise<PanLookup>;

  /**
   * Continues a look-up after its paid part, without paying for anything twice. Undefined if no look-up has parts.
   * @throws ProviderError if the provider has had the next call too, and whenever it cannot be continued
   */
  resume?(query: PanQuery, reference: string, paid: PaidPart): Promise<PanLookup>;
}

export const PAN_REGISTRY = Symbol('pan registry');
