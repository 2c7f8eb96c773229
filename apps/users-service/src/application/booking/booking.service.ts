import { Injectable } from '@nestjs/common';
import type { BookingCheckPayload } from '@fd/contracts';
import { errorOf, messageOf } from '@fd/errors';
import { CurrentIssuer, JourneyRepository } from '../../journey/index.js';
import { NomineesRepository } from '../nominees/nominees.repository.js';
import { IdentitiesRepository } from '../../kyc/index.js';
import { blockersOf } from './booking.policy.js';

/** Whether a user has done all that a deposit with an issuer needs. */
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
      states: await this.journey.statesOf(userId, { issuer: issuer.slug }),
      nominees: await this.nominees.list(userId),
      applicant: await this.identities.findByUserId(userId),
    });
    return {
      is_bookable: blockers.length === 0,
      blockers: blockers.map(({ code, step }) => ({ code, message: messageOf(errorOf(code)), step })),
    };
  }
}
