import { Inject, Injectable } from '@nestjs/common';
import type { LockerSessionPayload } from '@fd/contracts';
import {
  AppError,
  EkycErrors,
  type ErrorDefinition,
  errorOf,
  GeneralErrors,
  JourneyErrors,
  LockerErrors,
} from '@fd/errors';
import { Clock } from '@fd/platform';
import { validate as isUuid } from 'uuid';
import { ConsentsRepository } from '../../identity/index.js';
import type { Issuer } from '../../config/index.js';
import { CurrentIssuer } from '../../journey/index.js';
import { orUnavailable } from '../../integrations/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { DOCUMENT_LOCKER, type DocumentLocker, type LockerOutcome } from './document-locker.port.js';
import type { AadhaarProof, EkycRequest } from './ekyc-request.js';
import { EkycRequestsRepository } from './ekyc-requests.repository.js';
import { EkycRequests } from './ekyc-requests.service.js';
import { presentLockerSession } from './ekyc.presenter.js';
import { type LockerSession, LockerSessionsRepository } from './locker-sessions.repository.js';
import { Redirections } from './redirections.service.js';

/** Ways in which a visit to the locker ends without a proof. */
const REFUSALS: Readonly<Record<Exclude<LockerOutcome['outcome'], 'open' | 'allowed'>, ErrorDefinition>> = {
  denied: LockerErrors.consentDenied,
  'no-aadhaar': LockerErrors.noAadhaar,
  expired: LockerErrors.sessionExpired,
  'another-person': LockerErrors.holderDiffers,
};

/** Sessions that turn out to be over, one after the other, before a new one is given up. */
const MAX_ROUNDS = 3;

/** eKYC by the Aadhaar in the person's document locker. */
@Injectable()
export class DocumentLockerService {
  // eight: a visit composes the request, its records, the consent and the way back with the locker itself
  constructor(
    private readonly requests: EkycRequests,
    private readonly records: EkycRequestsRepository,
    private readonly sessions: LockerSessionsRepository,
    private readonly redirections: Redirections,
    private readonly currentIssuer: CurrentIssuer,
    private readonly consents: ConsentsRepository,
    private readonly clock: Clock,
    @Inject(DOCUMENT_LOCKER) private readonly locker: DocumentLocker,
  ) {}

  /**
   * A session that is still open is given again.
   * @throws IssuerErrors.unknown, JourneyErrors.stepNotOffered, EkycErrors.redirectionUrlInvalid,
   * EkycErrors.unavailable, EkycErrors.alreadyVerified, GeneralErrors.tooManyRequests, LockerErrors.sessionExpired
   */
  async open(
    session: SessionIdentity & { readonly ip: string },
    slug: string,
    redirectionUrl: unknown,
  ): Promise<LockerSessionPayload> {
    const { userId } = session;
    const issuer = requireLocker(await this.currentIssuer.chosen(userId, slug));
    const redirectUrl = await this.redirections.allowed(session, redirectionUrl);
    await this.consents.record({ ...session, purpose: 'DOCUMENT_LOCKER' });
    return this.openFor(await this.requests.begin(userId, issuer), redirectUrl);
  }

  /**
   * @throws IssuerErrors.unknown, JourneyErrors.stepNotOffered, GeneralErrors.recordUnknown, EkycErrors.unavailable,
   * LockerErrors.consentDenied, LockerErrors.noAadhaar, LockerErrors.sessionExpired, LockerErrors.holderDiffers
   */
  async show(userId: string, slug: string, sessionId: string): Promise<LockerSessionPayload> {
    const issuer = requireLocker(await this.currentIssuer.ofSlug(userId, slug));
    const session = isUuid(sessionId) ? await this.sessions.find(userId, slug, sessionId) : undefined;
    const request = session && (await this.records.find(userId, issuer.slug, session.ekycRequestId));
    if (!session || !request) throw GeneralErrors.recordUnknown();
    if (session.refusalCode) throw errorOf(session.refusalCode)();
    if (hasEnded(request) || !(await this.requests.isOfUse(request))) return this.closeForGood(session);
    if (request.status === 'VERIFIED') return presentLockerSession(session, true);
    const outcome = await this.outcomeOf(session, request);
    switch (outcome.outcome) {
      case 'open':
        return presentLockerSession(session, false);
      case 'allowed':
        return this.complete(session, request, outcome);
      case 'denied':
      case 'no-aadhaar':
      case 'expired':
      case 'another-person':
        throw await this.refused(session, request, REFUSALS[outcome.outcome]);
    }
  }

