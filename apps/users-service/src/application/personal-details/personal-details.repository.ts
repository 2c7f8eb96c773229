import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '@fd/platform';
import { PiiCipher } from '../../core/index.js';
import type { Acceptance, Details } from './details.js';
import { type DeclarationCode, DECLARATIONS } from './details.table.js';

/** Stored details of a user. */
export interface SavedDetails {
  readonly details: Details;
  /** In any version, the earliest first. */
  readonly acceptances: readonly Acceptance[];
}

/** Personal details and declarations of users. */
@Injectable()
export class PersonalDetailsRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
  ) {}

  async findByUserId(userId: string, connection: Queryable = this.database): Promise<SavedDetails> {
    const [row] = await connection.query<{ sealed: string }[]>(
      'SELECT details_encrypted AS sealed FROM onboarding.personal_details WHERE user_id = $1',
      [userId],
    );
    const acceptances = await connection.query<Acceptance[]>(
      `SELECT code, version, accepted_at AS "acceptedAt" FROM onboarding.accepted_declarations
        WHERE user_id = $1 ORDER BY accepted_at, code`,
      [userId],
    );
    const details = row ? this.cipher.decrypt(row.sealed, locationOf(userId)) : '{}';
    return { details: JSON.parse(details) as Details, acceptances };
  }

  async save(transaction: Transaction, userId: string, details: Details): Promise<void> {
    await transaction.query(
      `INSERT INTO onboarding.personal_details (user_id, details_encrypted) VALUES ($1, $2)
       ON CONFLICT (user_id) DO UPDATE
         SET details_encrypted = excluded.details_encrypted, updated_at = now()`,
      [userId, this.cipher.encrypt(JSON.stringify(details), locationOf(userId))],
    );
  }

  /** Records acceptances of current texts; the first time stays on record. */
  async accept(transaction: Transaction, userId: string, codes: readonly DeclarationCode[]): Promise<void> {
    await transaction.query(
      `INSERT INTO onboarding.accepted_declarations (user_id, code, version)
       SELECT $1, * FROM unnest($2::text[], $3::text[]) ON CONFLICT DO NOTHING`,
      [userId, codes, codes.map((code) => DECLARATIONS[code].version)],
    );
  }
}

const locationOf = (userId: string) => ({ table: 'personal_details', column: 'details', id: userId });
