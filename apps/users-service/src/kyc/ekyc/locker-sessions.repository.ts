import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type ErrorCode, GeneralErrors } from '@fd/errors';
import { Brackets, type EntityManager, IsNull, type Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type CallState, KeyedHash, PiiCipher, SETTLED } from '../../core/index.js';
import { type CountedRows, secondsUntilNext } from '../../identity/index.js';
import { EkycRequestRow, type FollowState } from '../entities/ekyc-request.entity.js';
import type { OpenedLocker } from './ekyc-providers.port.js';
import type { EkycRequest } from './ekyc-requests.repository.js';
import { LockerSessionRow } from './locker-session.entity.js';

/** The id is also the idempotency key at the locker. */
export interface LockerSession extends CallState<FollowState> {
  readonly userId: string;
  readonly ekycRequestId: string;
  /** Provider that opens it; null before the first try. */
  readonly provider: string | null;
  /** Null until the locker has opened it, like the next two fields. */
  readonly lockerId: string | null;
  readonly url: string | null;
  readonly expiresAt: Date | null;
  /** Code of an unsuccessful end, returned for each poll unless a success arrives late. */
  readonly refusalCode: ErrorCode | null;
}

export const MAX_LOCKER_SESSIONS_PER_DAY = 20;

const COUNTED: CountedRows = {
  entity: LockerSessionRow,
  time: 'createdAt',
  max: MAX_LOCKER_SESSIONS_PER_DAY,
};

@Injectable()
export class LockerSessionsRepository {
  constructor(
    @InjectRepository(LockerSessionRow) private readonly rows: Repository<LockerSessionRow>,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
  ) {}

  /**
   * Returns the open session of a request and a return address, even an expired one whose end the locker has not
   * reported; creates and counts one if none is open. Parallel calls, and a call after a crash, get the same session.
   * @throws GeneralErrors.tooManyRequests
   */
  async findOpenOrCreate(request: EkycRequest, redirectUrl: string | null): Promise<LockerSession> {
    const { userId, id: ekycRequestId } = request;
    const redirectIndex = redirectUrl ? this.hash.digest('locker_sessions.redirect', redirectUrl) : null;
    const originIndex = redirectUrl ? this.originIndexOf(new URL(redirectUrl).origin) : null;
    return this.rows.manager.transaction(async (tx) => {
      // locks before the search for an open session
      const retryAfterSeconds = await secondsUntilNext(tx, COUNTED, userId);
      const open = await tx.findOne(LockerSessionRow, {
        where: { userId, ekycRequestId, redirectIndex: redirectIndex ?? IsNull(), refusalCode: IsNull() },
        order: { createdAt: 'DESC' },
      });
      if (open) return this.opened(open);
      if (retryAfterSeconds > 0) throw GeneralErrors.tooManyRequests({ retryAfterSeconds });
      const id = uuidv7();
      await tx.insert(LockerSessionRow, {
        ...{ id, userId, ekycRequestId, redirectIndex, originIndex, provider: null },
        createdAt: () => 'clock_timestamp()',
      });
      return this.findById(id, tx);
    });
  }

  /** Stores the provider before it opens the session. */
  async setProvider(id: string, provider: string): Promise<void> {
    await this.rows.update({ id, lockerId: IsNull() }, { provider });
  }

  /** The first answer wins. */
  async setOpened(id: string, provider: string, { lockerId, url, expiresAt }: OpenedLocker): Promise<void> {
    const urlEncrypted = this.cipher.encrypt(url, locationOf(id));
    await this.rows.update({ id, lockerId: IsNull() }, { provider, lockerId, urlEncrypted, expiresAt });
  }

  /** The first refusal stays. */
  async setRefused(id: string, refusalCode: ErrorCode): Promise<void> {
    await this.rows.update({ id, refusalCode: IsNull() }, { refusalCode });
  }

  async lockById(tx: EntityManager, id: string): Promise<LockerSession> {
    const lock = { mode: 'pessimistic_write' } as const;
    return this.opened(await tx.findOneOrFail(LockerSessionRow, { where: { id }, lock }));
  }

  /** Ends the polling of a session. @param refusalCode of an unsuccessful end; null if the eKYC is verified */
  async settle(
    tx: EntityManager,
    id: string,
    refusalCode: ErrorCode | null,
    state: 'SETTLED' | 'ABANDONED' = 'SETTLED',
  ): Promise<void> {
    await tx.update(LockerSessionRow, { id }, { ...SETTLED, refusalCode, state });
  }

  async findById(id: string, tx: EntityManager = this.rows.manager): Promise<LockerSession> {
    return this.opened(await tx.findOneByOrFail(LockerSessionRow, { id }));
  }

  /** @param origins to which it may return; none means any */
  async findOpened(
    userId: string,
    issuer: string,
    id: string,
    origins: readonly string[],
  ): Promise<LockerSession | undefined> {
    const indexes = origins.map((origin) => this.originIndexOf(origin));
    const mayReturn = new Brackets((either) =>
      either.where('s.originIndex IS NULL').orWhere('s.originIndex = ANY (:indexes)', { indexes }),
    );
    const opened = this.rows
      .createQueryBuilder('s')
      .innerJoin(EkycRequestRow, 'r', 'r.id = s.ekycRequestId AND r.issuerSlug = :issuer', { issuer })
      .where('s.id = :id AND s.userId = :userId AND s.lockerId IS NOT NULL', { id, userId });
    if (origins.length > 0) opened.andWhere(mayReturn);
    const row = await opened.getOne();
    return row ? this.opened(row) : undefined;
  }

  private originIndexOf(origin: string): Buffer {
    return this.hash.digest('locker_sessions.origin', origin);
  }

  private opened(row: LockerSessionRow): LockerSession {
    const { id, urlEncrypted } = row;
    return { ...row, url: urlEncrypted && this.cipher.decrypt(urlEncrypted, locationOf(id)) };
  }
}

const locationOf = (id: string) => ({ table: 'locker_sessions', column: 'url', id });
