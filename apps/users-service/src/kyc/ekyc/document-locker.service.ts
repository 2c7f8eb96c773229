import { Inject, Injectable } from '@nestjs/common';
import type { LockerSessionPayload } from '@fd/contracts';
import {
  type AppError,
  EkycErrors,
  type ErrorDefinition,
  errorOf,
  GeneralErrors,
  LockerErrors,
} from '@fd/errors';
import { Clock } from '@fd/platform';
import { validate as isUuid } from 'uuid';
import type { SessionIdentity } from '../../core/index.js';
import { PartnersRepository } from '../../identity/index.js';
import { orUnavailable } from '../../integrations/index.js';
import { CurrentIssuer } from '../../journey/index.js';
import {
  type AadhaarProof,
  DOCUMENT_LOCKER,
  type DocumentLocker,
  type LockerOutcome,
} from './ekyc-providers.port.js';
import type { EkycRequest } from './ekyc-requests.repository.js';
import { EkycRequests, requireMethod } from './ekyc-requests.service.js';
import { type LockerSession, LockerSessionsRepository } from './locker-sessions.repository.js';
import { allowedRedirection } from './redirection.js';

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
  constructor(
    private readonly requests: EkycRequests,
    private readonly sessions: LockerSessionsRepository,
    private readonly partners: PartnersRepository,
    private readonly currentIssuer: CurrentIssuer,
    private readonly clock: Clock,
    @Inject(DOCUMENT_LOCKER) private readonly locker: DocumentLocker,
  ) {}

  /** A session that is still open is given again. */
  async open(
    session: SessionIdentity & { readonly ip: string },
    slug: string,
    redirectionUrl: unknown,
  ): Promise<LockerSessionPayload> {
    const issuer = requireMethod(await this.currentIssuer.chooseBySlug(session.userId, slug), 'DIGILOCKER');
    const redirectUrl = await allowedRedirection(this.partners, session, redirectionUrl);
    const request = await this.requests.begin(session, issuer, 'DOCUMENT_LOCKER');
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const claimed = await this.sessions.claim(request, redirectUrl, this.clock.now());
      const { visit, outcome } = await this.visit(claimed, request, redirectUrl);
      if (outcome.outcome === 'open') return present(visit, false);
      // the person has been there, and nobody has asked since
      if (outcome.outcome === 'allowed') return this.complete(visit, request, outcome);
      await this.refuse(visit, request, outcome.outcome);
    }
    throw EkycErrors.unavailable();
  }

  async show(userId: string, slug: string, sessionId: string): Promise<LockerSessionPayload> {
    const issuer = requireMethod(await this.currentIssuer.ofSlug(userId, slug), 'DIGILOCKER');
    const session = isUuid(sessionId) ? await this.sessions.findOpened(userId, slug, sessionId) : undefined;
    const request = session && (await this.requests.find(userId, issuer, session.ekycRequestId));
    if (!session || !request) throw GeneralErrors.recordUnknown();
    if (session.refusalCode) throw errorOf(session.refusalCode)();
    if (!(await this.requests.isOfUse(request))) return this.closeForGood(session);
    if (request.status === 'VERIFIED') return present(session, true);
    await this.requests.requireConsent(userId, 'DOCUMENT_LOCKER');
    const outcome = await this.outcomeOf(session, request);
    if (outcome.outcome === 'open') return present(session, false);
    if (outcome.outcome === 'allowed') return this.complete(session, request, outcome);
    throw await this.refuse(session, request, outcome.outcome);
  }

  /** A session as the locker knows it, which opens it now unless it has done so before. */
  private async visit(
    session: LockerSession,
    request: EkycRequest,
    redirectUrl: string | null,
  ): Promise<{ visit: LockerSession; outcome: LockerOutcome }> {
    if (session.lockerId) return { visit: session, outcome: await this.outcomeOf(session, request) };
    const expected = await this.requests.expectedPerson(request);
    const opened = await orUnavailable('document-locker', () =>
      this.locker.open({ reference: session.id, redirectUrl, expected }),
    );
    await this.sessions.setOpened(session.id, opened);
    const visit = (await this.sessions.findOpened(request.userId, request.issuer, session.id))!;
    // open, unless the locker opened it long ago and the answer was lost
    return { visit, outcome: { outcome: visit.expiresAt! > this.clock.now() ? 'open' : 'expired' } };
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
    return status === 'VERIFIED' ? present(session, true) : this.closeForGood(session);
  }

  /** A session is of no use any more once its request has ended. The request that follows has not failed by it. */
  private async closeForGood({ id }: LockerSession): Promise<never> {
    await this.sessions.setRefused(id, LockerErrors.sessionExpired.code);
    throw LockerErrors.sessionExpired();
  }

  /** @returns the refusal that the session ends with, for good */
  private async refuse(
    { id }: LockerSession,
    request: EkycRequest,
    outcome: keyof typeof REFUSALS,
  ): Promise<AppError> {
    await this.sessions.setRefused(id, REFUSALS[outcome].code);
    return this.requests.fail(request, REFUSALS[outcome]);
  }
}

function present(
  { id, url, expiresAt, ekycRequestId }: LockerSession,
  isVerified: boolean,
): LockerSessionPayload {
  return {
    session_id: id,
    url: url!,
    status: isVerified ? 'AUTHORISED' : 'CREATED',
    is_ekyc_verified: isVerified,
    ekyc_request_id: ekycRequestId,
    expires_at: expiresAt!.toISOString(),
  };
}
