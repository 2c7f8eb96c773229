import { Injectable } from '@nestjs/common';
import type { ErrorCode } from '@fd/errors';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';

export interface LockerSession {
  readonly id: string;
  readonly ekycRequestId: string;
  /** Null until the locker has opened it; so are the next two. */
  readonly lockerId: string | null;
  readonly url: string | null;
  readonly expiresAt: Date | null;
  /** How it ended, when it ended badly: for good, so that it is answered alike each time. */
  readonly refusalCode: ErrorCode | null;
}

const FIELDS = `s.id, s.ekyc_request_id AS "ekycRequestId", s.locker_id AS "lockerId", s.url,
  s.expires_at AS "expiresAt", s.refusal_code AS "refusalCode"`;

/** Visits to the document locker, each for one request for eKYC. */
@Injectable()
export class LockerSessionsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @returns its id, which is the idempotency key at the locker */
  async begin(userId: string, ekycRequestId: string): Promise<string> {
    const id = uuidv7();
    await this.dataSource.query(
      'INSERT INTO onboarding.locker_sessions (id, user_id, ekyc_request_id) VALUES ($1, $2, $3)',
      [id, userId, ekycRequestId],
    );
    return id;
  }

  async setOpened(id: string, lockerId: string, url: string, expiresAt: Date): Promise<void> {
    await this.dataSource.query(
      'UPDATE onboarding.locker_sessions SET locker_id = $2, url = $3, expires_at = $4 WHERE id = $1',
      [id, lockerId, url, expiresAt],
    );
  }

  async setRefused(id: string, code: ErrorCode): Promise<void> {
    await this.dataSource.query('UPDATE onboarding.locker_sessions SET refusal_code = $2 WHERE id = $1', [
      id,
      code,
    ]);
  }

  /** Only one that the locker has opened. */
  async find(userId: string, issuer: string, id: string): Promise<LockerSession | undefined> {
    const [row] = await this.dataSource.query<LockerSession[]>(
      `SELECT ${FIELDS} FROM onboarding.locker_sessions s
         JOIN onboarding.ekyc_requests r ON r.id = s.ekyc_request_id
        WHERE s.id = $3 AND s.user_id = $1 AND r.issuer_slug = $2 AND s.locker_id IS NOT NULL`,
      [userId, issuer, id],
    );
    return row;
  }
}
