import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { EkycMethod } from '../issuers/issuer.js';
import { PiiCipher } from '../pii/pii-cipher.js';
import type { AadhaarProof, EkycRequest, EkycRequestStatus } from './ekyc-request.js';

const LIVE = `status IN ('REQUESTED', 'LINK_CREATED', 'IN_PROGRESS')`;

const FIELDS = `id, user_id AS "userId", issuer_slug AS issuer, method, status, redirect_url AS "redirectUrl", url,
  expires_at AS "expiresAt", is_compared AS "isCompared", is_retry AS "isRetry",
  aadhaar_transaction AS "aadhaarTransaction"`;

export interface NewEkycRequest {
  readonly userId: string;
  readonly issuer: string;
  readonly method: EkycMethod;
  readonly redirectUrl: string | null;
  readonly isCompared: boolean;
  readonly isRetry: boolean;
}

/** Requests for eKYC. The partial unique index sees to it that a user has at most one alive with an issuer. */
@Injectable()
export class EkycRequestsRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly cipher: PiiCipher,
  ) {}

  /** The newest request, whatever became of it. */
  async newest(userId: string, issuer: string): Promise<EkycRequest | undefined> {
    const [row] = await this.dataSource.query<EkycRequest[]>(
      `SELECT ${FIELDS} FROM onboarding.ekyc_requests WHERE user_id = $1 AND issuer_slug = $2
        ORDER BY created_at DESC, id DESC LIMIT 1`,
      [userId, issuer],
    );
    return row;
  }

  async find(userId: string, issuer: string, id: string): Promise<EkycRequest | undefined> {
    const [row] = await this.dataSource.query<EkycRequest[]>(
      `SELECT ${FIELDS} FROM onboarding.ekyc_requests WHERE id = $3 AND user_id = $1 AND issuer_slug = $2`,
      [userId, issuer, id],
    );
    return row;
  }

  /** The request that is alive, made now if there is none: parallel calls get the same one. */
  async claim(request: NewEkycRequest): Promise<EkycRequest> {
    await this.dataSource.query(
      `INSERT INTO onboarding.ekyc_requests
         (id, user_id, issuer_slug, method, status, redirect_url, is_compared, is_retry)
       VALUES ($1, $2, $3, $4, 'REQUESTED', $5, $6, $7)
       ON CONFLICT (user_id, issuer_slug) WHERE ${LIVE} DO NOTHING`,
      [
        uuidv7(),
        request.userId,
        request.issuer,
        request.method,
        request.redirectUrl,
        request.isCompared,
        request.isRetry,
      ],
    );
    const newest = await this.newest(request.userId, request.issuer);
    return newest!;
  }

  /** Writes the link down that the provider gave; the first one stays. */
  async setLink(id: string, url: string, expiresAt: Date, manager: EntityManager): Promise<void> {
    await manager.query(
      `UPDATE onboarding.ekyc_requests
          SET status = 'LINK_CREATED', url = $2, expires_at = $3, updated_at = now()
        WHERE id = $1 AND status = 'REQUESTED'`,
      [id, url, expiresAt],
    );
  }

  /** Moves a living request on. @returns whether this call did it */
  async move(manager: EntityManager, id: string, status: EkycRequestStatus): Promise<boolean> {
    const [, count] = await manager.query<[unknown, number]>(
      `UPDATE onboarding.ekyc_requests SET status = $2, updated_at = now()
        WHERE id = $1 AND ${LIVE} AND status <> $2`,
      [id, status],
    );
    return count > 0;
  }

  /** @returns whether this call did it */
  async verify(manager: EntityManager, id: string, proof: AadhaarProof | undefined): Promise<boolean> {
    const sealed = proof && this.cipher.encrypt(JSON.stringify(proof), locationOf(id));
    const [, count] = await manager.query<[unknown, number]>(
      `UPDATE onboarding.ekyc_requests SET status = 'VERIFIED', aadhaar_encrypted = $2, updated_at = now()
        WHERE id = $1 AND ${LIVE}`,
      [id, sealed ?? null],
    );
    return count > 0;
  }

  async setAadhaarTransaction(id: string, transaction: string, manager: EntityManager): Promise<void> {
    await manager.query(
      `UPDATE onboarding.ekyc_requests
          SET aadhaar_transaction = $2, status = 'IN_PROGRESS', updated_at = now()
        WHERE id = $1 AND ${LIVE}`,
      [id, transaction],
    );
  }

  /** Whether a user is verified with any issuer. */
  async isVerifiedAnywhere(userId: string): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      `SELECT 1 FROM onboarding.ekyc_requests WHERE user_id = $1 AND status = 'VERIFIED' LIMIT 1`,
      [userId],
    );
    return rows.length > 0;
  }
}

const locationOf = (id: string) => ({ table: 'ekyc_requests', column: 'aadhaar', id });
