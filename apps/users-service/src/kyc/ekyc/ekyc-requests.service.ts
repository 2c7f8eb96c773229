import { Inject, Injectable, Logger } from '@nestjs/common';
import { type CheckStatusRequest, type EkycStatusPayload, isGiven, isRecord } from '@fd/contracts';
import {
  AppError,
  AadhaarErrors,
  EkycErrors,
  GeneralErrors,
  JourneyErrors,
  readAll,
  refuse,
} from '@fd/errors';
import { validate as isUuid } from 'uuid';
import type { EkycMethod, Issuer } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { ConsentsRepository, PartnersRepository } from '../../identity/index.js';
import type { ProviderList } from '../../integrations/index.js';
import { CurrentIssuer, JourneyRepository } from '../../journey/index.js';
import { flowOf } from '../issuer-flow.js';
import { type EkycProof, HOSTED_EKYC, type HostedEkyc } from './ekyc-providers.port.js';
import {
  type EkycRequest,
  EkycRequestsRepository,
  type MethodPurpose,
  purposesOf,
} from './ekyc-requests.repository.js';
import { ExpectedPersons } from './expected-persons.service.js';
import { HostedOutcome } from './hosted-outcome.service.js';
import { allowedRedirection, EkycStates, type ReturnAddress, returnAddress } from './redirection.js';

/** Tries to return a link, if parallel calls of another partner keep opening theirs. */
const MAX_ROUNDS = 3;

interface NewRequestOptions {
  readonly returnTo?: ReturnAddress | null;
  readonly isRetry?: boolean;
}

/** Requests for eKYC: created once, with a link once a client asks for it, and completed once by any method. */
@Injectable()
export class EkycRequests {
  private readonly logger = new Logger(EkycRequests.name);

  // eslint-disable-next-line max-params -- a request joins the person, the consents, the return address, the provider and the step
  constructor(
    private readonly requests: EkycRequestsRepository,
    private readonly persons: ExpectedPersons,
    private readonly consents: ConsentsRepository,
    private readonly partners: PartnersRepository,
    private readonly currentIssuer: CurrentIssuer,
    private readonly journey: JourneyRepository,
    private readonly states: EkycStates,
    private readonly outcome: HostedOutcome,
    @Inject(HOSTED_EKYC) private readonly providers: ProviderList<HostedEkyc>,
  ) {}