  private async openFor(request: EkycRequest, redirectUrl: string | null): Promise<LockerSessionPayload> {
    const visit = { userId: request.userId, ekycRequestId: request.id, redirectUrl };
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const claim = await this.sessions.claim(visit, this.clock.now());
      if (!claim.isGranted) {
        throw GeneralErrors.tooManyRequests({ retryAfterSeconds: claim.retryAfterSeconds });
      }
      const isNew = claim.session.lockerId === null;
      const session = isNew ? await this.openAtLocker(claim.session, request, redirectUrl) : claim.session;
      const outcome = await this.outcomeIfKnown(session, request, isNew);
      if (outcome.outcome === 'open') return presentLockerSession(session, false);
      // the person has been there, and nobody has asked since
      if (outcome.outcome === 'allowed') return this.complete(session, request, outcome);
      await this.refused(session, request, REFUSALS[outcome.outcome]);
    }
    throw EkycErrors.unavailable();
  }

  /** What was opened by this call is open, unless the locker opened it long ago and the answer was lost. */
  private async outcomeIfKnown(
    session: LockerSession,
    request: EkycRequest,
    isNew: boolean,
  ): Promise<LockerOutcome> {
    if (!isNew) return this.outcomeOf(session, request);
    return { outcome: session.expiresAt! > this.clock.now() ? 'open' : 'expired' };
  }

  private async openAtLocker(
    { id }: LockerSession,
    request: EkycRequest,
    redirectUrl: string | null,
  ): Promise<LockerSession> {
    const { userId, issuer, isCompared } = request;
    const expected = isCompared ? await this.requests.expectedPerson(userId) : null;
    const opened = await orUnavailable('document-locker', () =>
      this.locker.open({ reference: id, redirectUrl, expected }),
    );
    await this.sessions.setOpened(id, opened.lockerId, opened.url, opened.expiresAt);
    return (await this.sessions.find(userId, issuer, id))!;
  }

  private async outcomeOf({ lockerId }: LockerSession, { isCompared }: EkycRequest): Promise<LockerOutcome> {
    return orUnavailable('document-locker', () => this.locker.outcome(lockerId!, isCompared));
  }

  private async complete(
    session: LockerSession,
    request: EkycRequest,
    proof: AadhaarProof,
  ): Promise<LockerSessionPayload> {
    const { status } = await this.requests.completeElsewhere(request, proof);
    return status === 'VERIFIED' ? presentLockerSession(session, true) : this.closeForGood(session);
  }

  /** A session is of no use any more once its request has ended. The request that follows has not failed by it. */
  private async closeForGood({ id }: LockerSession): Promise<never> {
    await this.sessions.setRefused(id, LockerErrors.sessionExpired.code);
    throw LockerErrors.sessionExpired();
  }

  /** @returns the refusal that the session ends with, for good */
  private async refused(
    session: LockerSession,
    request: EkycRequest,
    error: ErrorDefinition,
  ): Promise<AppError> {
    await this.sessions.setRefused(session.id, error.code);
    await this.requests.noteFailure(request, error.code);
    return error();
  }
}

function requireLocker(issuer: Issuer): Issuer {
  if (issuer.ekyc_method !== 'DIGILOCKER') throw JourneyErrors.stepNotOffered();
  return issuer;
}

const hasEnded = ({ status }: EkycRequest): boolean => status === 'FAILED' || status === 'EXPIRED';
