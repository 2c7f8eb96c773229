import type { NominationType, NomineeWarning, Relationship } from '@fd/contracts';
import { NomineeErrors } from '@fd/errors';
import { isSameName, type PanIdentity } from '../../kyc/index.js';

export interface Guardian {
  readonly name: string;
  readonly relationship: Relationship;
  /** YYYY-MM-DD */
  readonly dob: string | null;
}

/** An address in lines, or as one text in `line1`. */
export type NomineeAddress = Readonly<
  Partial<Record<'line1' | 'line2' | 'city' | 'state_code' | 'pincode', string>>
>;

/** A nominee. All fields are personal data. */
export interface NomineePerson {
  readonly name: string;
  readonly relationship: Relationship;
  /** YYYY-MM-DD */
  readonly dob: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly pan: string | null;
  readonly address: NomineeAddress | null;
  readonly guardian: Guardian | null;
}

export interface Placement {
  readonly type: NominationType;
  /** Hundredths of a percent: exact sums, and thirds can be approximated. */
  readonly share: number;
  /** Position of a successive nominee, from 1; null for one who shares. */
  readonly priority: number | null;
}

export interface Nominee extends Placement {
  readonly id: string;
  readonly person: NomineePerson;
}

/** All of a deposit, in hundredths of a percent. */
export const WHOLE_SHARE = 10_000;

/** Declaration to name no nominee. A new text gets a new version; old versions stay on record. */
export const NO_NOMINEE_DECLARATION = {
  version: '2026-11',
  text: 'I do not want to name a nominee. I know that my family may then need a succession certificate to receive my deposit.',
} as const;

const ADULT_YEARS = 18;

/**
 * Whether a person is under 18 on a date. Both are YYYY-MM-DD, the date as in India. A person born on 29
 * February comes of age on 1 March, since no 18th birthday is on a leap day.
 */
export function isMinor(dob: string, today: string): boolean {
  const year = String(Number(dob.slice(0, 4)) + ADULT_YEARS).padStart(4, '0');
  return today < `${year}${dob.slice(4)}`;
}

/** What is wrong with nominees: each blocks a booking. @param today the date in India, YYYY-MM-DD */
export function nomineeWarnings(
  nominees: readonly Nominee[],
  applicant: Pick<PanIdentity, 'fullName'> | undefined,
  today: string,
): NomineeWarning[] {
  const minors = nominees.map(({ person }) => person).filter(({ dob }) => dob && isMinor(dob, today));
  const isOf = (holds: (minor: NomineePerson, guardian: Guardian) => boolean): boolean =>
    minors.some((minor) => minor.guardian && holds(minor, minor.guardian));
  const warnings: [NomineeWarning, boolean][] = [
    [NomineeErrors.guardianAgeUnknown.code, isOf((_, { dob }) => dob === null)],
    [NomineeErrors.guardianIsNominee.code, isOf((minor, { name }) => isSameName(name, minor.name))],
    [
      NomineeErrors.isApplicant.code,
      nominees.some(({ person }) => applicant && isSameName(person.name, applicant.fullName)),
    ],
  ];
  return warnings.filter(([, holds]) => holds).map(([code]) => code);
}
