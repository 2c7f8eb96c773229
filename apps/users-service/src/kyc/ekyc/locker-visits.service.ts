import { Inject, Injectable, Logger } from '@nestjs/common';
import { remainingMs, timeLimit } from '@fd/envelope';
import { type ErrorDefinition, LockerErrors } from '@fd/errors';
import { Clock } from '@fd/platform';
import type { EntityManager } from 'typeorm';
import { type DurableCall, DurableCalls, type ProviderAnswer, settledWith } from '../../core/index.js';
import { ConsentsRepository, UsersRepository } from '../../identity/index.js';
import { orUnavailable, type ProviderList } from '../../integrations/index.js';
import { LOCKER_SESSIONS } from '../kyc.calls.js';
import {
  DOCUMENT_LOCKER,
  type DocumentLocker,
  type EkycProof,
  type ExpectedPerson,
  type LockerOutcome,
} from './ekyc-providers.port.js';
import { type EkycRequest, EkycRequestsRepository } from './ekyc-requests.repository.js';
import { ExpectedPersons } from './expected-persons.service.js';
import { beyondRequest, FOLLOW_UP, isSlow, LATE_MS, leaseSecondsFor, stepInTime } from './follow-up.js';
import { type LockerSession, LockerSessionsRepository } from './locker-sessions.repository.js';
import { hasFullDate, isSamePerson } from './person-comparison.js';
import { EkycStates, type ReturnAddress } from './redirection.js';

/** `obsolete`: the eKYC request ended another way, must be repeated, or lacks a consent. */
type VisitResult =
  | ({ readonly outcome: 'allowed' } & Required<EkycProof>)
  | {
      readonly outcome: Exclude<LockerOutcome['outcome'], 'open' | 'allowed'> | 'obsolete';
    };

/** Remaining time of a request that has waited in vain. */
const OUT_OF_TIME_MS = timeLimit(700);

interface LockedVisit extends LockerSession {
  readonly request: EkycRequest;
}

const REFUSALS: Readonly<Record<Exclude<VisitResult['outcome'], 'allowed'>, ErrorDefinition>> = {
  denied: LockerErrors.consentDenied,
  'no-aadhaar': LockerErrors.noAadhaar,
  expired: LockerErrors.sessionExpired,
  'another-person': LockerErrors.holderDiffers,
  obsolete: LockerErrors.sessionExpired,
};

/** Ends that are kept even if another session has completed the eKYC: the person caused them in this session. */
const OWN_ENDS: ReadonlySet<VisitResult['outcome']> = new Set(['denied', 'another-person'] as const);

/** Opens sessions at the document locker and polls them until their outcome, as `HostedOutcome` does for requests. */
@Injectable()
export class LockerVisits implements DurableCall<LockerSession, VisitResult, LockedVisit> {
  readonly name = 'document-locker';
  readonly kind = LOCKER_SESSIONS;
  readonly transitions = FOLLOW_UP.transitions;
  readonly firstPollSeconds = FOLLOW_UP.firstPollSeconds;
  readonly lastPollSeconds = FOLLOW_UP.lastPollSeconds;
  readonly isPolledByRequests = true;
  readonly leaseSeconds: number;
  private readonly logger = new Logger(LockerVisits.name);

  // eslint-disable-next-line max-params -- a visit is made from the session, the request, the expected person and the consents
  constructor(
    private readonly calls: DurableCalls,
    private readonly sessions: LockerSessionsRepository,
    private readonly requests: EkycRequestsRepository,
    private readonly persons: ExpectedPersons,
    private readonly consents: ConsentsRepository,
    private readonly clock: Clock,
    private readonly users: UsersRepository,
    private readonly states: EkycStates,
    @Inject(DOCUMENT_LOCKER) private readonly providers: ProviderList<DocumentLocker>,
  ) {
    this.leaseSeconds = leaseSecondsFor(providers.inOrder);
  }

  /** @throws EkycErrors.unavailable */
  async poll(session: LockerSession): Promise<LockerSession> {
    return this.step(this, session);
  }

  /** Whether a running poll takes longer than the current request can wait. */
  isUnderWay(session: LockerSession): boolean {
    // a request that got its answer in time is up to date, even while another one polls
    return session.isLeased && this.isSlow(session) && remainingMs() < OUT_OF_TIME_MS;
  }

  /**
   * Opens a session unless it is open already, and starts the step; one caller at a time. The result has no link if time
   * ran out.
   * @param returnTo return address, which is not stored
   * @throws EkycErrors.unavailable; GeneralErrors.tooManyRequests if the step has changed too often today
   */
  async openAt(
    session: LockerSession,
    request: EkycRequest,
    returnTo: ReturnAddress | null,
  ): Promise<LockerSession> {
    await this.requests.requireStartable(request);
    const ask = (row: LockerSession) => this.ask(row, returnTo);
    const opening = Object.create(this, { ask: { value: ask } }) as this;
    const opened = await this.step(opening, session);
    if (opened.lockerId) await this.requests.recordStart(request);
    return opened;
  }

