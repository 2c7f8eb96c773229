import { Injectable } from '@nestjs/common';
import { type ErrorCode, GeneralErrors } from '@fd/errors';
import { v7 as uuidv7 } from 'uuid';
import { Database, type Queryable, type Transaction } from '@fd/platform';
import { type CallState, KeyedHash, LEASE_COLUMNS, PiiCipher, SETTLED } from '../../core/index.js';
import { isCovered, secondsUntilNext } from '../../identity/index.js';
import type { OpenedLocker } from './ekyc-providers.port.js';
import type { EkycRequest } from './ekyc-requests.repository.js';
import type { FollowState } from './follow-up.js';

/** The id is also the idempotency key at the locker. */
export interface LockerSession extends CallState<FollowState> {
  readonly ekycRequestId: string;
  /** Provider that opens it; null before the first try. */
  readonly provider: string | null;
  /** Null until the locker has opened it, like the next two fields. */
  readonly lockerId: string | null;
  readonly url: string | null;
  readonly expiresAt: Date | null;
  /** Code of an unsuccessful end, returned for each poll unless a success arrives late. */
  readonly refusalCode: ErrorCode | null;
  /** Whether the consents of the user still cover reading their document. */
  readonly isCovered: boolean;
}

/** The address is still encrypted. */
const FIELDS = `id, id AS "idempotencyKey", NULL AS receipt, ${LEASE_COLUMNS},
  ekyc_request_id AS "ekycRequestId", provider, locker_id AS "lockerId", url_encrypted AS url,
  expires_at AS "expiresAt", refusal_code AS "refusalCode",
  ${isCovered('locker_sessions.user_id', 'DOCUMENT_LOCKER')} AS "isCovered"`;

/** Maximum of locker sessions of a user within 24 hours. */
export const MAX_LOCKER_SESSIONS_PER_DAY = 20;

const COUNTED = { table: 'locker_sessions', time: 'created_at', max: MAX_LOCKER_SESSIONS_PER_DAY } as const;

/** Sessions at the document locker, each for one request for eKYC. */
@Injectable()
export class LockerSessionsRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
  ) {}

  /**
   * Returns the open session of a request and a return address, even an expired one whose end the locker has not
   * reported; creates and counts one if none is open. Parallel calls, and a call after a crash, get the same session.
   * @throws GeneralErrors.tooManyRequests
   */
  async findOpenOrCreate(request: EkycRequest, redirectUrl: string | null): Promise<LockerSession> {
    const redirectIndex = redirectUrl && this.hash.digest('locker_sessions.redirect', redirectUrl);
    const visit = [request.userId, request.id, redirectIndex];
    const originIndex = redirectUrl && this.originIndexOf(new URL(redirectUrl).origin);
    return this.database.transaction(async (transaction) => {
      // locks before the search for an open session
      const retryAfterSeconds = await secondsUntilNext(transaction, COUNTED, request.userId);
      const [open] = await transaction.query<LockerSession[]>(
        `SELECT ${FIELDS} FROM onboarding.locker_sessions
          WHERE user_id = $1 AND ekyc_request_id = $2 AND redirect_index IS NOT DISTINCT FROM $3
            AND refusal_code IS NULL
          ORDER BY created_at DESC LIMIT 1`,
        visit,
      );
      if (open) return this.opened(open);
      if (retryAfterSeconds > 0) throw GeneralErrors.tooManyRequests({ retryAfterSeconds });
      const [made] = await transaction.query<[LockerSession]>(
        `INSERT INTO onboarding.locker_sessions (user_id, ekyc_request_id, redirect_index, id, created_at, provider, origin_index)
         VALUES ($1, $2, $3, $4, clock_timestamp(), NULL, $5) RETURNING ${FIELDS}`,
        [...visit, uuidv7(), originIndex],
      );
      return this.opened(made);
    });
  }

  /** Stores the provider before it opens the session. */
  async setProvider(id: string, provider: string): Promise<void> {
    await this.database.query(
      'UPDATE onboarding.locker_sessions SET provider = $2 WHERE id = $1 AND locker_id IS NULL',
      [id, provider],
    );
  }

  /** Stores an opened session. The first answer wins. */
  async setOpened(id: string, provider: string, { lockerId, url, expiresAt }: OpenedLocker): Promise<void> {
    await this.database.query(
      `UPDATE onboarding.locker_sessions SET provider = $2, locker_id = $3, url_encrypted = $4, expires_at = $5
        WHERE id = $1 AND locker_id IS NULL`,
      [id, provider, lockerId, this.cipher.encrypt(url, locationOf(id)), expiresAt],
    );
  }

  /** Refuses a session that is still followed. The first refusal stays. */
  async setRefused(id: string, code: ErrorCode): Promise<void> {
    await this.database.query(
      'UPDATE onboarding.locker_sessions SET refusal_code = $2 WHERE id = $1 AND refusal_code IS NULL',
      [id, code],
    );
  }

  async lockById(transaction: Transaction, id: string): Promise<LockerSession> {
    await transaction.query('SELECT FROM onboarding.locker_sessions WHERE id = $1 FOR UPDATE', [id]);
    return this.findById(id, transaction);
  }

  /** Ends the polling of a session. @param code of an unsuccessful end; null if the eKYC is verified */
  async settle(
    transaction: Transaction,
    id: string,
    code: ErrorCode | null,
    state: 'SETTLED' | 'ABANDONED' = 'SETTLED',
  ): Promise<void> {
    await transaction.query(
      `UPDATE onboarding.locker_sessions SET refusal_code = $2, state = $3, ${SETTLED} WHERE id = $1`,
      [id, code, state],
    );
  }

  async findById(id: string, connection: Queryable = this.database): Promise<LockerSession> {
    const [row] = await connection.query<[LockerSession]>(
      `SELECT ${FIELDS} FROM onboarding.locker_sessions WHERE id = $1`,
      [id],
    );
    return this.opened(row);
  }

  /**
   * A session that the locker has opened.
   * @param origins to which it may return; none means any
   */
  async findOpened(
    userId: string,
    issuer: string,
    id: string,
    origins: readonly string[],
  ): Promise<LockerSession | undefined> {
    const [row] = await this.database.query<LockerSession[]>(
      `SELECT ${FIELDS} FROM onboarding.locker_sessions
        WHERE id = $3 AND user_id = $1 AND locker_id IS NOT NULL
          AND ekyc_request_id IN (SELECT id FROM onboarding.ekyc_requests WHERE issuer_slug = $2)
          AND (origin_index IS NULL OR cardinality($4::bytea[]) = 0 OR origin_index = ANY ($4))`,
      [userId, issuer, id, origins.map((origin) => this.originIndexOf(origin))],
    );
    return row && this.opened(row);
  }

  private originIndexOf(origin: string): Buffer {
    return this.hash.digest('locker_sessions.origin', origin);
  }

  private opened(row: LockerSession): LockerSession {
    return { ...row, url: row.url && this.cipher.decrypt(row.url, locationOf(row.id)) };
  }
}

const locationOf = (id: string) => ({ table: 'locker_sessions', column: 'url', id });
