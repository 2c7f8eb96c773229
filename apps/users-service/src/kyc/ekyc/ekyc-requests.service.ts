import { Inject, Injectable, Logger } from '@nestjs/common';
import { AadhaarErrors, type AppError, EkycErrors, type ErrorDefinition, JourneyErrors } from '@fd/errors';
import { DataSource } from 'typeorm';
import { validate as isUuid } from 'uuid';
import type { EkycMethod, Issuer } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { ConsentsRepository } from '../../identity/index.js';
import type { ProviderList } from '../../integrations/index.js';
import { type EkycProof, HOSTED_EKYC, type HostedEkyc } from './ekyc-providers.port.js';
import {
  type EkycRequest,
  EkycRequestsRepository,
  type FailedTry,
  type MethodPurpose,
} from './ekyc-requests.repository.js';
import { EkycStates } from './ekyc-states.js';
import { ExpectedPersons } from './expected-persons.service.js';
import { HostedOutcome } from './hosted-outcome.service.js';
import type { ReturnAddress } from './redirection.js';

interface NewRequestOptions {
  readonly returnTo?: ReturnAddress | null;
  readonly isRetry?: boolean;
}

/** Requests for eKYC: created once, with a link once a client asks for it, and completed once by any method. */
@Injectable()
export class EkycRequests {
  private readonly logger = new Logger(EkycRequests.name);

  // eslint-disable-next-line max-params -- a request joins the person, the consents, the provider and the state
  constructor(
    private readonly dataSource: DataSource,
    private readonly requests: EkycRequestsRepository,
    private readonly persons: ExpectedPersons,
    private readonly consents: ConsentsRepository,
    private readonly outcome: HostedOutcome,
    private readonly states: EkycStates,
    @Inject(HOSTED_EKYC) private readonly providers: ProviderList<HostedEkyc>,
  ) {}

  /**
   * As `findOrCreate`, with the link of the hosted page. The request is stored before the provider is called, and its id
   * is the idempotency key there: a crash in between leaves a request that the next call finishes, and parallel calls
   * share one.
   * @throws EkycErrors.unavailable; GeneralErrors.tooManyRequests if the step has changed too often today
   */
  async open(userId: string, issuer: Issuer, options: NewRequestOptions): Promise<EkycRequest> {
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
    await this.current(session.userId, issuer);
    const request = await this.findOrCreate(session.userId, issuer);
    if (request.status === 'VERIFIED')
      throw (await this.persons.isVerified(request))
        ? EkycErrors.alreadyVerified()
        : EkycErrors.unavailable();
    return request;
  }

  /** @param own purpose of a method with a separate consent. @throws ConsentErrors.withdrawn */
  async requireConsent(session: SessionIdentity, own?: MethodPurpose): Promise<void> {
    await this.consents.requireInForce(session, ...(own ? [own] : []));
  }

  async find(userId: string, { slug }: Issuer, id: unknown): Promise<EkycRequest | undefined> {
    return isUuid(id) ? this.requests.findOfUser(userId, slug, id as string) : undefined;
  }

  /** Polls the provider and returns the current request. @throws EkycErrors.unavailable */
  async current(userId: string, issuer: Issuer): Promise<EkycRequest | undefined> {
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
  async bind(request: EkycRequest, state: string): Promise<void> {
    const { status, pageId } = request;
    if (status === 'VERIFIED' && pageId && this.states.isStateOf(pageId, state))
      await this.requests.bind(request);
  }

  /** Ends an open request, so that the next call opens another one. Its success still counts. */
  async end(request: EkycRequest): Promise<void> {
    await this.requests.expire(request);
  }

  /** Completes an open request by another method than the hosted page. @returns the current request */
  async completeElsewhere(request: EkycRequest, proof: EkycProof): Promise<EkycRequest> {
    if (!(await this.persons.stillCounts(request))) return this.requests.expire(request);
    const completed = await this.dataSource.transaction(async (tx) => {
      await this.requests.verify(tx, await this.requests.lockWithOthers(tx, request), proof);
      return this.requests.findById(request.id, tx);
    });
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

  /** Records a failed try. @returns the error to throw */
  async fail(request: EkycRequest, error: ErrorDefinition, failedTry: FailedTry = {}): Promise<AppError> {
    await this.requests.recordFailureNow(request, error.code, failedTry);
    return error();
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
