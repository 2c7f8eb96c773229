import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { EkycErrors, isError } from '@fd/errors';
import { Clock } from '@fd/platform';
import { DataSource } from 'typeorm';
import { AuditTrail } from '../../core/index.js';
import type { Issuer } from '../../config/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { IdentitiesRepository } from '../pan/identities.repository.js';
import { orUnavailable } from '../../integrations/index.js';
import { type AadhaarProof, type EkycRequest, isLive } from './ekyc-request.js';
import { EkycRequestsRepository } from './ekyc-requests.repository.js';
import type { ExpectedPerson } from './expected-person.js';
import { HOSTED_EKYC, type HostedEkyc } from './ekyc-providers.port.js';

/** Requests for eKYC: opened once, with a link whatever the issuer's method, and completed once. */
@Injectable()
export class EkycRequests {
  private readonly logger = new Logger(EkycRequests.name);

  // seven: a request ends in one transaction with its step, or with its audit event where nobody is compared
  constructor(
    private readonly requests: EkycRequestsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly journey: JourneyRepository,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    @Inject(HOSTED_EKYC) private readonly hosted: HostedEkyc,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Whom the eKYC must be of; null until a PAN is verified. */
  async expectedPerson(userId: string): Promise<ExpectedPerson | null> {
    const identity = await this.identities.of(userId);
    return identity ? { name: identity.fullName, dateOfBirth: identity.dateOfBirth } : null;
  }

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
    const expected = await this.expectedPerson(userId);
    const newest = await this.requests.newest(userId, issuer.slug);
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
    await this.dataSource.transaction(async (manager) => {
      await this.requests.setLink(request.id, url, expiresAt, manager);
      await this.journey.record(
        {
          userId,
          issuer: issuer.slug,
          step: 'EKYC',
          event: 'STARTED',
          object: request.id,
        },
        manager,
      );
    });
    return this.asItIs(request);
  }

  /**
   * As `open`, for a way that the person goes with us instead of on the hosted page.
   * @throws EkycErrors.unavailable, EkycErrors.alreadyVerified
   */
  async begin(userId: string, issuer: Issuer): Promise<EkycRequest> {
    await this.current(userId, issuer);
    const request = await this.open(userId, issuer);
    if (request.status === 'VERIFIED') throw EkycErrors.alreadyVerified();
    return request;
  }

  /**
   * Whether a request is of use: one that was begun before the PAN was known would be compared with nobody, and has
   * to be done again once there is somebody.
   */
  async isOfUse({ isCompared, userId }: EkycRequest): Promise<boolean> {
    return isCompared || (await this.expectedPerson(userId)) === null;
  }

  /**
   * The newest request as it is now: the provider is asked about one that is alive.
   * @throws EkycErrors.unavailable
   */
  async current(userId: string, issuer: Issuer): Promise<EkycRequest | undefined> {
    const newest = await this.requests.newest(userId, issuer.slug);
    if (!newest || !isLive(newest)) return newest;
    if (!(await this.isOfUse(newest))) return this.end(newest, 'EXPIRED');
    if (newest.status === 'REQUESTED') return newest;
    // our own clock decides too: a link is not given out again in its last moment
    if (newest.expiresAt! <= this.clock.now()) return this.end(newest, 'EXPIRED');
    const hosted = await orUnavailable('ekyc', () => this.hosted.state(newest.id));
    // what the provider has forgotten can never end
    switch (hosted?.state ?? 'expired') {
      case 'created':
        return newest;
      case 'opened':
        await this.requests.move(this.dataSource.manager, newest.id, 'IN_PROGRESS');
        return { ...newest, status: 'IN_PROGRESS' };
      case 'verified':
        return this.complete(newest);
      case 'failed':
        return this.end(newest, 'FAILED');
      case 'expired':
        return this.end(newest, 'EXPIRED');
    }
  }

  /**
   * Marks a request verified, by whichever way, or expired when it is of no use any more. What was compared with
   * nobody does not complete the step.
   * @returns the request as it is now: one that had ended before stays as it ended
   */
  async complete(request: EkycRequest, proof?: AadhaarProof): Promise<EkycRequest> {
    if (!(await this.isOfUse(request))) return this.end(request, 'EXPIRED');
    const { id, userId, issuer } = request;
    await this.dataSource.transaction(async (manager) => {
      if (!(await this.requests.verify(manager, id, proof))) return;
      if (request.isCompared) {
        await this.journey.record({ userId, issuer, step: 'EKYC', event: 'COMPLETED', object: id }, manager);
      } else {
        await this.audit.record(manager, { action: 'EKYC_VERIFIED', subject: userId, issuer, object: id });
      }
    });
    return this.asItIs(request);
  }

  /** As `complete`, for what was not done on the hosted page, which is told that it is of no more use. */
  async completeElsewhere(request: EkycRequest, proof: AadhaarProof): Promise<EkycRequest> {
    const completed = await this.complete(request, proof);
    if (completed.status !== 'VERIFIED') return completed;
    await this.hosted.close(request.id).catch((error: unknown) => {
      // the page would expire by itself
      this.logger.warn({
        msg: 'a hosted request was not closed',
        reason: isError(error) ? error.message : '',
      });
    });
    return completed;
  }

  /** Notes that a try failed. The request stays alive: the person may try again, or another way. */
  async noteFailure(request: EkycRequest, reason: string): Promise<void> {
    const { id: object, userId, issuer } = request;
    await this.journey.record({ userId, issuer, step: 'EKYC', event: 'FAILED', reason, object });
  }

  private async end(request: EkycRequest, status: 'FAILED' | 'EXPIRED'): Promise<EkycRequest> {
    const { id, userId, issuer } = request;
    await this.dataSource.transaction(async (manager) => {
      if (!(await this.requests.move(manager, id, status))) return;
      await this.journey.record(
        {
          userId,
          issuer,
          step: 'EKYC',
          event: 'FAILED',
          reason: `EKYC_${status}`,
          object: id,
        },
        manager,
      );
    });
    return this.asItIs(request);
  }

  private async asItIs({ id, userId, issuer }: EkycRequest): Promise<EkycRequest> {
    return (await this.requests.find(userId, issuer, id))!;
  }
}
