import { createHash } from 'node:crypto';

export const LOCKER_OUTCOMES = ['allow', 'deny', 'no_aadhaar', 'another_person', 'expired'] as const;
export type LockerOutcome = (typeof LOCKER_OUTCOMES)[number];

export const LOCKER_STATUSES = ['CREATED', 'AUTHORISED', 'DENIED', 'EXPIRED'] as const;
export type LockerStatus = (typeof LOCKER_STATUSES)[number];

/** A request for a person's decision about who may see their documents. */
export interface LockerSession {
  /** UUIDv7. */
  readonly id: string;
  /** The caller's name for it. */
  readonly reference: string;
  readonly redirectUrl: string | null;
  readonly expiresAt: Date;
  /** With whom the caller wants the Aadhaar compared, if it knows. */
  readonly expected: { readonly name: string; readonly date_of_birth: string } | null;
  outcome: LockerOutcome | null;
}

/** What the locker shows of an Aadhaar once the person has allowed it. */
export interface LockerAadhaar {
  readonly present: boolean;
  readonly reference_id: string | null;
  readonly last_four: string | null;
  readonly name_match: 'YES' | 'NO' | null;
}

const STATUS_OF: Readonly<Record<LockerOutcome, LockerStatus>> = {
  allow: 'AUTHORISED',
  deny: 'DENIED',
  no_aadhaar: 'AUTHORISED',
  another_person: 'AUTHORISED',
  expired: 'EXPIRED',
};

/** Returns the status at a moment: a session without a decision in time has expired. */
export function lockerStatusAt({ outcome, expiresAt }: LockerSession, now: Date): LockerStatus {
  if (outcome) return STATUS_OF[outcome];
  return now >= expiresAt ? 'EXPIRED' : 'CREATED';
}

/** Returns what the locker shows; null until the person has allowed it. */
export function lockerAadhaarOf({ id, outcome, expected }: LockerSession): LockerAadhaar | null {
  if (outcome === null || outcome === 'deny' || outcome === 'expired') return null;
  if (outcome === 'no_aadhaar') {
    return { present: false, reference_id: null, last_four: null, name_match: null };
  }
  const isOwner = outcome === 'allow';
  // the same person has the same Aadhaar in every session
  const person = isOwner && expected ? `${expected.name} ${expected.date_of_birth}` : `another person ${id}`;
  const lastFour = createHash('sha256').update(person).digest().readUInt32BE(0) % 10_000;
  return {
    present: true,
    reference_id: `locker-${id}`,
    last_four: String(lastFour).padStart(4, '0'),
    name_match: matchOf(isOwner, expected),
  };
}

/** Without an expected person, only another person is reported as such. */
function matchOf(isOwner: boolean, expected: LockerSession['expected']): 'YES' | 'NO' | null {
  if (!isOwner) return 'NO';
  return expected ? 'YES' : null;
}
