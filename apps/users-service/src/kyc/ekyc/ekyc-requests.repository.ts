import { Injectable } from '@nestjs/common';
import { type ErrorCode, GeneralErrors } from '@fd/errors';
import { v7 as uuidv7 } from 'uuid';
import { Database, type Queryable, type Transaction } from '@fd/platform';
import type { EkycMethod } from '../../config/index.js';
import { AuditTrail, type CallState, LEASE_COLUMNS, PiiCipher, SETTLED } from '../../core/index.js';
import { isCovered } from '../../identity/index.js';
import { JourneyRepository, type StepChange } from '../../journey/index.js';
import { PanClaims } from '../pan/pan-claims.repository.js';
import type { EkycProof, OpenedPage } from './ekyc-providers.port.js';
import type { EkycRequestStatus } from './ekyc-request.entity.js';
import type { FollowState } from './follow-up.js';

/** Unsuccessful ends of a request. Prefixed with `EKYC_`, the reason of the failed step. */
export type EkycEnd = 'FAILED' | 'HOLDER_DIFFERS' | 'EXPIRED';

export interface NewEkycRequest {
  readonly userId: string;
  readonly issuer: string;
  readonly method: EkycMethod;
  readonly redirectUrl: string | null;
  /** Verification of the PAN whose holder the request must prove; null if no PAN was verified. */
  readonly comparedWith: string | null;
  /** Whether the previous request failed. */
  readonly isRetry: boolean;
}

export interface EkycRequest extends NewEkycRequest, CallState<FollowState> {
  readonly status: EkycRequestStatus;
  /** Provider that opens it; null before the first try. */
  readonly provider: string | null;
  /** A secret: anyone with the link can use it. Null while REQUESTED. */
  readonly url: string | null;
  readonly expiresAt: Date | null;
  readonly aadhaarTransaction: string | null;
  /** Whether the consents of the user still cover it. */
  readonly isCovered: boolean;
}

/** Purposes of the methods that need a consent of their own. */
const METHOD_PURPOSES = {
  AADHAAR_OTP: 'AADHAAR_EKYC',
  DIGILOCKER: 'DOCUMENT_LOCKER',
} as const satisfies Partial<Record<EkycMethod, string>>;

export type MethodPurpose = (typeof METHOD_PURPOSES)[keyof typeof METHOD_PURPOSES];

/** The purpose of a method; undefined if the consents of every step cover it. */
export const purposeOf = (method: EkycMethod): MethodPurpose | undefined =>
  method === 'HOSTED' ? undefined : METHOD_PURPOSES[method];

/** Tries with one Aadhaar code, independent of the provider's limit. */
export const MAX_AADHAAR_CHECKS = 5;

/** The part of a request that its step needs. */
type StepOwner = Pick<EkycRequest, 'id' | 'userId' | 'issuer'>;
type OwnStepChange = Pick<StepChange, 'event' | 'reason' | 'onlyFrom' | 'isLimited' | 'isAuditedIfChanged'>;

const LIVE = `status IN ('REQUESTED', 'LINK_CREATED', 'IN_PROGRESS')`;

/** A row with encrypted addresses. Its id is also the provider's reference. */
const FIELDS = `id, id AS "idempotencyKey", NULL AS receipt, ${LEASE_COLUMNS},
  user_id AS "userId", issuer_slug AS issuer, method, status, provider,
  redirect_url_encrypted AS "redirectUrl", url_encrypted AS url, expires_at AS "expiresAt",
  compared_with AS "comparedWith", is_retry AS "isRetry", aadhaar_transaction AS "aadhaarTransaction",
  CASE method ${Object.entries(METHOD_PURPOSES)
    .map(([method, purpose]) => `WHEN '${method}' THEN ${isCovered('ekyc_requests.user_id', purpose)}`)
    .join(' ')}
    ELSE ${isCovered('ekyc_requests.user_id')} END AS "isCovered"`;

/** Retries if the request ends between its creation and the read. */
const MAX_ROUNDS = 5;

/**
 * Requests for eKYC, updated together with their steps. A partial unique index allows one open request for a user and
 * issuer.
 */
