import { Injectable } from '@nestjs/common';
import { type CheckStatusRequest, type EkycStatusPayload, isGiven } from '@fd/contracts';
import { EkycErrors } from '@fd/errors';
import type { Issuer } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { PartnersRepository } from '../../identity/index.js';
import { CurrentIssuer, JourneyRepository } from '../../journey/index.js';
import { flowOf } from '../issuer-flow.js';
import type { EkycRequest } from './ekyc-requests.repository.js';
import { EkycRequests } from './ekyc-requests.service.js';
import { ExpectedPersons } from './expected-persons.service.js';
import { allowedRedirection, mayReturnTo } from './redirection.js';

/** Shows the eKYC of a user with an issuer, with a link as long as it is not verified. */
@Injectable()
export class EkycStatusService {
  constructor(
    private readonly requests: EkycRequests,
    private readonly persons: ExpectedPersons,
    private readonly partners: PartnersRepository,
    private readonly currentIssuer: CurrentIssuer,
    private readonly journey: JourneyRepository,
  ) {}

  async check(
    session: SessionIdentity,
    slug: string,
    { redirection_url, flow_id, fd_info }: CheckStatusRequest,
  ): Promise<EkycStatusPayload> {
    const { userId } = session;
    const issuer = await this.currentIssuer.chooseBySlug(userId, slug);
    const redirectUrl = await allowedRedirection(this.partners, session, redirection_url);
    flowOf(issuer, { flow_id });
    await this.requests.requireConsent(session);
    // a client that says which deposit is meant has a user who chose one
    if (Object.values(fd_info ?? {}).some(isGiven)) {
      await this.journey.record({ userId, issuer: issuer.slug, step: 'FD_DETAIL', event: 'COMPLETED' });
    }
    const current = await this.requests.current(userId, issuer);
    if ((await this.persons.isVerified(current)) || (await this.isSkipped(userId, issuer)))
      return presentVerified(issuer);
    // the client hears of the end of a request once, with the link of the next one
    const ended = current?.status === 'FAILED' || current?.status === 'EXPIRED' ? current.status : undefined;
    const returnsTo = current?.redirectUrl ?? null;
    // a link from a session with another partner may have a return address that this partner does not allow
    const isOurs = returnsTo === null || (await mayReturnTo(this.partners, session, new URL(returnsTo)));
    if (current && !isOurs && !ended) await this.requests.end(current);
    const request = await this.requests.open(userId, issuer, {
      // a client that only asks for the status has not changed where the person returns to
      redirectUrl: redirectUrl ?? (ended && isOurs ? returnsTo : null),
      isRetry: ended === 'FAILED',
    });
    if (request.status !== 'VERIFIED') return presentRequest(issuer, request, ended);
    // a parallel call has just found it verified
    if (await this.persons.isVerified(request)) return presentVerified(issuer);
    throw EkycErrors.unavailable();
  }

  /** An existing customer whose KYC the issuer has. */
  private async isSkipped(userId: string, { slug: issuer }: Issuer): Promise<boolean> {
    return (await this.journey.statesOf(userId, { issuer })).EKYC?.state === 'SKIPPED';
  }
}

/** Nothing is left to be done: verified, or skipped because the issuer has the KYC of an existing customer. */
export function presentVerified({ ekyc_method }: Issuer): EkycStatusPayload {
  return {
    is_ekyc_verified: true,
    ekyc_failed: false,
    ekyc_status: 'VERIFIED',
    ekyc_method,
    ekyc_expires_at: null,
  };
}

/** @param ended what this call found out about the request before, of which the client hears once */
function presentRequest(
  { ekyc_method }: Issuer,
  request: EkycRequest,
  ended?: 'FAILED' | 'EXPIRED',
): EkycStatusPayload {
  const status = request.status === 'IN_PROGRESS' ? 'IN_PROGRESS' : 'LINK_CREATED';
  return {
    is_ekyc_verified: false,
    ekyc_url: request.url!,
    ekyc_request_id: request.id,
    ekyc_failed: request.isRetry && status === 'LINK_CREATED',
    ekyc_status: ended ?? status,
    // any way completes a request, also one that was begun before the issuer changed its way
    ekyc_method,
    ekyc_expires_at: request.expiresAt!.toISOString(),
  };
}
