import { createHash } from 'node:crypto';
import { behaviourOf } from '../magic/magic-values.table.js';

/** Somebody whom an issuer already knows. */
export interface Customer {
  readonly number: string;
  readonly isKycComplete: boolean;
}

/** The customer with a PAN at an issuer; undefined for a stranger, which most people are. */
export function customerAt(slug: string, pan: string): Customer | undefined {
  const known = slug === 'vindhya' ? behaviourOf('issuer:vindhya', 'pan', pan) : undefined;
  return known && { number: numberOf(pan), isKycComplete: known === 'customer_kyc_complete' };
}

/** Always the same for the same PAN. */
function numberOf(pan: string): string {
  return String(createHash('sha256').update(pan).digest().readUInt32BE()).padStart(10, '0');
}
