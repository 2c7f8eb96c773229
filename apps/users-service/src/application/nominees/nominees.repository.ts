import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Database, type Queryable, type Transaction } from '@fd/platform';
import { DECLARATIONS_KEPT_YEARS, type OldRows, PiiCipher } from '../../core/index.js';
import { NO_NOMINEE_DECLARATION, type Nominee, type NomineePerson } from './nominee.js';

export const OLD_WAIVERS: OldRows = {
  name: 'old waivers of nominees',
  table: 'nominee_waivers',
  where: `ended_at < now() - interval '${DECLARATIONS_KEPT_YEARS} years' ORDER BY ended_at`,
  batch: 500,
};

type Row = Omit<Nominee, 'person'> & { readonly sealedPerson: string };

/** Nominees, and declarations to name none. */
@Injectable()
export class NomineesRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
  ) {}

  /** Successive nominees by position, others in the order of their creation. */
  async findByUserId(userId: string, connection: Queryable = this.database): Promise<Nominee[]> {
    const rows = await connection.query<Row[]>(
      `SELECT id, person_encrypted AS "sealedPerson", nomination_type AS type, share, priority
         FROM onboarding.nominees WHERE user_id = $1 ORDER BY priority, id`,
      [userId],
    );
    return rows.map(({ sealedPerson, ...row }) => ({
      ...row,
      person: JSON.parse(this.cipher.decrypt(sealedPerson, locationOf(row.id))) as NomineePerson,
    }));
  }

  async countByUserId(userId: string, connection: Queryable): Promise<number> {
    const [row] = await connection.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM onboarding.nominees WHERE user_id = $1',
      [userId],
    );
    return row.count;
  }

  /** Adds a nominee, or changes the user's nominee with this id. */
  async save(transaction: Transaction, userId: string, nominee: Nominee): Promise<void> {
    const { id, person, type, share, priority } = nominee;
    const sealedPerson = this.cipher.encrypt(JSON.stringify(person), locationOf(id));
    await transaction.query(
      `INSERT INTO onboarding.nominees AS n (id, user_id, person_encrypted, nomination_type, share, priority)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (id) DO UPDATE
         SET person_encrypted = excluded.person_encrypted, nomination_type = excluded.nomination_type,
             share = excluded.share, priority = excluded.priority, updated_at = now()
       WHERE n.user_id = excluded.user_id`,
      [id, userId, sealedPerson, type, share, priority],
    );
  }

  /** @returns false if the user has no such nominee */
  async remove(transaction: Transaction, userId: string, id: string): Promise<boolean> {
    const count = await transaction.execute(
      'DELETE FROM onboarding.nominees WHERE id = $1 AND user_id = $2',
      [id, userId],
    );
    return count > 0;
  }

  /** Whether the user has declared to name no nominee. */
  async isWaived(userId: string): Promise<boolean> {
    const rows = await this.database.query<unknown[]>(
      'SELECT 1 FROM onboarding.nominee_waivers WHERE user_id = $1 AND ended_at IS NULL',
      [userId],
    );
    return rows.length > 0;
  }

  /** Records the declaration to name no nominee, unless one is in force. */
  async waive(transaction: Transaction, userId: string, issuer: string | undefined): Promise<void> {
    await transaction.query(
      `INSERT INTO onboarding.nominee_waivers (id, user_id, issuer_slug, declaration_version)
       VALUES ($1, $2, $3, $4) ON CONFLICT (user_id) WHERE ended_at IS NULL DO NOTHING`,
      [uuidv7(), userId, issuer, NO_NOMINEE_DECLARATION.version],
    );
  }

  /** Ends the declaration of a user who names a nominee; it stays on record. */
  async endWaiver(transaction: Transaction, userId: string): Promise<void> {
    await transaction.query(
      'UPDATE onboarding.nominee_waivers SET ended_at = now() WHERE user_id = $1 AND ended_at IS NULL',
      [userId],
    );
  }
}

const locationOf = (id: string) => ({ table: 'nominees', column: 'person', id });
