import { createHash } from 'node:crypto';

export const LOCKER_OUTCOMES = [
  'allow',
  'birth_year',
  'deny',
  'no_aadhaar',
  'another_person',
  'another_birth_date',
  'expired',
] as const;
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

type Match = 'YES' | 'NO' | null;

/** What came of comparing an Aadhaar with the expected person. Some have no date of birth, only its year. */
interface Comparison {
  readonly name_match: Match;
  readonly date_of_birth_match: Match;
  readonly year_of_birth_match: Match;
}

/** What the locker shows of an Aadhaar once the person has allowed it. */
export interface LockerAadhaar extends Comparison {
  readonly present: boolean;
  readonly reference_id: string | null;
  readonly last_four: string | null;
}

const STATUS_OF: Readonly<Record<LockerOutcome, LockerStatus>> = {
  allow: 'AUTHORISED',
  birth_year: 'AUTHORISED',
  deny: 'DENIED',
  no_aadhaar: 'AUTHORISED',
  another_person: 'AUTHORISED',
  another_birth_date: 'AUTHORISED',
  expired: 'EXPIRED',
};

type SharedOutcome = Exclude<LockerOutcome, 'deny' | 'no_aadhaar' | 'expired'>;

const comparison = (name: Match, date: Match, year: Match): Comparison => ({
  name_match: name,
  date_of_birth_match: date,
  year_of_birth_match: year,
});

const COMPARISON_OF: Readonly<Record<SharedOutcome, Comparison>> = {
  allow: comparison('YES', 'YES', 'YES'),
  birth_year: comparison('YES', null, 'YES'),
  another_person: comparison('NO', 'YES', 'YES'),
  another_birth_date: comparison('YES', 'NO', 'NO'),
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
    return { present: false, reference_id: null, last_four: null, ...comparison(null, null, null) };
  }
  const isOwner = outcome === 'allow' || outcome === 'birth_year';
  // the same person has the same Aadhaar in every session
  const person = isOwner && expected ? `${expected.name} ${expected.date_of_birth}` : `another person ${id}`;
  const lastFour = createHash('sha256').update(person).digest().readUInt32BE(0) % 10_000;
  return {
    present: true,
    reference_id: `locker-${id}`,
    last_four: String(lastFour).padStart(4, '0'),
    ...comparisonOf(outcome, expected),
  };
}

/** Without an expected person, only another person is reported as such. */
function comparisonOf(outcome: SharedOutcome, expected: LockerSession['expected']): Comparison {
  const { name_match, date_of_birth_match, year_of_birth_match } = COMPARISON_OF[outcome];
  const known = (match: Match): Match => (expected || match === 'NO' ? match : null);
  return comparison(known(name_match), known(date_of_birth_match), known(year_of_birth_match));
}
