import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type ErrorCode, GeneralErrors } from '@fd/errors';
import { type EntityManager, In, IsNull, Not, type Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { EkycMethod } from '../../config/index.js';
import { AuditTrail, type CallState, PiiCipher, SETTLED } from '../../core/index.js';
import { UsersRepository } from '../../identity/index.js';
import { JourneyRepository, type StepChange } from '../../journey/index.js';
import { PanClaims } from '../pan/pan-claims.repository.js';
import type { EkycProof, OpenedPage } from './ekyc-providers.port.js';
import { EkycStates, type ReturnAddress } from './redirection.js';
import { EkycRequestRow, type EkycRequestStatus, type FollowState } from '../entities/ekyc-request.entity.js';

/** Unsuccessful ends of a request. Prefixed with `EKYC_`, the reason of the failed step. */
export type EkycEnd = 'FAILED' | 'HOLDER_DIFFERS' | 'EXPIRED';

interface EkycRequestBasis {
  readonly userId: string;
  readonly issuer: string;
  readonly method: EkycMethod;
  /** Verification of the PAN whose holder the request must prove; null if no PAN was verified. */
  readonly comparedWith: string | null;
  /** Whether the previous request failed. */
  readonly isRetry: boolean;
}

export interface NewEkycRequest extends EkycRequestBasis {
  readonly returnTo: ReturnAddress | null;
}

export interface EkycRequest extends EkycRequestBasis, CallState<FollowState> {
  /** With the state of the request, if its origin is registered. */
  readonly redirectUrl: string | null;
  readonly status: EkycRequestStatus;
  /** The page that proved it: the request's own, or a locker session. */
  readonly pageId: string | null;
  /** Provider that opens it; null before the first try. */
  readonly provider: string | null;
  /** A secret: anyone with the link can use it. Null while REQUESTED. */
  readonly url: string | null;
  readonly expiresAt: Date | null;
  readonly aadhaarTransaction: string | null;
}

/** Purposes of the methods that need a consent of their own. */
const METHOD_PURPOSES = {
  AADHAAR_OTP: 'AADHAAR_EKYC',
  DIGILOCKER: 'DOCUMENT_LOCKER',
} as const satisfies Partial<Record<EkycMethod, string>>;

export type MethodPurpose = (typeof METHOD_PURPOSES)[keyof typeof METHOD_PURPOSES];

/** The purpose of a method; none if the consents of every step cover it. */
export const purposesOf = (method: EkycMethod): MethodPurpose[] =>
  method === 'HOSTED' ? [] : [METHOD_PURPOSES[method]];

type StepOwner = Pick<EkycRequest, 'id' | 'userId' | 'issuer'>;
type OwnStepChange = Pick<
  StepChange,
  'event' | 'reason' | 'onlyFrom' | 'isLimited' | 'isAnotherTry' | 'isAuditedIfChanged'
>;

/** Whether a failure is that of a try of its own, and not a repeat. */
export type FailedTry = Pick<StepChange, 'isAnotherTry'>;

const LIVE_STATUSES = ['REQUESTED', 'LINK_CREATED', 'IN_PROGRESS'] as const;
export const LIVE = { status: In(LIVE_STATUSES) };
/** As the predicate of the unique index. */
const IS_LIVE = "status IN ('REQUESTED', 'LINK_CREATED', 'IN_PROGRESS')";

/** Values of an UPDATE that ends the polling. */
const ENDED = { ...SETTLED, state: 'SETTLED', updatedAt: () => 'now()' } as const;

/** Retries if the request ends between its creation and the read. */
const MAX_ROUNDS = 5;

/** Requests for eKYC, updated together with their steps. A partial unique index allows one open request for a user and issuer. */
@Injectable()
export class EkycRequestsRepository {
  // eslint-disable-next-line max-params -- a request joins user, step, audit, claim and state
  constructor(
    @InjectRepository(EkycRequestRow) private readonly rows: Repository<EkycRequestRow>,
    private readonly cipher: PiiCipher,
    private readonly users: UsersRepository,
    private readonly journey: JourneyRepository,
    private readonly audit: AuditTrail,
    private readonly claims: PanClaims,
    private readonly states: EkycStates,
  ) {}

  /**
   * The newest request; first of those that were compared with this verification of a PAN, of which the verified one counts. One that
   * has verified a former PAN does not hide the open one.
   */
  async findCurrent(
    userId: string,
    issuer: string,
    comparedWith: string | null,
  ): Promise<EkycRequest | undefined> {
    const isAboutPan = 'r.comparedWith IS NOT DISTINCT FROM :comparedWith::uuid';
    const row = await this.rows
      .createQueryBuilder('r')
      .addSelect(isAboutPan, 'is_about_pan')
      .addSelect(`${isAboutPan} AND r.status = 'VERIFIED'`, 'is_verified')
      .where('r.userId = :userId AND r.issuerSlug = :issuer', { userId, issuer, comparedWith })
      .orderBy('is_about_pan', 'DESC')
      .addOrderBy('is_verified', 'DESC')
      .addOrderBy('r.createdAt', 'DESC')
      .addOrderBy('r.id', 'DESC')
      .limit(1)
      .getOne();
    return row ? this.opened(row) : undefined;
  }

  async findOfUser(userId: string, issuerSlug: string, id: string): Promise<EkycRequest | undefined> {
    const row = await this.rows.findOneBy({ id, userId, issuerSlug });
    return row ? this.opened(row) : undefined;
  }

  async findById(id: string, tx: EntityManager = this.rows.manager): Promise<EkycRequest> {
    return this.opened(await tx.findOneByOrFail(EkycRequestRow, { id }));
  }

  /** Locks a request and the user's others at the issuer in a fixed order, so that only one of them is verified. */
  async lockWithOthers(tx: EntityManager, { id, userId, issuer }: EkycRequest): Promise<EkycRequest> {
    const locked = await tx.find(EkycRequestRow, {
      where: { userId, issuerSlug: issuer },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    return this.opened(locked.find((row) => row.id === id)!);
  }

  /**
   * Returns the open request, or creates one. Parallel calls get the same one.
   * @throws GeneralErrors.unavailable if requests keep ending meanwhile
   */
  async findOpenOrCreate(request: NewEkycRequest): Promise<EkycRequest> {
    const { userId, issuer, method, returnTo, comparedWith, isRetry } = request;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const id = uuidv7();
      const redirectUrlEncrypted = this.sealReturn(returnTo, id);
      await this.rows
        .createQueryBuilder()
        .insert()
        .values({
          ...{ id, userId, issuerSlug: issuer, method, status: 'REQUESTED', redirectUrlEncrypted },
          ...{ isCompared: comparedWith !== null, comparedWith, isRetry, provider: null },
        })
        .orIgnore()
        .execute();
      // the conflicting request may have ended since; return only an open one
      const open = await this.rows.findOneBy({ userId, issuerSlug: issuer, ...LIVE });
      if (open && !(await this.addReturn(open, returnTo))) return this.opened(open);
    }
    throw GeneralErrors.unavailable();
  }

  /** Of a request that another method has begun, without an address for the hosted page. @returns whether it has changed */
  private async addReturn(open: EkycRequestRow, returnTo: NewEkycRequest['returnTo']): Promise<boolean> {
    if (!returnTo || open.redirectUrlEncrypted !== null) return false;
    const unsent = {
      id: open.id,
      status: 'REQUESTED',
      provider: IsNull(),
      redirectUrlEncrypted: IsNull(),
    } as const;
    const { affected } = await this.rows.update(unsent, {
      redirectUrlEncrypted: this.sealReturn(returnTo, open.id),
    });
    return affected === 1;
  }

  private sealReturn(returnTo: NewEkycRequest['returnTo'], id: string): string | null {
    const redirectUrl = returnTo && this.states.returnTo(returnTo, id);
    return redirectUrl ? this.cipher.encrypt(redirectUrl, locationOf(id, 'redirect_url')) : null;
  }

  async bind({ id, userId }: EkycRequest): Promise<void> {
    await this.rows.update({ id, userId, isBound: false }, { isBound: true });
  }

  /** Stores the provider before it opens the request. */
  async setProvider(id: string, provider: string): Promise<void> {
    await this.rows.update({ id, status: 'REQUESTED' }, { provider });
  }

  /** Stores the provider's link; the first one stays. */
  async setLink(request: EkycRequest, provider: string, { url, expiresAt }: OpenedPage): Promise<void> {
    const { id } = request;
    const urlEncrypted = this.cipher.encrypt(url, locationOf(id, 'url'));
    // an Aadhaar code was sent before the client asked for the link
    const status = (): string =>
      "CASE WHEN aadhaar_transaction IS NULL THEN 'LINK_CREATED' ELSE 'IN_PROGRESS' END";
    // the request may be older than its link, which is polled for its own time
    const now = () => 'now()';
    const link = { status, provider, urlEncrypted, expiresAt, updatedAt: now, dueSince: now } as const;
    await this.rows.manager.transaction(async (tx) => {
      const { affected } = await tx.update(EkycRequestRow, { id, status: 'REQUESTED' }, link);
      // a release of the PAN may have ended the request, and reset its step
      if (affected === 1) await this.recordStep(tx, request, { event: 'STARTED', isLimited: true });
    });
  }

  async setOpened(id: string): Promise<void> {
    await this.rows.update(
      { id, status: 'LINK_CREATED' },
      { status: 'IN_PROGRESS', updatedAt: () => 'now()' },
    );
  }

  /** Expires an open request. Its success may still arrive. @returns the current request */
  async expire({ id }: EkycRequest): Promise<EkycRequest> {
    await this.rows.manager.transaction((tx) => this.endOpen(tx, id, 'EXPIRED'));
    return this.findById(id);
  }

  /** Ends an open request and its polling. Decrypts nothing. */
  async end(
    tx: EntityManager,
    id: string,
    end: EkycEnd,
    state: 'SETTLED' | 'ABANDONED' = 'SETTLED',
  ): Promise<void> {
    await this.endOpen(tx, id, end);
    await tx.update(EkycRequestRow, { id }, { ...SETTLED, state });
  }

  /**
   * Verifies a request that has not failed, even an expired one, unless another request was verified or an operator has
   * blocked the user, who might otherwise take over a PAN. This is the only place that verifies. Ends the user's other
   * requests at the issuer. Does not complete the step if the name was compared with no PAN, or with a PAN that stays
   * another user's. The caller has locked the request.
   */
  async verify(
    tx: EntityManager,
    request: EkycRequest,
    { isFullDate, isBound, pageId, aadhaar }: EkycProof,
  ): Promise<void> {
    const { id, userId: subject, issuer, comparedWith } = request;
    const others = { userId: subject, issuerSlug: issuer, id: Not(id) };
    const isTaken = await tx.existsBy(EkycRequestRow, {
      ...{ ...others, status: 'VERIFIED' },
      comparedWith: comparedWith ?? IsNull(),
    });
    const mayBeVerified = !isTaken && !(await this.users.isBlocked(tx, subject));
    const aadhaarEncrypted =
      aadhaar && this.cipher.encrypt(JSON.stringify(aadhaar), locationOf(id, 'aadhaar'));
    const verified = {
      ...ENDED,
      status: 'VERIFIED',
      aadhaarEncrypted: aadhaarEncrypted ?? null,
      ...{ isFullDate, isBound, pageId },
    } as const;
    const { affected } = mayBeVerified
      ? await tx.update(EkycRequestRow, { id, status: Not(In(['VERIFIED', 'FAILED'])) }, verified)
      : { affected: 0 };
    if (affected !== 1) return this.end(tx, id, 'EXPIRED');
    const status = (): string => `CASE WHEN ${IS_LIVE} THEN 'EXPIRED' ELSE status END`;
    await tx.update(
      EkycRequestRow,
      {
        ...{ ...others, state: In(['DUE', 'FOLLOWED']) },
        ...(comparedWith === null ? { comparedWith: IsNull() } : {}),
      },
      { ...ENDED, status },
    );
    const isHolder = comparedWith !== null && (await this.claims.confirm(tx, subject, comparedWith));
    if (isHolder) await this.recordStep(tx, request, { event: 'COMPLETED', isAuditedIfChanged: true });
    else {
      await this.audit.record(tx, { action: 'EKYC_VERIFIED', subject, issuer, object: id });
      if (comparedWith !== null) await this.claims.notifyOfClaim(tx, subject, comparedWith);
    }
  }

  /** As `verify`, with the locks, in a transaction of its own. @returns the current request */
  async verifyNow(request: EkycRequest, proof: EkycProof): Promise<EkycRequest> {
    return this.rows.manager.transaction(async (tx) => {
      await this.verify(tx, await this.lockWithOthers(tx, request), proof);
      return this.findById(request.id, tx);
    });
  }

  /**
   * Assigns the PAN of a verified request to the user if another user owned it then and no longer does.
   * @returns whether the user owns it
   */
  async confirmAgain(request: EkycRequest): Promise<boolean> {
    const { userId, comparedWith } = request;
    return this.rows.manager.transaction(async (tx) => {
      await this.lockWithOthers(tx, request);
      const isHolder = comparedWith !== null && (await this.claims.confirm(tx, userId, comparedWith));
      if (isHolder) await this.recordStep(tx, request, { event: 'COMPLETED', isAuditedIfChanged: true });
      return isHolder;
    });
  }

  /**
   * Records a failed try of an open request, which stays open for another try or another method. Nothing of one that has
   * ended: an expired predecessor is not a failure.
   */
  async recordFailure(
    tx: EntityManager,
    request: EkycRequest,
    reason: ErrorCode,
    failedTry: FailedTry,
  ): Promise<void> {
    await this.recordOfOpen(tx, request, { event: 'FAILED', reason, ...failedTry });
  }

  /** Records the failed try of a person who has completed the request by another one: the step stays as it is. */
  async recordFailureOfDone(tx: EntityManager, request: EkycRequest, reason: ErrorCode): Promise<void> {
    const end = { event: 'FAILED', reason, isAnotherTry: true } as const;
    await this.recordStep(tx, request, { ...end, onlyFrom: ['DONE'] });
  }

  /** As `recordFailure`, in a transaction of its own. */
  async recordFailureNow(request: EkycRequest, reason: ErrorCode, failedTry: FailedTry = {}): Promise<void> {
    await this.rows.manager.transaction((tx) => this.recordFailure(tx, request, reason, failedTry));
  }

  /** @throws GeneralErrors.tooManyRequests if the step has changed too often today for another start */
  async requireStartable({ userId, issuer }: EkycRequest): Promise<void> {
    await this.journey.requireStartable(userId, 'EKYC', issuer);
  }

  /** Starts the step of an open request, also again after a failed try. */
  async recordStart(request: EkycRequest): Promise<void> {
    const change = { event: 'STARTED', isLimited: true, isAuditedIfChanged: true } as const;
    await this.rows.manager.transaction((tx) => this.recordOfOpen(tx, request, change));
  }

  private async recordStep(
    tx: EntityManager,
    { id, userId, issuer }: StepOwner,
    change: OwnStepChange,
  ): Promise<void> {
    await this.journey.record(tx, { userId, issuer, step: 'EKYC', object: id, ...change });
  }

  /** Changes the step unless the request has ended. Under its lock: an end in parallel comes before or after it. */
  private async recordOfOpen(tx: EntityManager, request: StepOwner, change: OwnStepChange): Promise<void> {
    const lock = { mode: 'for_no_key_update' } as const;
    const open = await tx.findOne(EkycRequestRow, { where: { id: request.id, ...LIVE }, lock });
    if (open) await this.recordStep(tx, request, change);
  }

  private async endOpen(tx: EntityManager, id: string, end: EkycEnd): Promise<void> {
    const lock = { mode: 'for_no_key_update' } as const;
    const open = await tx.findOne(EkycRequestRow, { where: { id, ...LIVE }, lock });
    if (!open) return;
    const status = end === 'EXPIRED' ? 'EXPIRED' : 'FAILED';
    await tx.update(EkycRequestRow, { id }, { status, updatedAt: () => 'now()' });
    // a step that another cause has reset or completed does not wait for the request
    const change = { event: 'FAILED', reason: `EKYC_${end}`, onlyFrom: ['IN_PROGRESS', 'FAILED'] } as const;
    await this.recordStep(tx, { id, userId: open.userId, issuer: open.issuerSlug }, change);
  }

  private opened(row: EkycRequestRow): EkycRequest {
    const { id, issuerSlug: issuer, urlEncrypted, redirectUrlEncrypted } = row;
    const open = (sealed: string | null, column: EncryptedColumn): string | null =>
      sealed && this.cipher.decrypt(sealed, locationOf(id, column));
    const redirectUrl = open(redirectUrlEncrypted, 'redirect_url');
    return { ...row, issuer, url: open(urlEncrypted, 'url'), redirectUrl };
  }
}

type EncryptedColumn = 'aadhaar' | 'url' | 'redirect_url';

const locationOf = (id: string, column: EncryptedColumn) => ({ table: 'ekyc_requests', column, id });
