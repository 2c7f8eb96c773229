import { ProviderError } from '@fd/errors';
import { z } from 'zod';
import type { ProviderEndpoint } from '../providers/http-exchange.js';

/** Values of a consenting person, as in the file of a paid check, or documented test values of a vendor. */
export const checkValues = z.strictObject({
  pan: z.string().optional(),
  date_of_birth: z.iso.date().optional(),
  account_number: z.string().optional(),
  ifsc: z.string().optional(),
  holder_name: z.string().optional(),
  phone: z.string().optional(),
});

export type CheckValues = z.output<typeof checkValues>;

/** One check of a vendor, through the adapter that the service uses. */
export interface VendorCheck {
  readonly name: string;
  /** Price and required values of a paid check; undefined if free. */
  readonly paid?: {
    readonly cost: string;
    readonly needs: readonly (keyof CheckValues)[];
    /** Documented by the vendor, or accepted by the product's sandbox. */
    readonly testValues: CheckValues;
  };
  /**
   * @returns the observation, without personal data
   * @throws ProviderError, or CheckFault
   */
  run(values: CheckValues): Promise<string>;
}

/** A configured vendor with its checks, in order. */
export interface CheckedVendor extends Pick<ProviderEndpoint, 'name' | 'baseUrl' | 'credentials'> {
  readonly port: 'sms' | 'mail' | 'pan' | 'bank' | 'issuer' | 'ekyc';
  /** Checks that a vendor without HTTP is reachable. @returns the observation, as a check does */
  readonly reach?: () => Promise<string>;
  /** Names of the settings of its address and credentials, for operators. */
  readonly settings: string;
  /** Remedies by error code of this vendor. */
  readonly advice?: Readonly<Record<string, string>>;
  readonly checks: readonly VendorCheck[];
}

export const checkedVendor = (
  port: CheckedVendor['port'],
  { name, baseUrl, credentials, help }: Omit<ProviderEndpoint, 'failureIn'>,
  checks: readonly VendorCheck[],
): CheckedVendor => ({
  port,
  name,
  baseUrl,
  credentials,
  ...help,
  checks,
});

export class CheckFault extends Error {
  constructor(
    message: string,
    /** Remedy for the operator; may name the settings of the vendor. */
    readonly action: string | ((settings: string) => string),
  ) {
    super(message);
  }
}

const ofAnotherVendor = (settings: string): string =>
  `Check that ${settings} are those of the vendor; if they are, ask its support.`;

/**
 * Makes a call that the vendor must refuse before it charges, which proves credentials and address for free.
 * @param expected the detail of the refusal: a code of the vendor. A status alone may be that of another server, or of a
 * product that is not enabled
 */
export async function isRefused(call: Promise<unknown>, expected: RegExp): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ProviderError && expected.test(error.detail ?? ''))
      return 'credentials accepted, invalid request refused';
    throw error;
  }
  throw new CheckFault('an invalid call was answered as a valid one', ofAnotherVendor);
}

/** Looks up an id that was never used, which proves credentials and address for free. */
export const unknownIdCheck = (isUnknown: () => Promise<boolean>, name = 'credentials'): VendorCheck => ({
  name,
  run: async () => {
    if (await isUnknown()) return 'a new id is not known, as it should be';
    throw new CheckFault('an unused id is known', ofAnotherVendor);
  },
});
