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

/** Whose documents are shown, for vendors, which are not told whom the service expects. */
interface ShownPerson {
  readonly name: string;
  readonly date_of_birth: string;
}

/** Does on the hosted page what a person would do there. */
export const finishEkyc = (
  requestId: string,
  outcome: 'verified' | 'failed' | 'expired',
  person?: ShownPerson,
): Promise<void> => post(`/api/ekyc/${requestId}/outcome`, { outcome, person });

export type LockerDecision =
  'allow' | 'birth_year' | 'deny' | 'no_aadhaar' | 'another_person' | 'another_birth_date' | 'expired';

/**
 * Does at the document locker what a person would do there.
 * @param url the page's
 */
export const finishLocker = (url: string, outcome: LockerDecision, person?: ShownPerson): Promise<void> =>
  post(`/api/locker/${url.split('/').at(-1)!}/outcome`, { outcome, person });

/** An Aadhaar number that is well formed, with these four digits before its check digit. */
export function anAadhaar(lastFourBeforeCheck = String(randomInt(1_000, 10_000))): string {
  const start = `${randomInt(2, 10)}${String(randomInt(1e6)).padStart(6, '0')}${lastFourBeforeCheck}`;
  const digit = Array.from({ length: 10 }, (_, index) => String(index)).find((last) =>
    isAadhaar(start + last),
  );
  return start + digit!;
}
