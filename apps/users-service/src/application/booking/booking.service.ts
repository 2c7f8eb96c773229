import { Injectable } from '@nestjs/common';
import type { BlockerCode, BookingCheckPayload } from '@fd/contracts';
import { errorOf, JourneyErrors, messageOf, NomineeErrors } from '@fd/errors';
import type { Issuer } from '../../config/index.js';
import {
  CurrentIssuer,
  JourneyRepository,
  openSteps,
  type Step,
  type StepStates,
} from '../../journey/index.js';
import { IdentitiesRepository, type PanIdentity } from '../../kyc/index.js';
import { isShareMissing } from '../nominees/nomination.js';
import { isApplicantNamed, type Nominee } from '../nominees/nominee.js';
import { NomineesRepository } from '../nominees/nominees.repository.js';

/** Checks whether a deposit with an issuer can be booked. */
@Injectable()
export class BookingService {
  constructor(
    private readonly currentIssuer: CurrentIssuer,
    private readonly journey: JourneyRepository,
    private readonly nominees: NomineesRepository,
    private readonly identities: IdentitiesRepository,
  ) {}

  /** @throws IssuerErrors.unknown */
  async check(userId: string, slug: string): Promise<BookingCheckPayload> {
    const issuer = await this.currentIssuer.ofSlug(userId, slug);
    const blockers = blockersOf({
      issuer,
      states: await this.journey.statesOf(userId, issuer.slug),
      nominees: await this.nominees.findByUserId(userId),
      applicant: await this.identities.findByUserId(userId),
    });
    return {
      is_bookable: blockers.length === 0,
      blockers: blockers.map(({ code, step }) => ({ code, message: messageOf(errorOf(code)), step })),
    };
  }
}

/** The state that decides on a booking. */
interface BookingFacts {
  readonly issuer: Pick<Issuer, 'steps' | 'nominee_required'>;
  readonly states: StepStates;
  readonly nominees: readonly Nominee[];
  readonly applicant: PanIdentity | undefined;
}

/** Blockers of a booking, in journey order. */
export function blockersOf({
  issuer,
  states,
  nominees,
  applicant,
}: BookingFacts): { code: BlockerCode; step: Step }[] {
  const nomineeCodes: [BlockerCode, boolean][] = [
    [NomineeErrors.required.code, issuer.nominee_required && states.NOMINEE?.state === 'SKIPPED'],
    [NomineeErrors.sharesIncomplete.code, isShareMissing(nominees)],
    [NomineeErrors.isApplicant.code, isApplicantNamed(nominees, applicant)],
  ];
  return [
    ...openSteps(issuer.steps, states).map((step) => ({ code: JourneyErrors.stepMissing.code, step })),
    ...nomineeCodes
      .filter(([, isBlocker]) => isBlocker)
      .map(([code]) => ({ code, step: 'NOMINEE' as const })),
  ];
}
