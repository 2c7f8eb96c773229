import { type BookingCode, type DatedRule, NOMINATION_RULES, ruleInForce } from '@fd/contracts';
import { ConsentErrors, JourneyErrors, NomineeErrors, PanErrors } from '@fd/errors';
import type { FindingEffect, Issuer } from '../../config/index.js';
import type { VerifiedIdentity } from '../../kyc/index.js';
import { openSteps, type Step, type StepStates } from '../../journey/index.js';
import { isShareMissing } from '../nominees/nomination.js';
import { isMinor, type Nominee, nomineeWarnings } from '../nominees/nominee.js';
import { BOOKING_LAW } from './booking.law.js';

export type BookingIssuer = Pick<Issuer, 'type' | 'steps' | 'nominee_required' | 'booking'>;

export interface BookingFacts {
  readonly issuer: BookingIssuer;
  readonly states: StepStates;
  readonly nominees: readonly Nominee[];
  readonly applicant:
    Pick<VerifiedIdentity, 'fullName' | 'pan' | 'dateOfBirth' | 'aadhaarSeedingStatus'> | undefined;
  /** Whether the user has agreed to a fact sheet of this issuer. */
  readonly hasSeenFactSheet: boolean;
  /** The date in India, YYYY-MM-DD. */
  readonly today: string;
}

export interface Finding {
  readonly code: BookingCode;
  readonly step: Step;
}

/** A rule of the booking check beside the open steps. */
interface BookingRule extends Finding {
  /** What the finding does with an issuer; undefined: nothing. */
  readonly effect: (issuer: BookingIssuer) => FindingEffect | undefined;
  /** The rules of law behind it; it applies only on their days. None: the contract, or the issuer. */
  readonly law?: (issuer: BookingIssuer) => readonly DatedRule<unknown>[];
  readonly isFound: (facts: BookingFacts) => boolean;
}

const block = (): FindingEffect => 'BLOCK';

/** PANs of companies, families, trusts, firms and others. Other letters are no kind of holder, and pass. */
const NOT_OF_PERSONS = 'CHTFGJLAB';

const nomineeRule = (code: (typeof NOMINEE_CODES)[number]): BookingRule => ({
  ...{ code, step: 'NOMINEE', effect: block },
  ...(code !== NomineeErrors.isApplicant.code && { law: () => BOOKING_LAW.adultGuardian }),
  isFound: ({ nominees, applicant, today }) => nomineeWarnings(nominees, applicant, today).includes(code),
});

const NOMINEE_CODES = [
  NomineeErrors.guardianAgeUnknown.code,
  NomineeErrors.guardianIsNominee.code,
  NomineeErrors.isApplicant.code,
] as const;

/** Rules of the booking check, in the order of the journey. */
export const BOOKING_RULES: readonly BookingRule[] = [
  {
    ...{ code: ConsentErrors.factSheetNotShown.code, step: 'FD_DETAIL' },
    effect: ({ booking }) => (booking.fact_sheet === 'OPTIONAL' ? undefined : 'BLOCK'),
    law: ({ booking }) => (booking.fact_sheet === 'ALWAYS' ? [] : BOOKING_LAW.factSheet),
    isFound: ({ hasSeenFactSheet }) => !hasSeenFactSheet,
  },
  {
    ...{ code: PanErrors.applicantMinor.code, step: 'PAN' },
    effect: ({ booking }) => booking.minor_applicant,
    law: () => BOOKING_LAW.adultApplicant,
    isFound: ({ applicant, today }) => applicant !== undefined && isMinor(applicant.dateOfBirth, today),
  },
  {
    ...{ code: PanErrors.notOfPerson.code, step: 'PAN', effect: block },
    law: () => BOOKING_LAW.panOfPerson,
    isFound: ({ applicant }) => applicant !== undefined && NOT_OF_PERSONS.includes(applicant.pan.charAt(3)),
  },
  {
    ...{ code: PanErrors.inoperative.code, step: 'PAN' },
    effect: ({ booking }) => booking.inoperative_pan,
    law: () => BOOKING_LAW.operativePan,
    isFound: ({ applicant }) => applicant?.aadhaarSeedingStatus === 'NOT_LINKED',
  },
  {
    ...{ code: NomineeErrors.required.code, step: 'NOMINEE', effect: block },
    isFound: ({ issuer, states }) => issuer.nominee_required && states.NOMINEE?.state === 'SKIPPED',
  },
  {
    ...{ code: NomineeErrors.sharesIncomplete.code, step: 'NOMINEE', effect: block },
    isFound: ({ nominees }) => isShareMissing(nominees),
  },
  {
    ...{ code: NomineeErrors.tooManyForIssuer.code, step: 'NOMINEE' },
    effect: ({ type, booking }) => booking.excess_nominees ?? (type === 'BANK' ? 'BLOCK' : 'WARN'),
    law: ({ type }) => NOMINATION_RULES[type],
    isFound: ({ issuer, nominees, today }) =>
      nominees.length > (ruleInForce(NOMINATION_RULES[issuer.type], today)?.value.most ?? Infinity),
  },
  ...NOMINEE_CODES.map(nomineeRule),
];

/** The findings of a booking check: open steps first, then in the order of the journey. */
export function findingsOf(facts: BookingFacts): Record<'blockers' | 'warnings', Finding[]> {
  const { issuer, states, today } = facts;
  const found = BOOKING_RULES.filter(({ law, isFound }) => {
    const rules = law?.(issuer) ?? [];
    return (rules.length === 0 || ruleInForce(rules, today) !== undefined) && isFound(facts);
  });
  const withEffect = (wanted: FindingEffect): Finding[] =>
    found.filter(({ effect }) => effect(issuer) === wanted).map(({ code, step }) => ({ code, step }));
  const open = openSteps(issuer.steps, states).map((step) => ({
    code: JourneyErrors.stepMissing.code,
    step,
  }));
  return { blockers: [...open, ...withEffect('BLOCK')], warnings: withEffect('WARN') };
}
