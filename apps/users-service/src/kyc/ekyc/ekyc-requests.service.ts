import { Inject, Injectable, Logger } from '@nestjs/common';
import { type AppError, EkycErrors, type ErrorDefinition, JourneyErrors } from '@fd/errors';
import { Clock } from '@fd/platform';
import { validate as isUuid } from 'uuid';
import type { EkycMethod, Issuer } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { ConsentsRepository } from '../../identity/index.js';
import { orUnavailable } from '../../integrations/index.js';
import { IdentitiesRepository } from '../pan/identities.repository.js';
import {
  type AadhaarProof,
  type ExpectedPerson,
  HOSTED_EKYC,
  type HostedEkyc,
} from './ekyc-providers.port.js';
import { type EkycRequest, EkycRequestsRepository } from './ekyc-requests.repository.js';

/** Requests for eKYC: opened once, with a link whatever the issuer's method, and completed once. */
@Injectable()
export class EkycRequests {
  private readonly logger = new Logger(EkycRequests.name);

  constructor(
    private readonly requests: EkycRequestsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly consents: ConsentsRepository,
    private readonly clock: Clock,
    @Inject(HOSTED_EKYC) private readonly hosted: HostedEkyc,
  ) {}

  /**
   * The living request of a user with an issuer, opened now if there is none; the verified one if there is one. It is
   * written down before the provider is asked, and its id is the idempotency key there: a crash in between leaves a
   * request that the next call finishes, and parallel calls share one.
   * @throws EkycErrors.unavailable
   */
  async open(
    userId: string,
    issuer: Issuer,
    { redirectUrl = null, isRetry = false }: { redirectUrl?: string | null; isRetry?: boolean } = {},
  ): Promise<EkycRequest> {
    const expected = await this.holderOf(userId);
    const newest = await this.requests.findNewest(userId, issuer.slug);
    // what is verified is not begun again
    if (newest?.status === 'VERIFIED' && (newest.isCompared || !expected)) return newest;
    const request = await this.requests.claim({
      userId,
      issuer: issuer.slug,
      method: issuer.ekyc_method,
      redirectUrl,
      isCompared: expected !== null,
      isRetry,
    });
    if (request.status !== 'REQUESTED') return request;
    const { url, expiresAt } = await orUnavailable('ekyc', () =>
      this.hosted.open({
        reference: request.id,
        issuerCode: issuer.code,
        method: request.method,
        redirectUrl: request.redirectUrl,
        expected: request.isCompared ? expected : null,
      }),
    );
    return this.requests.setLink(request, url, expiresAt);
  }

  /**
   * As `open`, with the person's consent, for a way that the person goes with us instead of on the hosted page.
   * @throws EkycErrors.unavailable, EkycErrors.alreadyVerified
   */
  async begin(
    session: SessionIdentity & { readonly ip: string },
    issuer: Issuer,
    purpose: 'AADHAAR_EKYC' | 'DOCUMENT_LOCKER',
  ): Promise<EkycRequest> {
    await this.consents.record({ ...session, purpose });
    await this.requireConsent(session.userId);
    await this.current(session.userId, issuer);
    const request = await this.open(session.userId, issuer);
    if (request.status === 'VERIFIED') throw EkycErrors.alreadyVerified();
    return request;
  }

  /** @param own purpose of a way that asks for a consent of its own. @throws ConsentErrors.withdrawn */
  async requireConsent(userId: string, own?: 'AADHAAR_EKYC' | 'DOCUMENT_LOCKER'): Promise<void> {
    await this.consents.requireInForce(userId, own);
  }

  async find(userId: string, { slug }: Issuer, id: unknown): Promise<EkycRequest | undefined> {
    return isUuid(id) ? this.requests.findById(userId, slug, id as string) : undefined;
  }

  /**
   * Whether a request has not ended and is of use: one that was begun before the PAN was known would be compared with
   * nobody, and has to be done again once there is somebody.
   */
  async isOfUse({ status, isCompared, userId }: EkycRequest): Promise<boolean> {
    if (status === 'FAILED' || status === 'EXPIRED') return false;
    return isCompared || (await this.holderOf(userId)) === null;
  }

  /** Whom a request must be of; null when it began before a PAN was verified. */
  async expectedPerson({ isCompared, userId }: EkycRequest): Promise<ExpectedPerson | null> {
    return isCompared ? this.holderOf(userId) : null;
  }

  /** The newest request as it is now, by the provider. @throws EkycErrors.unavailable */
  async current(userId: string, issuer: Issuer): Promise<EkycRequest | undefined> {
    const newest = await this.requests.findNewest(userId, issuer.slug);
    if (!newest || ['VERIFIED', 'FAILED', 'EXPIRED'].includes(newest.status)) return newest;
    if (!(await this.isOfUse(newest))) return this.requests.end(newest, 'EXPIRED');
    if (newest.status === 'REQUESTED') return newest;
    // our own clock decides too: a link is not given out again in its last moment
    if (newest.expiresAt! <= this.clock.now()) return this.requests.end(newest, 'EXPIRED');
    const hosted = await orUnavailable('ekyc', () => this.hosted.state(newest.id));
    // what the provider has forgotten can never end
    if (!hosted || hosted.state === 'expired') return this.requests.end(newest, 'EXPIRED');
    if (hosted.state === 'failed') return this.requests.end(newest, 'FAILED');
    if (hosted.state === 'verified') return this.complete(newest);
    if (hosted.state === 'created') return newest;
    await this.requests.setOpened(newest.id);
    return { ...newest, status: 'IN_PROGRESS' };
  }

  /** Completes a request that is still of use elsewhere than on the hosted page. @returns the request as it is now */
  async completeElsewhere(request: EkycRequest, proof: AadhaarProof): Promise<EkycRequest> {
    const completed = await this.complete(request, proof);
    if (completed.status !== 'VERIFIED') return completed;
    await this.hosted.close(request.id).catch((error: unknown) => {
      // the page would expire by itself
      this.logger.warn({ msg: 'a hosted request was not closed', reason: (error as Error).message });
    });
    return completed;
  }

  /** Records that a try failed. @returns what to throw */
  async fail(request: EkycRequest, error: ErrorDefinition): Promise<AppError> {
    await this.requests.recordFailure(request, error.code);
    return error();
  }

  private async complete(request: EkycRequest, proof?: AadhaarProof): Promise<EkycRequest> {
    if (!(await this.isOfUse(request))) return this.requests.end(request, 'EXPIRED');
    return this.requests.verify(request, proof);
  }

  private async holderOf(userId: string): Promise<ExpectedPerson | null> {
    const identity = await this.identities.findByUserId(userId);
    return identity ? { name: identity.fullName, dateOfBirth: identity.dateOfBirth } : null;
  }
}

/** @throws JourneyErrors.stepNotOffered when the issuer has another way of eKYC */
export function requireMethod(issuer: Issuer, method: EkycMethod): Issuer {
  if (issuer.ekyc_method !== method) throw JourneyErrors.stepNotOffered();
  return issuer;
}
