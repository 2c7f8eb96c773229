import { randomInt } from 'node:crypto';
import { isAadhaar } from '@fd/contracts';
import { sandboxUrl } from './sandbox.config.js';

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(`${sandboxUrl()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
}

/** The person on the documents. Vendors need it, because the service does not send them the expected person. */
export interface ShownPerson {
  readonly name: string;
  readonly date_of_birth: string;
}

/** Submits an outcome on the hosted eKYC page, as the person would. */
export const finishEkyc = (
  requestId: string,
  outcome: 'verified' | 'failed' | 'expired',
  person?: ShownPerson,
  /** Of the person, which the provider reports. */
  phone?: string,
): Promise<void> => post(`/api/ekyc/${requestId}/outcome`, { outcome, person, phone });

export type LockerDecision =
  | 'allow'
  | 'birth_year'
  | 'deny'
  | 'take_back'
  | 'no_aadhaar'
  | 'another_person'
  | 'another_birth_date'
  | 'expired';

/**
 * Submits a decision at the document locker, as the person would.
 * @param url of the locker's page
 */
export const finishLocker = (
  url: string,
  outcome: LockerDecision,
  person?: ShownPerson,
  phone?: string,
): Promise<void> => post(`/api/locker/${url.split('/').at(-1)!}/outcome`, { outcome, person, phone });

/** Returns a well-formed Aadhaar number with these four digits before its check digit. */
export function anAadhaar(lastFourBeforeCheck = String(randomInt(1_000, 10_000))): string {
  const start = `${randomInt(2, 10)}${String(randomInt(1e6)).padStart(6, '0')}${lastFourBeforeCheck}`;
  const digit = Array.from({ length: 10 }, (_, index) => String(index)).find((last) =>
    isAadhaar(start + last),
  );
  return start + digit!;
}
