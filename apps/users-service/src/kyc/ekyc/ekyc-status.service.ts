import { Injectable } from '@nestjs/common';
import { type CheckStatusRequest, type EkycStatusPayload, isGiven, isRecord } from '@fd/contracts';
import { EkycErrors, GeneralErrors, readAll, refuse } from '@fd/errors';
import type { Issuer } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { PartnersRepository } from '../../identity/index.js';
import { CurrentIssuer, JourneyRepository } from '../../journey/index.js';
import { flowOf } from '../issuer-flow.js';
import { type EkycRequest, purposeOf } from './ekyc-requests.repository.js';
import { EkycRequests } from './ekyc-requests.service.js';
import { ExpectedPersons } from './expected-persons.service.js';
import { allowedRedirection, type ReturnAddress, returnAddress } from './redirection.js';

/** Tries to return a link, if parallel calls of another partner keep opening theirs. */
const MAX_ROUNDS = 3;

/** The eKYC status of a user at an issuer, with a link until it is verified. */
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
    { redirection_url, flow_id, fd_info, ekyc_state }: CheckStatusRequest,
  ): Promise<EkycStatusPayload> {
    const { userId } = session;
    const issuer = await this.currentIssuer.chooseBySlug(userId, slug);
    const [redirection] = await Promise.allSettled([
      allowedRedirection(this.partners, session, redirection_url),
    ]);
    const { returnTo, deposit, state } = readAll({
      returnTo: () => valueOf(redirection),
      deposit: () => readDeposit(fd_info),
      flow: () => flowOf(issuer, { flow_id }),
      state: () => readState(ekyc_state),
    });
    await this.requests.requireConsent(session);
    // naming a deposit shows that the user chose one
    if (Object.values(deposit).some(isGiven)) {
      await this.journey.recordNow({ userId, issuer: issuer.slug, step: 'FD_DETAIL', event: 'COMPLETED' });
    }
    const current = await this.requests.current(userId, issuer);
    if (current && state !== undefined) await this.requests.bind(current, state);
    if ((await this.persons.isVerified(current)) || (await this.isSkipped(userId, issuer)))
      return presentVerified(issuer);
    // the link offers the issuer's method
    await this.requests.requireConsent(session, purposeOf(issuer.ekyc_method));
    // the end of a request is reported once, with the link of the next one
    const ended = current?.status === 'FAILED' || current?.status === 'EXPIRED' ? current.status : undefined;
    const options = {
      // a mere poll does not change the return address
      returnTo: returnTo ?? (ended ? ((await this.returnOf(current, session)) ?? null) : null),
      isRetry: ended === 'FAILED',
    };
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const request = await this.requests.open(userId, issuer, options);
      if (request.status === 'VERIFIED') {
        // a parallel call has verified it
        if (await this.persons.isVerified(request)) return presentVerified(issuer);
        break;
      }
      if ((await this.returnOf(request, session)) !== undefined)
        return presentRequest(issuer, request, ended);
      await this.requests.end(request);
    }
    throw EkycErrors.unavailable();
  }

  /**
   * The return address of a link, which a session with another partner may have set; null for none.
   * @returns undefined if this partner does not allow it
   */
  private async returnOf(
    request: Pick<EkycRequest, 'redirectUrl'> | undefined,
    session: SessionIdentity,
  ): Promise<ReturnAddress | null | undefined> {
    const returnsTo = request?.redirectUrl ?? null;
    return returnsTo === null ? null : returnAddress(this.partners, session, returnsTo);
  }

  /** The status of an existing customer with complete KYC. */
  private async isSkipped(userId: string, { slug }: Issuer): Promise<boolean> {
    return (await this.journey.statesOf(userId, slug)).EKYC?.state === 'SKIPPED';
  }
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

function readDeposit(given: unknown): Readonly<Record<string, unknown>> {
  const deposit = given ?? {};
  return isRecord(deposit) ? deposit : refuse(GeneralErrors.fieldInvalid, 'fd_info');
}

function readState(given: unknown): string | undefined {
  if (!isGiven(given)) return undefined;
  return typeof given === 'string' ? given : refuse(GeneralErrors.fieldInvalid, 'ekyc_state');
}

/** The status of a completed step: verified, or skipped for an existing customer with complete KYC. */
export function presentVerified({ ekyc_method }: Issuer): EkycStatusPayload {
  return {
    is_ekyc_verified: true,
    ekyc_failed: false,
    ekyc_status: 'VERIFIED',
    ekyc_method,
    ekyc_expires_at: null,
  };
}

/** @param ended end of the previous request, reported once */
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
    // any method completes a request, even after the issuer has changed its method
    ekyc_method,
    ekyc_expires_at: request.expiresAt!.toISOString(),
  };
}
