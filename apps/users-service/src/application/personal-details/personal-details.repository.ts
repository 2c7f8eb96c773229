import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { PiiCipher } from '../../core/index.js';
import { type DeclarationCode, DECLARATIONS } from './declarations.table.js';
import type { Acceptance, Details } from './details.js';

/** What is on record of one user. */
export interface SavedDetails {
  readonly details: Details;
  /** In any version, the earliest first. */
  readonly acceptances: readonly Acceptance[];
}

/** What each user has told, and declared. */
@Injectable()
export class PersonalDetailsRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly cipher: PiiCipher,
  ) {}

  /** Lets nobody else save details of a user until the transaction ends: what is saved is put over what is there. */
  async lock(manager: EntityManager, userId: string): Promise<void> {
    // rows that refer to the user can still be written meanwhile
    await manager.query('SELECT 1 FROM onboarding.users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  }

  async of(userId: string, manager: EntityManager = this.dataSource.manager): Promise<SavedDetails> {
    const [row] = await manager.query<{ details_encrypted: string }[]>(
      'SELECT details_encrypted FROM onboarding.personal_details WHERE user_id = $1',
      [userId],
    );
    const acceptances = await manager.query<{ code: string; version: string; accepted_at: Date }[]>(
      `SELECT code, version, accepted_at FROM onboarding.accepted_declarations
        WHERE user_id = $1 ORDER BY accepted_at, code`,
      [userId],
    );
    return {
      details: row
        ? (JSON.parse(this.cipher.decrypt(row.details_encrypted, locationOf(userId))) as Details)
        : {},
      acceptances: acceptances.map(({ code, version, accepted_at }) => ({
        code,
        version,
        acceptedAt: accepted_at,
      })),
    };
  }

  async save(manager: EntityManager, userId: string, details: Details): Promise<void> {
    await manager.query(
      `INSERT INTO onboarding.personal_details (user_id, details_encrypted) VALUES ($1, $2)
       ON CONFLICT (user_id) DO UPDATE
         SET details_encrypted = excluded.details_encrypted, updated_at = now()`,
      [userId, this.cipher.encrypt(JSON.stringify(details), locationOf(userId))],
    );
  }

  /** Records that declarations are accepted as they read today; the first time stays on record. */
  async accept(manager: EntityManager, userId: string, codes: readonly DeclarationCode[]): Promise<void> {
    await manager.query(
      `INSERT INTO onboarding.accepted_declarations (user_id, code, version)
       SELECT $1, * FROM unnest($2::text[], $3::text[]) ON CONFLICT DO NOTHING`,
      [userId, codes, codes.map((code) => DECLARATIONS[code].version)],
    );
  }
}

const locationOf = (userId: string) => ({ table: 'personal_details', column: 'details', id: userId });
