import { createHash } from 'node:crypto';
import { behaviourOf } from '../magic/magic-values.table.js';

/** A person whom an issuer already knows. */
export interface Customer {
  readonly number: string;
  readonly isKycComplete: boolean;
}

/** Returns the customer with a PAN at an issuer; undefined for most people. */
export function customerAt(slug: string, pan: string): Customer | undefined {
  const known = slug === 'vindhya' ? behaviourOf('issuer:vindhya', 'pan', pan) : undefined;
  return known && { number: numberOf(pan), isKycComplete: known === 'customer_kyc_complete' };
}

/** Derived from the PAN: the same PAN always has the same number. */
function numberOf(pan: string): string {
  return String(createHash('sha256').update(pan).digest().readUInt32BE()).padStart(10, '0');
}