  async find(id: string): Promise<LockerSession> {
    return this.sessions.findById(id);
  }

  async ask(
    session: LockerSession,
    returnTo: ReturnAddress | null = null,
  ): Promise<ProviderAnswer<VisitResult>> {
    const { userId, lockerId, expiresAt } = session;
    const request = await this.requests.findById(session.ekycRequestId);
    if (!(await this.consents.cover(userId, 'DOCUMENT_LOCKER'))) return settledWith({ outcome: 'obsolete' });
    // an opened session keeps its own end, even after another one has completed the eKYC
    if (request.status === 'VERIFIED' && lockerId === null) return settledWith({ outcome: 'obsolete' });
    const expected = await this.persons.ofRequest(request);
    if (expected === undefined) return settledWith({ outcome: 'obsolete' });
    if (lockerId === null) {
      const isOpened = await this.open(session, returnTo, expected);
      return isOpened ? { state: 'accepted' } : settledWith({ outcome: 'obsolete' });
    }
    const provider = this.providers.named(session.provider!);
    const answer = await beyondRequest(provider, () => provider.outcome(lockerId));
    if (answer.outcome === 'allowed') {
      const { outcome, person, ...aadhaar } = answer;
      if (expected && !isSamePerson(expected, person)) return settledWith({ outcome: 'another-person' });
      const isBound = await this.users.isOwnPhone(userId, person.phone);
      return settledWith({ outcome, isFullDate: hasFullDate(person), isBound, pageId: session.id, aadhaar });
    }
    if (answer.outcome !== 'open') return settledWith({ outcome: answer.outcome });
    const lateMs = this.clock.now().getTime() - expiresAt!.getTime();
    return lateMs > LATE_MS ? settledWith({ outcome: 'expired' }) : { state: 'accepted' };
  }

  async lock(tx: EntityManager, { id, ekycRequestId }: LockerSession): Promise<LockedVisit> {
    const request = await this.requests.lockWithOthers(tx, await this.requests.findById(ekycRequestId, tx));
    return { ...(await this.sessions.lockById(tx, id)), request };
  }

  async settle(tx: EntityManager, { id, request }: LockedVisit, result: VisitResult): Promise<void> {
    const isVerified = request.status === 'VERIFIED';
    if (result.outcome === 'allowed') {
      if (!isVerified) await this.requests.verify(tx, request, result);
    } else if (result.outcome !== 'obsolete') {
      // two sessions of a request may be open at once
      const { code } = REFUSALS[result.outcome];
      if (!isVerified) await this.requests.recordFailure(tx, request, code, { isAnotherTry: true });
      else if (OWN_ENDS.has(result.outcome)) await this.requests.recordFailureOfDone(tx, request, code);
    }
    const refusal = REFUSALS[result.outcome === 'allowed' ? 'obsolete' : result.outcome];
    const { status } = await this.requests.findById(request.id, tx);
    const isMoot = status === 'VERIFIED' && !OWN_ENDS.has(result.outcome);
    await this.sessions.settle(tx, id, isMoot ? null : refusal.code);
  }

  /** A step at a slow provider continues after the answer to the request that started it. */
  private async step(call: this, session: LockerSession): Promise<LockerSession> {
    const step = orUnavailable('document-locker', () => this.calls.bringToResult(call, session));
    return (await stepInTime(this.isSlow(session), step)) ?? this.find(session.id);
  }

  private isSlow({ lockerId, provider }: LockerSession): boolean {
    return isSlow(this.providers.inOrder, lockerId && provider);
  }

  private async open(
    { id, provider: chosen }: LockerSession,
    returnTo: ReturnAddress | null,
    expected: ExpectedPerson | null,
  ): Promise<boolean> {
    const at = async (provider: DocumentLocker): Promise<boolean> => {
      await this.sessions.setProvider(id, provider.name);
      const { isOverOnceReturned } = provider;
      const redirectUrl =
        returnTo && (isOverOnceReturned ? this.states.returnTo(returnTo, id) : returnTo.url);
      const visit = { reference: id, redirectUrl, expected };
      const opened = await beyondRequest(provider, () => provider.open(visit));
      if (opened) await this.sessions.setOpened(id, provider.name, opened);
      return opened !== undefined;
    };
    // nobody has the link of a session whose answer was lost, and it costs nothing
    return this.providers.begin(chosen, at, { isHarmless: true });
  }

  async giveUp(tx: EntityManager, id: string): Promise<void> {
    this.logger.error({ msg: 'a locker session was given up', session_id: id });
    await this.sessions.settle(tx, id, REFUSALS.expired.code, 'ABANDONED');
  }
}