  /** The eKYC status of a user at an issuer, with a link until it is verified. */
  async check(
    session: SessionIdentity,
    slug: string,
    { redirection_url, flow_id, fd_info, ekyc_state }: CheckStatusRequest,
  ): Promise<EkycStatusPayload> {
    const { userId } = session;
    const issuer = await this.currentIssuer.ofSlug(userId, slug);
    const [redirection] = await Promise.allSettled([
      allowedRedirection(this.partners, session, redirection_url),
    ]);
    const { returnTo, deposit, state } = readAll({
      returnTo: () => valueOf(redirection),
      deposit: () => readDeposit(fd_info),
      flow: () => flowOf(issuer, { flow_id }),
      state: () => readState(ekyc_state),
    });
    await this.consents.requireInForce(session);
    // naming a deposit shows that the user chose one
    if (Object.values(deposit).some(isGiven)) {
      await this.journey.recordNow({ userId, issuer: issuer.slug, step: 'FD_DETAIL', event: 'COMPLETED' });
    }
    const isSpared = await this.isSkipped(userId, issuer);
    const current = isSpared ? undefined : await this.current(userId, issuer);
    if (current && state !== undefined) await this.bind(current, state);
    const isDone = isSpared || (await this.persons.isVerified(current));
    // the link offers the issuer's method
    if (!isDone) await this.consents.requireInForce(session, ...purposesOf(issuer.ekyc_method));
    await this.currentIssuer.continueWith(userId, issuer);
    if (isDone) return presentVerified(issuer);
    // the end of a request is reported once, with the link of the next one
    const ended = current?.status === 'FAILED' || current?.status === 'EXPIRED' ? current.status : undefined;
    const options = {
      // a mere poll does not change the return address
      returnTo: returnTo ?? (ended ? ((await this.returnOf(current, session)) ?? null) : null),
      isRetry: ended === 'FAILED',
    };
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const request = await this.open(userId, issuer, options);
      if (request.status === 'VERIFIED') {
        // a parallel call has verified it
        if (await this.persons.isVerified(request)) return presentVerified(issuer);
        break;
      }
      if ((await this.returnOf(request, session)) !== undefined)
        return presentRequest(issuer, request, ended);
      await this.requests.expire(request);
    }
    throw EkycErrors.unavailable();
  }

  /**
   * As `findOrCreate`, with the user's consent, for a method other than the hosted page.
   * @throws ConsentErrors.withdrawn, EkycErrors.unavailable, EkycErrors.alreadyVerified
   */
  async begin(
    session: SessionIdentity & { readonly ip: string },
    issuer: Issuer,
    purpose: MethodPurpose,
  ): Promise<EkycRequest> {
    await this.consents.giveForStep({ ...session, purpose });
    // of parallel successes one counts, so that another method does not need the provider of the hosted page
    await this.current(session.userId, issuer).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== EkycErrors.unavailable.code) throw error;
    });
    const request = await this.findOrCreate(session.userId, issuer);
    if (request.status === 'VERIFIED')
      throw (await this.persons.isVerified(request))
        ? EkycErrors.alreadyVerified()
        : EkycErrors.unavailable();
    return request;
  }

  async find(userId: string, { slug }: Issuer, id: unknown): Promise<EkycRequest | undefined> {
    return isUuid(id) ? this.requests.findOfUser(userId, slug, id as string) : undefined;
  }

  /** Completes an open request by another method than the hosted page. @returns the current request */
  async completeElsewhere(request: EkycRequest, proof: EkycProof): Promise<EkycRequest> {
    if (!(await this.persons.stillCounts(request))) return this.requests.expire(request);
    const completed = await this.requests.verifyNow(request, proof);
    if (completed.status === 'VERIFIED') await this.closePage(request.id);
    return completed;
  }

  /** Closes the hosted page, if any, of a request that was completed another way. */
  async closePage(id: string): Promise<void> {
    try {
      const { provider } = await this.requests.findById(id);
      if (provider !== null) await this.providers.named(provider).close(id);
    } catch (error) {
      // otherwise the page expires by itself
      this.logger.warn({ msg: 'a hosted request was not closed', reason: (error as Error).message });
    }
  }

  /**
   * As `findOrCreate`, with the link of the hosted page. The request is stored before the provider is called, and its id
   * is the idempotency key there: a crash in between leaves a request that the next call finishes, and parallel calls
   * share one.
   * @throws EkycErrors.unavailable; GeneralErrors.tooManyRequests if the step has changed too often today
   */
  private async open(userId: string, issuer: Issuer, options: NewRequestOptions): Promise<EkycRequest> {
    const request = await this.findOrCreate(userId, issuer, options);
    if (request.status !== 'REQUESTED') return request;
    // a link that cannot be recorded must not be opened
    await this.requests.requireStartable(request);
    const opened = await this.outcome.poll(request);
    // expired, or ended by another call
    if (opened.url === null && opened.status !== 'VERIFIED') throw EkycErrors.unavailable();
    return opened;
  }

  /** Returns the verified or open request of a user with an issuer, or creates one without a link. */
  private async findOrCreate(
    userId: string,
    issuer: Issuer,
    options: NewRequestOptions = {},
  ): Promise<EkycRequest> {
    const { returnTo = null, isRetry = false } = options;
    const expected = await this.persons.findByUserId(userId);
    const comparedWith = expected?.verificationId ?? null;
    const current = await this.requests.findCurrent(userId, issuer.slug, comparedWith);
    // a verified request is final
    if (current?.status === 'VERIFIED' && current.comparedWith === comparedWith) return current;
    const request = await this.requests.findOpenOrCreate({
      userId,
      issuer: issuer.slug,
      method: issuer.ekyc_method,
      returnTo,
      comparedWith,
      isRetry,
    });
    if (request.status !== 'REQUESTED' || request.comparedWith === comparedWith) return request;
    // created before this PAN was verified: the provider must not get another person than the request names
    await this.requests.expire(request);
    return this.findOrCreate(userId, issuer, options);
  }

  /** Polls the provider and returns the current request. @throws EkycErrors.unavailable */
  private async current(userId: string, issuer: Issuer): Promise<EkycRequest | undefined> {
    const comparedWith = (await this.persons.findByUserId(userId))?.verificationId ?? null;
    const request = await this.requests.findCurrent(userId, issuer.slug, comparedWith);
    if (!request || request.status === 'VERIFIED' || request.status === 'FAILED') return request;
    if (request.status !== 'REQUESTED') return this.outcome.poll(request);
    return (await this.persons.stillCounts(request)) ? request : this.requests.expire(request);
  }

  /**
   * Takes the state that came back to a session of the user: if it is that of the page that proved the request, the user's own browser
   * has completed it. Whoever ends a page without a proof gets a state, too, of that page.
   */
  private async bind(request: EkycRequest, state: string): Promise<void> {
    const { status, pageId } = request;
    if (status === 'VERIFIED' && pageId && this.states.isStateOf(pageId, state))
      await this.requests.bind(request);
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

/** @throws JourneyErrors.stepNotOffered if the issuer lacks this method; AadhaarErrors.switchedOff if a setting disables it */
export function requireMethod(issuer: Issuer, method: EkycMethod): Issuer {
  if (issuer.ekyc_method === method) return issuer;
  if (method === 'AADHAAR_OTP' && issuer.replaced_ekyc_method === method) {
    throw AadhaarErrors.switchedOff({ hint: `Use ${issuer.ekyc_method}.` });
  }
  throw JourneyErrors.stepNotOffered();
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
