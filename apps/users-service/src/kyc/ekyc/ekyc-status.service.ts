import { Injectable } from '@nestjs/common';
import { type CheckStatusRequest, type EkycStatusPayload, isGiven } from '@fd/contracts';
import type { Issuer } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { CurrentIssuer, JourneyRepository } from '../../journey/index.js';
import { flowOf } from '../issuer-flow.js';
import type { EkycRequest } from './ekyc-requests.repository.js';
import { EkycRequests } from './ekyc-requests.service.js';
import { presentRequest, presentVerified } from './ekyc.presenter.js';
import { Redirections } from './redirections.service.js';

/** Shows the eKYC of a user with an issuer, with a link as long as it is not verified. */
@Injectable()
export class EkycStatusService {
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
  async check(
    session: SessionIdentity,
    slug: string,
    { redirection_url, flow_id, fd_info }: CheckStatusRequest,
  ): Promise<EkycStatusPayload> {
    const { userId } = session;
    const issuer = await this.currentIssuer.chooseBySlug(userId, slug);
    const redirectUrl = await this.redirections.allowed(session, redirection_url);
    flowOf(issuer, { flow_id });
    // a client that says which deposit is meant has a user who chose one
    if (Object.values(fd_info ?? {}).some(isGiven)) {
      await this.journey.record({ userId, issuer: issuer.slug, step: 'FD_DETAIL', event: 'COMPLETED' });
    }
    const newest = await this.requests.current(userId, issuer);
    if (newest?.status === 'VERIFIED' && (await this.requests.isOfUse(newest))) {
      return presentVerified(issuer);
    }
    if (await this.isSkipped(userId, issuer)) return presentVerified(issuer);
    const ended = newest && endOf(newest);
    const request = await this.requests.open(userId, issuer, {
      // a client that only asks for the status has not changed where the person returns to
      redirectUrl: redirectUrl ?? (ended ? newest.redirectUrl : null),
      isRetry: ended === 'FAILED',
    });
    // a parallel call may just have found it verified
    return request.status === 'VERIFIED' ? presentVerified(issuer) : presentRequest(request, ended);
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
