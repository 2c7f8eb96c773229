import { Injectable } from '@nestjs/common';
import { type CheckStatusRequest, type EkycStatusPayload, isGiven } from '@fd/contracts';
import { IssuerErrors } from '@fd/errors';
import type { Issuer } from '../../config/index.js';
import { CurrentIssuer, JourneyRepository } from '../../journey/index.js';
import type { SessionIdentity } from '../../core/index.js';
import type { EkycRequest } from './ekyc-request.js';
import { EkycRequests } from './ekyc-requests.service.js';
import { presentRequest, presentSkipped, presentVerified } from './ekyc.presenter.js';
import { Redirections } from './redirections.service.js';

export interface StatusQuestion {
  readonly redirectionUrl: unknown;
  readonly flowId: unknown;
  /** What the client says of the deposit that is meant. */
  readonly fdInfo: CheckStatusRequest['fd_info'];
}

/** Tells how the eKYC of a user with an issuer stands; there is a link as long as it is not verified. */
@Injectable()
export class CheckStatusService {
  constructor(
    private readonly requests: EkycRequests,
    private readonly redirections: Redirections,
    private readonly currentIssuer: CurrentIssuer,
    private readonly journey: JourneyRepository,
  ) {}

  /**
   * @throws IssuerErrors.unknown, EkycErrors.redirectionUrlInvalid, IssuerErrors.flowUnsupported,
   * EkycErrors.unavailable
   */
  async check(session: SessionIdentity, slug: string, question: StatusQuestion): Promise<EkycStatusPayload> {
    const issuer = await this.currentIssuer.chosen(session.userId, slug);
    const redirectUrl = await this.redirections.allowed(session, question.redirectionUrl);
    requireFlow(issuer, question.flowId);
    const { userId } = session;
    await this.noteDeposit(userId, issuer, question.fdInfo);
    const newest = await this.requests.current(userId, issuer);
    if (newest?.status === 'VERIFIED' && (await this.requests.isOfUse(newest)))
      return presentVerified(issuer);
    if (await this.isSkipped(userId, issuer)) return presentSkipped(issuer);
    const ended = newest && endOf(newest);
    const request = await this.requests.open(userId, issuer, {
      // whoever only asks how it stands has not changed their mind about where to return to
      redirectUrl: redirectUrl ?? (ended ? newest.redirectUrl : null),
      isRetry: ended === 'FAILED',
    });
    // a parallel call may just have found it verified
    return request.status === 'VERIFIED' ? presentVerified(issuer) : presentRequest(request, ended);
  }

  /** Whoever says which deposit is meant has chosen one. */
  private async noteDeposit(
    userId: string,
    { slug }: Issuer,
    fdInfo: StatusQuestion['fdInfo'],
  ): Promise<void> {
    if (!Object.values(fdInfo ?? {}).some(isGiven)) return;
    await this.journey.record({ userId, issuer: slug, step: 'FD_DETAIL', event: 'COMPLETED' });
  }

  /** An existing customer whose KYC the issuer has. */
  private async isSkipped(userId: string, issuer: Issuer): Promise<boolean> {
    return (await this.journey.statesOf(userId, { issuer: issuer.slug })).EKYC?.state === 'SKIPPED';
  }
}

/** How a request has ended, if it has: the client hears of it once, with the link of the next one. */
function endOf({ status }: EkycRequest): 'FAILED' | 'EXPIRED' | undefined {
  return status === 'FAILED' || status === 'EXPIRED' ? status : undefined;
}

function requireFlow({ flows }: Issuer, flow: unknown): void {
  if (flow === undefined || flow === null || flow === '') return;
  if (typeof flow !== 'string' || !flows.includes(flow)) {
    throw IssuerErrors.flowUnsupported({ field: 'flow_id' });
  }
}
