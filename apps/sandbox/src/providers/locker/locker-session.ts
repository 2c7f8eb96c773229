import { createHash } from 'node:crypto';
import { type ExpectedPerson, type Holder, holderFor } from '../holder.js';

export const LOCKER_OUTCOMES = [
  'allow',
  'birth_year',
  'deny',
  'take_back',
  'no_aadhaar',
  'another_person',
  'another_birth_date',
  'expired',
] as const;
export type LockerOutcome = (typeof LOCKER_OUTCOMES)[number];

export const LOCKER_STATUSES = ['CREATED', 'AUTHORISED', 'DENIED', 'EXPIRED'] as const;
export type LockerStatus = (typeof LOCKER_STATUSES)[number];

/** A company that opens people's lockers. */
export interface LockerWay {
  /** Name in the ledger of effects. */
  readonly provider: string;
  readonly returnQuery: (session: LockerSession, status: LockerStatus) => Readonly<Record<string, string>>;
  /** Whether the page also has a button that leads back without a decision, and the session stays open. */
  readonly staysOpenOnCancel?: true;
  /** Called with the decision. */
  readonly ended?: (session: LockerSession) => void;
}

/** A request for a person's permission to read their documents. */
export interface LockerSession {
  /** UUIDv7. */
  readonly id: string;
  /** The caller's reference. */
  readonly reference: string;
  readonly redirectUrl: string | null;
  readonly expiresAt: Date;
  /** The owner of the locker: as expected by the caller, or as given. Null: unknown. */
  person: ExpectedPerson | null;
  /** Of the owner, if the locker reports it. */
  phone?: string | undefined;
  /** The company, and its parameters for the caller on the way back. */
  readonly over: LockerWay;
  outcome: LockerOutcome | null;
}

/** The data of an Aadhaar that the locker shows with the person's permission. */
type LockerAadhaar =
  | { readonly present: false }
  | {
      readonly present: true;
      readonly reference_id: string;
      readonly last_four: string;
      readonly holder: Holder & { readonly phone: string | null };
    };

const STATUS_OF: Readonly<Record<LockerOutcome, LockerStatus>> = {
  allow: 'AUTHORISED',
  birth_year: 'AUTHORISED',
  deny: 'DENIED',
  take_back: 'AUTHORISED',
  no_aadhaar: 'AUTHORISED',
  another_person: 'AUTHORISED',
  another_birth_date: 'AUTHORISED',
  expired: 'EXPIRED',
};

/** Returns the status at a moment: a session without a decision in time has expired. */
export function lockerStatusAt({ outcome, expiresAt, over }: LockerSession, now: Date): LockerStatus {
  // vendors notice it when they read the document
  if (outcome === 'take_back' && over.provider === 'locker') return 'DENIED';
  if (outcome) return STATUS_OF[outcome];
  return now >= expiresAt ? 'EXPIRED' : 'CREATED';
}

/** Returns the shared document; null until the person allows it, and after they have taken the access back. */
export function lockerAadhaarOf({ id, outcome, person, phone }: LockerSession): LockerAadhaar | null {
  if (outcome === null || outcome === 'deny' || outcome === 'take_back' || outcome === 'expired') return null;
  if (outcome === 'no_aadhaar') return { present: false };
  const isOwner = outcome === 'allow' || outcome === 'birth_year';
  return {
    present: true,
    reference_id: `locker-${id}`,
    last_four: lastFourOf(isOwner ? person : null, id),
    holder: { ...holderFor(person, outcome === 'allow' ? undefined : outcome), phone: phone ?? null },
  };
}

/**
 * Returns the last digits of an Aadhaar, the same for a person at every company.
 * @param stranger identifies an unknown person
 */
export function lastFourOf(person: ExpectedPerson | null, stranger: string): string {
  const owner = person ? `${person.name} ${person.date_of_birth}` : `another person ${stranger}`;
  const digits = createHash('sha256').update(owner).digest().readUInt32BE(0) % 10_000;
  return String(digits).padStart(4, '0');
}
