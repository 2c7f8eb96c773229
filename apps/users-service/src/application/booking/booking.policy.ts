import type { BlockerCode } from '@fd/contracts';
import { JourneyErrors, NomineeErrors } from '@fd/errors';
import type { Issuer } from '../../config/index.js';
import { openSteps, type Step, type StepStates } from '../../journey/index.js';
import { isApplicant } from '../nominees/applicant.js';
import { isShareMissing } from '../nominees/nomination.js';
import type { Nominee } from '../nominees/nominee.js';
import type { PanIdentity } from '../../kyc/index.js';

/** What decides whether a deposit can be booked with an issuer. */
export interface BookingFacts {
  readonly issuer: Pick<Issuer, 'steps' | 'nominee_required'>;
  readonly states: StepStates;
  readonly nominees: readonly Nominee[];
  readonly applicant: PanIdentity | undefined;
}

export interface Blocker {
  readonly code: BlockerCode;
  readonly step: Step;
}

/** Everything that is in the way of a booking, in the order of the journey; empty: nothing is. */
export function blockersOf({ issuer, states, nominees, applicant }: BookingFacts): Blocker[] {
  const blockers = openSteps(issuer.steps, states).map((step): Blocker => ({
    code: JourneyErrors.stepMissing.code,
    step,
  }));
  const nomineeCodes: [BlockerCode, boolean][] = [
    [NomineeErrors.required.code, issuer.nominee_required && states.NOMINEE?.state === 'SKIPPED'],
    [NomineeErrors.sharesIncomplete.code, isShareMissing(nominees)],
    [
      NomineeErrors.isApplicant.code,
      nominees.some(({ person }) => applicant && isApplicant(person.name, applicant)),
    ],
  ];
  return [
    ...blockers,
    ...nomineeCodes
      .filter(([, isInTheWay]) => isInTheWay)
      .map(([code]): Blocker => ({ code, step: 'NOMINEE' })),
  ];
}
