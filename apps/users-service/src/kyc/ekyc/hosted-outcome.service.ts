import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock } from '@fd/platform';
import type { EntityManager } from 'typeorm';
import { type DurableCall, DurableCalls, type ProviderAnswer, settledWith } from '../../core/index.js';
import { ConsentsRepository, UsersRepository } from '../../identity/index.js';
import { orUnavailable, type ProviderList } from '../../integrations/index.js';
import { IssuerDirectory } from '../../journey/index.js';
import { type EkycProof, type ExpectedPerson, HOSTED_EKYC, type HostedEkyc } from './ekyc-providers.port.js';
import { EKYC_REQUESTS } from '../kyc.calls.js';
import {
  type EkycEnd,
  type EkycRequest,
  EkycRequestsRepository,
  purposesOf,
} from './ekyc-requests.repository.js';
import { ExpectedPersons } from './expected-persons.service.js';
import { beyondRequest, FOLLOW_UP, isSlow, LATE_MS, leaseSecondsFor, stepInTime } from './follow-up.js';
import { hasFullDate, isSamePerson } from './person-comparison.js';

type HostedResult = EkycProof | EkycEnd;

/** Opens requests and polls them until their outcome on the hosted page: for each polling client, else by the worker. */
@Injectable()
export class HostedOutcome implements DurableCall<EkycRequest, HostedResult> {
  readonly name = 'ekyc';
  readonly kind = EKYC_REQUESTS;
  readonly transitions = FOLLOW_UP.transitions;
  readonly firstPollSeconds = FOLLOW_UP.firstPollSeconds;
  readonly lastPollSeconds = FOLLOW_UP.lastPollSeconds;
  readonly isPolledByRequests = true;
  readonly leaseSeconds: number;
  private readonly logger = new Logger(HostedOutcome.name);

  // eslint-disable-next-line max-params -- a link is made from the request, the user, the expected person and the issuer
  constructor(
    private readonly calls: DurableCalls,
    private readonly requests: EkycRequestsRepository,
    private readonly persons: ExpectedPersons,
    private readonly clock: Clock,
    private readonly issuers: IssuerDirectory,
    private readonly users: UsersRepository,
    private readonly consents: ConsentsRepository,
    @Inject(HOSTED_EKYC) private readonly providers: ProviderList<HostedEkyc>,
  ) {
    this.leaseSeconds = leaseSecondsFor(providers.inOrder);
  }

  /**
   * Polls the provider and returns the request; a slow provider is polled in the background, and the last known state is
   * returned. Opens a request that has no link yet; if time runs out, the result has none either.
   * @throws EkycErrors.unavailable
   */
  async poll(request: EkycRequest): Promise<EkycRequest> {
    const step = orUnavailable('ekyc', () => this.calls.bringToResult(this, request));
    const openedAt = request.url && request.provider;
    return (await stepInTime(isSlow(this.providers.inOrder, openedAt), step)) ?? this.find(request.id);
  }

  async find(id: string): Promise<EkycRequest> {
    return this.requests.findById(id);
  }

  async ask(request: EkycRequest): Promise<ProviderAnswer<HostedResult>> {
    const { id, userId, method, status, expiresAt } = request;
    if (status === 'VERIFIED') return settledWith('EXPIRED');
    if (!(await this.consents.cover(userId, ...purposesOf(method)))) return settledWith('EXPIRED');
    const expected = await this.persons.ofRequest(request);
    if (expected === undefined) return settledWith('EXPIRED');
    if (status === 'REQUESTED') {
      const isOpened = await this.open(request, expected);
      // the client's repeat opens another one
      return isOpened ? { state: 'accepted' } : settledWith('EXPIRED');
    }
    // a request without a link ended before its use; other ends are final
    if (!expiresAt) return settledWith('EXPIRED');
    const provider = this.providers.named(request.provider!);
    const hosted = await beyondRequest(provider, () => provider.state(id));
    // a request that the provider no longer knows can never end
    if (hosted === undefined) return settledWith('EXPIRED');
    if (hosted.state === 'verified') {
      const { person } = hosted;
      if (expected && !isSamePerson(expected, person)) return settledWith('HOLDER_DIFFERS');
      const isBound = await this.users.isOwnPhone(userId, person.phone);
      return settledWith({ isFullDate: hasFullDate(person), isBound, pageId: id });
    }
    if (hosted.state === 'failed') return settledWith('FAILED');
    const lateMs = this.clock.now().getTime() - expiresAt.getTime();
    if (lateMs > LATE_MS) return settledWith('EXPIRED');
    // uses our clock too: a link about to expire is not returned
    if (lateMs >= 0 || hosted.state === 'expired') await this.requests.expire(request);
    else if (hosted.state === 'opened') await this.requests.setOpened(id);
    return { state: 'accepted' };
  }

  async lock(tx: EntityManager, request: EkycRequest): Promise<EkycRequest> {
    return this.requests.lockWithOthers(tx, request);
  }

  async settle(tx: EntityManager, request: EkycRequest, result: HostedResult): Promise<void> {
    if (typeof result === 'string') await this.requests.end(tx, request.id, result);
    else await this.requests.verify(tx, request, result);
  }

  /** Opens the request at one provider only: each try sends the id of the request, and the provider is recorded before the call. */
  private async open(request: EkycRequest, expected: ExpectedPerson | null): Promise<boolean> {
    const { id, userId, issuer, method, redirectUrl } = request;
    const visit = {
      phone: await this.users.phoneOf(userId),
      reference: id,
      issuerCode: this.issuers.bySlug(issuer).code,
      method,
      redirectUrl,
      expected,
    };
    return this.providers.begin(request.provider, async (provider) => {
      await this.requests.setProvider(id, provider.name);
      const page = await beyondRequest(provider, () => provider.open(visit));
      if (page) await this.requests.setLink(request, provider.name, page);
      return page !== undefined;
    });
  }

  async giveUp(tx: EntityManager, id: string): Promise<void> {
    this.logger.error({ msg: 'an eKYC request was given up', ekyc_request_id: id });
    await this.requests.end(tx, id, 'EXPIRED', 'ABANDONED');
  }
}
