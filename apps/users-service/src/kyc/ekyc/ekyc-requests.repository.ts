import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { GeneralErrors } from '@fd/errors';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { EkycMethod } from '../../config/index.js';
import { PiiCipher } from '../../core/index.js';
import type { AadhaarProof, EkycRequest, EkycRequestStatus } from './ekyc-request.js';
import { MAX_AADHAAR_CHECKS } from './ekyc.policy.js';

const LIVE = `status IN ('REQUESTED', 'LINK_CREATED', 'IN_PROGRESS')`;

const FIELDS = `id, user_id AS "userId", issuer_slug AS issuer, method, status,
  redirect_url_encrypted AS "sealedRedirectUrl", url_encrypted AS "sealedUrl", expires_at AS "expiresAt",
  is_compared AS "isCompared", is_retry AS "isRetry", aadhaar_transaction AS "aadhaarTransaction"`;

/** Ends of a request between making it and reading it that are put up with. */
const MAX_ROUNDS = 5;

type Row = Omit<EkycRequest, 'url' | 'redirectUrl'> & {
  readonly sealedUrl: string | null;
  readonly sealedRedirectUrl: string | null;
};

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
    return this.one('user_id = $1 AND issuer_slug = $2 ORDER BY created_at DESC, id DESC LIMIT 1', [
      userId,
      issuer,
    ]);
  }

  async find(userId: string, issuer: string, id: string): Promise<EkycRequest | undefined> {
    return this.one('id = $3 AND user_id = $1 AND issuer_slug = $2', [userId, issuer, id]);
  }

  /**
   * The request that is alive, made now if there is none: parallel calls get the same one.
   * @throws GeneralErrors.unavailable when it keeps ending under our hands
   */
  async claim(request: NewEkycRequest): Promise<EkycRequest> {
    const { userId, issuer } = request;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await this.makeUnlessOneLives(request);
      // the one that was in the way may have ended since: only what is alive may be given out
      const living = await this.one(`user_id = $1 AND issuer_slug = $2 AND ${LIVE}`, [userId, issuer]);
      if (living) return living;
    }
    throw GeneralErrors.unavailable();
  }

  /** Writes the link down that the provider gave; the first one stays. */
  async setLink(id: string, url: string, expiresAt: Date, manager: EntityManager): Promise<void> {
    await manager.query(
      `UPDATE onboarding.ekyc_requests
          SET status = 'LINK_CREATED', url_encrypted = $2, expires_at = $3, updated_at = now()
        WHERE id = $1 AND status = 'REQUESTED'`,
      [id, this.cipher.encrypt(url, locationOf(id, 'url')), expiresAt],
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
    const sealed = proof && this.cipher.encrypt(JSON.stringify(proof), locationOf(id, 'aadhaar'));
    const [, count] = await manager.query<[unknown, number]>(
      `UPDATE onboarding.ekyc_requests SET status = 'VERIFIED', aadhaar_encrypted = $2, updated_at = now()
        WHERE id = $1 AND ${LIVE}`,
      [id, sealed ?? null],
    );
    return count > 0;
  }

  async setAadhaarTransaction(id: string, transaction: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE onboarding.ekyc_requests
          SET aadhaar_transaction = $2, aadhaar_checks = 0, status = 'IN_PROGRESS', updated_at = now()
        WHERE id = $1 AND ${LIVE}`,
      [id, transaction],
    );
  }

  /**
   * Counts a check of a code before it is made, if there is one left.
   * @returns whether there was, of the code that was sent last
   */
  async takeAadhaarCheck({ id, aadhaarTransaction }: EkycRequest): Promise<boolean> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `UPDATE onboarding.ekyc_requests SET aadhaar_checks = aadhaar_checks + 1
        WHERE id = $1 AND aadhaar_transaction = $2 AND aadhaar_checks < $3 AND ${LIVE}`,
      [id, aadhaarTransaction, MAX_AADHAAR_CHECKS],
    );
    return count > 0;
  }

  /** Takes a check back that was not made. */
  async giveAadhaarCheckBack({ id, aadhaarTransaction }: EkycRequest): Promise<void> {
    await this.dataSource.query(
      `UPDATE onboarding.ekyc_requests SET aadhaar_checks = aadhaar_checks - 1
        WHERE id = $1 AND aadhaar_transaction = $2 AND aadhaar_checks > 0`,
      [id, aadhaarTransaction],
    );
  }

  /** Whether a user is verified with any issuer, and compared with the PAN where it is known. */
  async isVerifiedAnywhere(userId: string): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      `SELECT 1 FROM onboarding.ekyc_requests
        WHERE user_id = $1 AND status = 'VERIFIED'
          AND (is_compared OR NOT EXISTS (SELECT 1 FROM onboarding.identities WHERE user_id = $1))
        LIMIT 1`,
      [userId],
    );
    return rows.length > 0;
  }

  private async makeUnlessOneLives(request: NewEkycRequest): Promise<void> {
    const id = uuidv7();
    const { redirectUrl } = request;
    await this.dataSource.query(
      `INSERT INTO onboarding.ekyc_requests
         (id, user_id, issuer_slug, method, status, redirect_url_encrypted, is_compared, is_retry)
       VALUES ($1, $2, $3, $4, 'REQUESTED', $5, $6, $7)
       ON CONFLICT (user_id, issuer_slug) WHERE ${LIVE} DO NOTHING`,
      [
        id,
        request.userId,
        request.issuer,
        request.method,
        redirectUrl && this.cipher.encrypt(redirectUrl, locationOf(id, 'redirect_url')),
        request.isCompared,
        request.isRetry,
      ],
    );
  }

  private async one(condition: string, values: readonly string[]): Promise<EkycRequest | undefined> {
    const [row] = await this.dataSource.query<Row[]>(
      `SELECT ${FIELDS} FROM onboarding.ekyc_requests WHERE ${condition}`,
      [...values],
    );
    return row && this.opened(row);
  }

  private opened({ sealedUrl, sealedRedirectUrl, ...row }: Row): EkycRequest {
    const open = (sealed: string | null, column: SealedColumn): string | null =>
      sealed && this.cipher.decrypt(sealed, locationOf(row.id, column));
    return {
      ...row,
      url: open(sealedUrl, 'url'),
      redirectUrl: open(sealedRedirectUrl, 'redirect_url'),
    };
  }
}

type SealedColumn = 'aadhaar' | 'url' | 'redirect_url';

const locationOf = (id: string, column: SealedColumn) => ({ table: 'ekyc_requests', column, id });
