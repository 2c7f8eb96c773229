import { Inject, Injectable } from '@nestjs/common';
import type { LockerSessionPayload } from '@fd/contracts';
import { AppError, type ErrorCode } from '@fd/errors';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { ConsentsRepository } from '../consents/consents.repository.js';
import type { Issuer } from '../issuers/issuer.js';
import { CurrentIssuer } from '../journey/current-issuer.service.js';
import { orUnavailable } from '../providers/provider-clients.js';
import type { SessionIdentity } from '../sessions/session-identity.js';
import { DOCUMENT_LOCKER, type DocumentLocker, type LockerOutcome } from './document-locker.port.js';
import { EkycRequestsRepository } from './ekyc-requests.repository.js';
import { EkycRequests } from './ekyc-requests.service.js';
import { presentLockerSession } from './ekyc.presenter.js';
import { type LockerSession, LockerSessionsRepository } from './locker-sessions.repository.js';
import { Redirections } from './redirections.service.js';

/** Ways in which a visit to the locker ends without a proof. */
const REFUSALS: Readonly<Record<Exclude<LockerOutcome['outcome'], 'open' | 'allowed'>, ErrorCode>> = {
  denied: 'SVCUSER2431',
  'no-aadhaar': 'SVCUSER2432',
  expired: 'SVCUSER2433',
  'another-person': 'SVCUSER2434',
};

/** eKYC by the Aadhaar in the person's document locker. */
@Injectable()
export class DocumentLockerService {
  constructor(
    private readonly requests: EkycRequests,
    private readonly records: EkycRequestsRepository,
    private readonly sessions: LockerSessionsRepository,
    private readonly redirections: Redirections,
    private readonly currentIssuer: CurrentIssuer,
    private readonly consents: ConsentsRepository,
    @Inject(DOCUMENT_LOCKER) private readonly locker: DocumentLocker,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** @throws AppError SVCUSER2902, 2443, 2411, 2404 */
  async open(
    session: SessionIdentity & { readonly ip: string },
    slug: string,
    redirectionUrl: unknown,
  ): Promise<LockerSessionPayload> {
    const { userId } = session;
    const issuer = await this.issuerWithLocker(userId, slug);
    const redirectUrl = await this.redirections.allowed(session, redirectionUrl);
    await this.consents.record(this.dataSource.manager, { ...session, purpose: 'DOCUMENT_LOCKER' });
    await this.requests.current(userId, issuer);
    const request = await this.requests.open(userId, issuer);
    const id = await this.sessions.begin(userId, request.id);
    const expected = request.isCompared ? await this.requests.expectedPerson(userId) : null;
    const opened = await orUnavailable('document-locker', () =>
      this.locker.open({ reference: id, redirectUrl, expected }),
    );
    await this.sessions.setOpened(id, opened.lockerId, opened.url, opened.expiresAt);
    return presentLockerSession((await this.sessions.find(userId, slug, id))!, false);
  }

  /** @throws AppError SVCUSER2902, 2443, 2903, 2404, 2431, 2432, 2433, 2434 */
  async show(userId: string, slug: string, sessionId: string): Promise<LockerSessionPayload> {
    const issuer = await this.issuerWithLocker(userId, slug);
    const session = isUuid(sessionId) ? await this.sessions.find(userId, slug, sessionId) : undefined;
    const request = session && (await this.records.find(userId, issuer.slug, session.ekycRequestId));
    if (!session || !request) throw new AppError('SVCUSER2903');
    if (session.refusalCode) throw new AppError(session.refusalCode);
    if (request.status === 'VERIFIED') return presentLockerSession(session, true);
    const outcome = await orUnavailable('document-locker', () => this.locker.outcome(session.lockerId!));
    switch (outcome.outcome) {
      case 'open':
        return presentLockerSession(session, false);
      case 'allowed':
        await this.requests.completeElsewhere(request, outcome);
        return presentLockerSession(session, true);
      case 'denied':
      case 'no-aadhaar':
      case 'expired':
      case 'another-person':
        return this.refuse(session, request, REFUSALS[outcome.outcome]);
    }
  }

  private async refuse(
    session: LockerSession,
    request: Parameters<EkycRequests['noteFailure']>[0],
    code: ErrorCode,
  ): Promise<never> {
    await this.sessions.setRefused(session.id, code);
    await this.requests.noteFailure(request, code);
    throw new AppError(code);
  }

  private async issuerWithLocker(userId: string, slug: string): Promise<Issuer> {
    const issuer = await this.currentIssuer.ofSlug(userId, slug);
    if (issuer.ekyc_method !== 'DIGILOCKER') throw new AppError('SVCUSER2443');
    return issuer;
  }
}