@Injectable()
export class EkycRequestsRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
    private readonly journey: JourneyRepository,
    private readonly audit: AuditTrail,
    private readonly claims: PanClaims,
  ) {}

  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  /**
   * Returns the verified request, else the newest one; prefers requests that were compared with this verification of a
   * PAN.
   */
  async findCurrent(
    userId: string,
    issuer: string,
    comparedWith: string | null,
  ): Promise<EkycRequest | undefined> {
    const order = `ORDER BY (compared_with IS NOT DISTINCT FROM $3::uuid) DESC, (status = 'VERIFIED') DESC,
      created_at DESC, id DESC LIMIT 1`;
    return this.findOne(`user_id = $1 AND issuer_slug = $2 ${order}`, [userId, issuer, comparedWith]);
  }

  async findOfUser(userId: string, issuer: string, id: string): Promise<EkycRequest | undefined> {
    return this.findOne('id = $3 AND user_id = $1 AND issuer_slug = $2', [userId, issuer, id]);
  }

  async findById(id: string, connection?: Queryable): Promise<EkycRequest> {
    return (await this.findOne('id = $1', [id], connection))!;
  }

  /** Locks a request and the user's others at the issuer in a fixed order, so that only one of them is verified. */
  async lockWithOthers(transaction: Transaction, { id, userId, issuer }: EkycRequest): Promise<EkycRequest> {
    await transaction.query(
      'SELECT FROM onboarding.ekyc_requests WHERE user_id = $1 AND issuer_slug = $2 ORDER BY id FOR UPDATE',
      [userId, issuer],
    );
    return this.findById(id, transaction);
  }

  /**
   * Returns the open request, or creates one. Parallel calls get the same one.
   * @throws GeneralErrors.unavailable if requests keep ending meanwhile
   */
  async findOpenOrCreate(request: NewEkycRequest): Promise<EkycRequest> {
    const { userId, issuer, method, redirectUrl, comparedWith, isRetry } = request;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const id = uuidv7();
      const sealed = redirectUrl && this.cipher.encrypt(redirectUrl, locationOf(id, 'redirect_url'));
      await this.database.query(
        `INSERT INTO onboarding.ekyc_requests
           (id, user_id, issuer_slug, method, status, redirect_url_encrypted, is_compared, compared_with, is_retry, provider)
         VALUES ($1, $2, $3, $4, 'REQUESTED', $5, $6::uuid IS NOT NULL, $6, $7, NULL)
         ON CONFLICT (user_id, issuer_slug) WHERE ${LIVE} DO NOTHING`,
        [id, userId, issuer, method, sealed, comparedWith, isRetry],
      );
      // the conflicting request may have ended since; return only an open one
      const open = await this.findOne(`user_id = $1 AND issuer_slug = $2 AND ${LIVE}`, [userId, issuer]);
      if (open) return open;
    }
    throw GeneralErrors.unavailable();
  }

  /** Stores the provider before it opens the request. */
  async setProvider(id: string, provider: string): Promise<void> {
    await this.update('provider = $2', `status = 'REQUESTED'`, [id, provider]);
  }

  /** Stores the provider's link; the first one stays. */
  async setLink(request: EkycRequest, provider: string, { url, expiresAt }: OpenedPage): Promise<void> {
    const sealed = this.cipher.encrypt(url, locationOf(request.id, 'url'));
    // an Aadhaar code was sent before the client asked for the link
    const status = `CASE WHEN aadhaar_transaction IS NULL THEN 'LINK_CREATED' ELSE 'IN_PROGRESS' END`;
    const assignments = `status = ${status}, provider = $2, url_encrypted = $3, expires_at = $4, updated_at = now()`;
    await this.database.transaction(async (transaction) => {
      const values = [request.id, provider, sealed, expiresAt];
      const isSet = await this.update(assignments, `status = 'REQUESTED'`, values, transaction);
      // a release of the PAN may have ended the request, and reset its step
      if (isSet) await this.recordStep(request, { event: 'STARTED', isLimited: true }, transaction);
    });
  }

  async setOpened(id: string): Promise<void> {
    await this.update(`status = 'IN_PROGRESS', updated_at = now()`, `status = 'LINK_CREATED'`, [id]);
  }

  /** Expires an open request. Its success may still arrive. @returns the current request */
  async expire({ id }: EkycRequest): Promise<EkycRequest> {
    await this.database.transaction((transaction) => this.endOpen(transaction, id, 'EXPIRED'));
    return this.findById(id);
  }

  /** Ends an open request and its polling. Decrypts nothing. */
  async end(
    transaction: Transaction,
    id: string,
    end: EkycEnd,
    state: 'SETTLED' | 'ABANDONED' = 'SETTLED',
  ): Promise<void> {
    await this.endOpen(transaction, id, end);
    await this.update(`state = $2, ${SETTLED}`, 'true', [id, state], transaction);
  }

  /**
   * Verifies a request that has not failed, even an expired one, unless another request was verified or an operator has
   * blocked the user, who might otherwise take over a PAN. This is the only place that verifies. Ends the user's other
   * requests at the issuer. Does not complete the step if the name was compared with no PAN, or with a PAN that stays
   * another user's. The caller has locked the request.
   */
  async verify(
    transaction: Transaction,
    request: EkycRequest,
    { isFullDate, aadhaar }: EkycProof,
  ): Promise<void> {
    const { id, userId: subject, issuer, comparedWith } = request;
    const sealed = aadhaar && this.cipher.encrypt(JSON.stringify(aadhaar), locationOf(id, 'aadhaar'));
    const others = 'user_id = $2 AND issuer_slug = $3 AND id <> $1';
    const isVerified = await this.update(
      `status = 'VERIFIED', aadhaar_encrypted = $5, is_full_date = $6, updated_at = now(), state = 'SETTLED', ${SETTLED}`,
      `status NOT IN ('VERIFIED', 'FAILED')
       AND NOT EXISTS (SELECT FROM onboarding.users u WHERE u.id = $2 AND u.blocked_at IS NOT NULL) AND NOT EXISTS (
         SELECT FROM onboarding.ekyc_requests WHERE ${others} AND compared_with IS NOT DISTINCT FROM $4 AND status = 'VERIFIED')`,
      [id, subject, issuer, comparedWith, sealed ?? null, isFullDate],
      transaction,
    );
    if (!isVerified) return this.end(transaction, id, 'EXPIRED');
    await transaction.query(
      `UPDATE onboarding.ekyc_requests
          SET status = CASE WHEN ${LIVE} THEN 'EXPIRED' ELSE status END, updated_at = now(), state = 'SETTLED', ${SETTLED}
        WHERE ${others} AND ($4::uuid IS NOT NULL OR compared_with IS NULL) AND state IN ('DUE', 'FOLLOWED')`,
      [id, subject, issuer, comparedWith],
    );
    const isHolder = comparedWith !== null && (await this.claims.confirm(transaction, subject, comparedWith));
    if (isHolder) await this.recordStep(request, { event: 'COMPLETED' }, transaction);
    else await this.audit.record(transaction, { action: 'EKYC_VERIFIED', subject, issuer, object: id });
  }

  /**
   * Assigns the PAN of a verified request to the user if another user owned it then and no longer does.
   * @returns whether the user owns it
   */
  async confirmAgain(request: EkycRequest): Promise<boolean> {
    const { userId, comparedWith } = request;
    return this.database.transaction(async (transaction) => {
      await this.lockWithOthers(transaction, request);
      const isHolder =
        comparedWith !== null && (await this.claims.confirm(transaction, userId, comparedWith));
      if (isHolder) await this.recordStep(request, { event: 'COMPLETED' }, transaction);
      return isHolder;
    });
  }

  /**
   * Records a failed try of an open request, which stays open for another try or another method. Nothing of one that has
   * ended: an expired predecessor is not a failure.
   */
  async recordFailure(request: EkycRequest, reason: ErrorCode, transaction?: Transaction): Promise<void> {
    await this.recordOfOpen(request, { event: 'FAILED', reason }, transaction);
  }

  /** @throws GeneralErrors.tooManyRequests if the step has changed too often today for another start */
  async requireStartable({ userId, issuer }: EkycRequest): Promise<void> {
    await this.journey.requireStartable(userId, 'EKYC', issuer);
  }

  /** Starts the step of an open request, also again after a failed try. */
  async recordStart(request: EkycRequest): Promise<void> {
    await this.recordOfOpen(request, { event: 'STARTED', isLimited: true, isAuditedIfChanged: true });
  }

  /** Stores the transaction of a sent code. A request without a link stays REQUESTED, so that it can get one. */
  async setAadhaarTransaction(id: string, transaction: string): Promise<void> {
    const status = `CASE status WHEN 'REQUESTED' THEN status ELSE 'IN_PROGRESS' END`;
    const assignments = `aadhaar_transaction = $2, aadhaar_checks = 0, status = ${status}, updated_at = now()`;
    await this.update(assignments, LIVE, [id, transaction]);
  }

  /** Counts a check of the latest code before it is made. @returns the checks left after it; undefined without one left */
  async takeAadhaarCheck({ id, aadhaarTransaction }: EkycRequest): Promise<number | undefined> {
    const [taken] = await this.database.query<{ checksLeft: number }[]>(
      `UPDATE onboarding.ekyc_requests SET aadhaar_checks = aadhaar_checks + 1
        WHERE id = $1 AND aadhaar_transaction = $2 AND aadhaar_checks < $3 AND (${LIVE} OR status = 'EXPIRED')
        RETURNING $3 - aadhaar_checks AS "checksLeft"`,
      [id, aadhaarTransaction, MAX_AADHAAR_CHECKS],
    );
    return taken?.checksLeft;
  }

  async giveAadhaarCheckBack({ id, aadhaarTransaction }: EkycRequest): Promise<void> {
    const condition = 'aadhaar_transaction = $2 AND aadhaar_checks > 0';
    await this.update('aadhaar_checks = aadhaar_checks - 1', condition, [id, aadhaarTransaction]);
  }

  /** @param values the id first @returns whether this call changed the request */
  private async update(
    assignments: string,
    condition: string,
    values: unknown[],
    connection: Queryable = this.database,
  ): Promise<boolean> {
    const count = await connection.execute(
      `UPDATE onboarding.ekyc_requests SET ${assignments} WHERE id = $1 AND ${condition}`,
      values,
    );
    return count > 0;
  }

  private async recordStep(
    { id, userId, issuer }: StepOwner,
    change: OwnStepChange,
    connection: Queryable = this.database,
  ): Promise<void> {
    await this.journey.record(connection.manager, { userId, issuer, step: 'EKYC', object: id, ...change });
  }

  /** Changes the step unless the request has ended. Under its lock: an end in parallel comes before or after it. */
  private async recordOfOpen(
    request: StepOwner,
    change: OwnStepChange,
    transaction?: Transaction,
  ): Promise<void> {
    if (!transaction) return this.database.transaction((own) => this.recordOfOpen(request, change, own));
    const [open] = await transaction.query<object[]>(
      `SELECT 1 FROM onboarding.ekyc_requests WHERE id = $1 AND ${LIVE} FOR NO KEY UPDATE`,
      [request.id],
    );
    if (open) await this.recordStep(request, change, transaction);
  }

  private async endOpen(transaction: Transaction, id: string, end: EkycEnd): Promise<void> {
    const [ended] = await transaction.query<StepOwner[]>(
      `UPDATE onboarding.ekyc_requests SET status = $2, updated_at = now() WHERE id = $1 AND ${LIVE}
       RETURNING id, user_id AS "userId", issuer_slug AS issuer`,
      [id, end === 'EXPIRED' ? 'EXPIRED' : 'FAILED'],
    );
    // a step that another cause has reset or completed does not wait for the request
    const change = { event: 'FAILED', reason: `EKYC_${end}`, onlyFrom: ['IN_PROGRESS', 'FAILED'] } as const;
    if (ended) await this.recordStep(ended, change, transaction);
  }

  private async findOne(
    condition: string,
    values: (string | null)[],
    connection: Queryable = this.database,
  ): Promise<EkycRequest | undefined> {
    const [row] = await connection.query<EkycRequest[]>(
      `SELECT ${FIELDS} FROM onboarding.ekyc_requests WHERE ${condition}`,
      values,
    );
    if (!row) return undefined;
    const open = (sealed: string | null, column: EncryptedColumn): string | null =>
      sealed && this.cipher.decrypt(sealed, locationOf(row.id, column));
    return { ...row, url: open(row.url, 'url'), redirectUrl: open(row.redirectUrl, 'redirect_url') };
  }
}

type EncryptedColumn = 'aadhaar' | 'url' | 'redirect_url';

const locationOf = (id: string, column: EncryptedColumn) => ({ table: 'ekyc_requests', column, id });
