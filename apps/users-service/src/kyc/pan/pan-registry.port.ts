import type { AadhaarSeedingStatus } from '@fd/contracts';
import { timeLimit } from '@fd/envelope';
import type { ProvidersConfig } from '../../config/index.js';

/** The PAN and date of birth of a person who has consented to the look-up. */
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

/** The answer to the first of two paid calls of a look-up. Personal data: stored encrypted until the look-up ends. */
export interface PaidPart {
  readonly provider: string;
  /** JSON of its adapter. */
  readonly answer: unknown;
}

/** A provider of the tax department's PAN registry. */
export interface PanRegistry {
  readonly name: string;

  /**
   * Makes one look-up; each is charged. Each paid call has its own limit (`callLimitMs`), whatever the others took.
   * @param reference our id of the look-up, the same for every try
   * @param keep stores the answer of the first of two paid calls before the second
   * @throws ProviderError
   */
  lookUp(query: PanQuery, reference: string, keep?: (answer: unknown) => Promise<void>): Promise<PanLookup>;

  /**
   * Continues a look-up after its paid part, and pays for nothing twice. Undefined if look-ups have no parts.
   * @throws ProviderError if the provider has already received the next call
   */
  resume?(query: PanQuery, reference: string, answer: unknown): Promise<PanLookup>;
}

/** Added to the limit of a call: overhead of the provider client. */
const SLACK_MS = timeLimit(1_000);

/** Time limit of one paid call, in milliseconds. A look-up may take several: of one provider, or of the next one. */
export const callLimitMs = ({ panLookupTimeoutMs }: Pick<ProvidersConfig, 'panLookupTimeoutMs'>): number =>
  panLookupTimeoutMs + SLACK_MS;

export const PAN_REGISTRIES = Symbol('pan registries');
