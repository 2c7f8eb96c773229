import { Injectable } from '@nestjs/common';
import type { LockerSessionPayload } from '@fd/contracts';
import { EkycErrors, errorOf, GeneralErrors, LockerErrors } from '@fd/errors';
import { Clock } from '@fd/platform';
import { validate as isUuid } from 'uuid';
import type { Issuer } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { ConsentsRepository, PartnersRepository } from '../../identity/index.js';
import { CurrentIssuer } from '../../journey/index.js';
import { EkycRequests, requireMethod } from './ekyc-requests.service.js';
import { ExpectedPersons } from './expected-persons.service.js';
import { type LockerSession, LockerSessionsRepository } from './locker-sessions.repository.js';
import { LockerVisits } from './locker-visits.service.js';
import { allowedRedirection } from './redirection.js';

/** Tries to open a session before giving up, if each turns out to have ended. */
const MAX_ROUNDS = 3;

export interface LockerSessionView {
  readonly payload: LockerSessionPayload;
  /** True while the locker takes longer than a request waits. */
  readonly isPending: boolean;
}

/** eKYC with the Aadhaar from the person's document locker. */
@Injectable()
export class DocumentLockerService {
  // eslint-disable-next-line max-params -- a session needs the issuer, the expected person and the redirection of the partner
  constructor(
    private readonly requests: EkycRequests,
    private readonly persons: ExpectedPersons,
    private readonly consents: ConsentsRepository,
    private readonly sessions: LockerSessionsRepository,
    private readonly visits: LockerVisits,
    private readonly partners: PartnersRepository,
    private readonly currentIssuer: CurrentIssuer,
    private readonly clock: Clock,
  ) {}

  /** Returns the open session with its link, or opens one. */
  async open(
    session: SessionIdentity & { readonly ip: string },
    slug: string,
    redirectionUrl: string | null | undefined,
  ): Promise<LockerSessionView> {
    const issuer = requireMethod(await this.currentIssuer.ofSlug(session.userId, slug), 'DIGILOCKER');
    const returnTo = await allowedRedirection(this.partners, session, redirectionUrl);
    const request = await this.requests.begin(session, issuer, 'DOCUMENT_LOCKER');
    await this.currentIssuer.continueWith(session.userId, issuer);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const claimed = await this.sessions.findOpenOrCreate(request, returnTo?.url ?? null);
      const visit = claimed.lockerId
        ? await this.visits.poll(claimed)
        : await this.visits.openAt(claimed, request, returnTo);
      const isVerified = await this.isVerified(visit, issuer, request.userId);
      if (!visit.lockerId) {
        if (isVerified) throw EkycErrors.alreadyVerified();
        if (isOpen(visit)) throw EkycErrors.unavailable();
        // a crash lost the link of the previous session, and it cannot be recovered
        continue;
      }
      // the person has finished at the locker since the last poll
      if (isVerified) return this.complete(claimed, visit);
      if (isOpen(visit) && (visit.expiresAt! > this.clock.now() || this.visits.isUnderWay(visit)))
        return this.waiting(visit);
      // expired links are not returned, nor old ones whose opening was recorded late
      await this.sessions.setRefused(visit.id, LockerErrors.sessionExpired.code);
    }
    throw EkycErrors.unavailable();
  }

  async show(caller: SessionIdentity, slug: string, sessionId: string): Promise<LockerSessionView> {
    const { userId } = caller;
    const issuer = requireMethod(await this.currentIssuer.ofSlug(userId, slug), 'DIGILOCKER');
    // its page may return to an address of another partner
    const origins = await this.partners.redirectOriginsOf(caller.partnerId);
    const session = isUuid(sessionId)
      ? await this.sessions.findOpened(userId, slug, sessionId, origins)
      : undefined;
    if (!session) throw GeneralErrors.recordUnknown();
    const requireConsent = () => this.consents.requireInForce(caller, 'DOCUMENT_LOCKER');
    if (isOpen(session)) await requireConsent();
    const visit = await this.visits.poll(session);
    const expired = LockerErrors.sessionExpired;
    if (visit.refusalCode && visit.refusalCode !== expired.code) throw errorOf(visit.refusalCode)();
    if (!visit.refusalCode) {
      if (await this.isVerified(visit, issuer, userId)) return this.complete(session, visit);
      if (isOpen(visit)) return this.waiting(visit);
    }
    // a withdrawal ends sessions, too; once the consent is given again, the person needs another session
    await requireConsent();
    throw expired();
  }

  private async complete(before: LockerSession, visit: LockerSession): Promise<LockerSessionView> {
    if (isOpen(before)) await this.requests.closePage(visit.ekycRequestId);
    return { payload: present(visit, true), isPending: false };
  }

  private waiting(visit: LockerSession): LockerSessionView {
    return { payload: present(visit, false), isPending: this.visits.isUnderWay(visit) };
  }

  private async isVerified(
    { ekycRequestId }: LockerSession,
    issuer: Issuer,
    userId: string,
  ): Promise<boolean> {
    return this.persons.isVerified(await this.requests.find(userId, issuer, ekycRequestId));
  }
}

function isOpen({ state, refusalCode }: LockerSession): boolean {
  return refusalCode === null && (state === 'DUE' || state === 'FOLLOWED');
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
