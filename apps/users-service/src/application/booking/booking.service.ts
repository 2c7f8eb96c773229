import { Injectable } from '@nestjs/common';
import {
  type BookingCheckPayload,
  type BookingCheckQuery,
  type BookingFinding,
  indiaDateOf,
  isSignedFactSheet,
} from '@fd/contracts';
import { ConsentErrors, refuse } from '@fd/errors';
import { Clock } from '@fd/platform';
import { FactSheetConfig, type Issuer } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { ConsentsRepository } from '../../identity/index.js';
import { CurrentIssuer, JourneyRepository } from '../../journey/index.js';
import { IdentitiesRepository } from '../../kyc/index.js';
import { LeadsRepository } from '../leads/leads.repository.js';
import { NomineesRepository } from '../nominees/nominees.repository.js';
import { PersonalDetailsService } from '../personal-details/personal-details.service.js';
import { type Finding, findingsOf } from './booking.policy.js';
import { textsOf } from './booking.texts.js';

@Injectable()
export class BookingService {
  // eslint-disable-next-line max-params -- a check reads what each domain knows of the user
  constructor(
    private readonly currentIssuer: CurrentIssuer,
    private readonly journey: JourneyRepository,
    private readonly nominees: NomineesRepository,
    private readonly details: PersonalDetailsService,
    private readonly leads: LeadsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly consents: ConsentsRepository,
    private readonly factSheets: FactSheetConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * Records the consent to the terms of a fact sheet, if its hash is given, then checks.
   * @throws IssuerErrors.unknown; ConsentErrors.withdrawn; ConsentErrors.factSheetSignatureInvalid;
   * GeneralErrors.tooManyRequests for too many fact sheets
   */
  async check(
    session: SessionIdentity & { readonly ip: string },
    slug: string,
    { fact_sheet_hash: hash, fact_sheet_signature: signature, lang = 'en' }: BookingCheckQuery,
  ): Promise<BookingCheckPayload> {
    const { userId, partnerId } = session;
    const issuer = await this.currentIssuer.ofSlug(userId, slug);
    await this.consents.requireInForce(session, 'ISSUER_SHARING');
    const isIssued = this.isIssued(issuer, hash, signature);
    if (hash !== undefined)
      await this.consents.agreeToFactSheet(session, hash, isIssued ? issuer.code : undefined);
    await this.details.reopenIncomplete(userId, issuer);
    if (issuer.steps.includes('LEAD')) await this.leads.closeExpired({ userId, issuer: issuer.slug });
    const found = await this.findings(userId, partnerId, issuer);
    const present = ({ code, step }: Finding): BookingFinding => ({ code, step, ...textsOf(code, lang) });
    const blockers = found.blockers.map(present);
    return { is_bookable: blockers.length === 0, blockers, warnings: found.warnings.map(present) };
  }

  /** Whether nothing blocks a booking in the app of a partner, without a record: for the service itself. */
  async isBookable(userId: string, partnerId: string, issuer: Issuer): Promise<boolean> {
    if (!(await this.consents.areInForce({ userId, partnerId }, 'ISSUER_SHARING'))) return false;
    return (await this.findings(userId, partnerId, issuer)).blockers.length === 0;
  }

  private async findings(
    userId: string,
    partnerId: string,
    issuer: Issuer,
  ): Promise<ReturnType<typeof findingsOf>> {
    return findingsOf({
      issuer,
      states: await this.journey.statesOf(userId, issuer.slug),
      nominees: await this.nominees.findByUserId(userId),
      applicant: await this.identities.findByUserId(userId),
      hasSeenFactSheet:
        issuer.booking.fact_sheet === 'OPTIONAL' ||
        (await this.consents.hasAgreedToFactSheet(userId, partnerId, issuer.code)),
      today: indiaDateOf(this.clock.now()),
    });
  }

  /** Whether master-service has issued a fact sheet for a deposit with this issuer; false if it is not known. */
  private isIssued({ code: issuerCode }: Issuer, hash: string | undefined, signature?: string): boolean {
    const { keys } = this.factSheets;
    if (signature === undefined || keys.length === 0) return false;
    if (hash !== undefined && isSignedFactSheet(keys, { issuerCode, hash, signature })) return true;
    return refuse(ConsentErrors.factSheetSignatureInvalid, 'fact_sheet_signature');
  }
}
