import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { NominationType } from '@fd/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { PiiCipher } from '../../core/index.js';
import type { Nominee, NomineePerson } from './nominee.js';

interface NomineeRow {
  id: string;
  person_encrypted: string;
  nomination_type: NominationType;
  share: number;
  priority: number | null;
}

/** The nominees of each user. */
@Injectable()
export class NomineesRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly cipher: PiiCipher,
  ) {}

  /** Lets nobody else change the nominees of a user until the transaction ends: their number and sum are rules. */
  async lock(manager: EntityManager, userId: string): Promise<void> {
    // rows that refer to the user can still be written meanwhile
    await manager.query('SELECT 1 FROM onboarding.users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  }

  /** Successive ones by their place, others as they were added. */
  async list(userId: string, manager: EntityManager = this.dataSource.manager): Promise<Nominee[]> {
    const rows = await manager.query<NomineeRow[]>(
      `SELECT id, person_encrypted, nomination_type, share, priority
         FROM onboarding.nominees WHERE user_id = $1 ORDER BY priority, id`,
      [userId],
    );
    return rows.map((row) => ({
      id: row.id,
      person: JSON.parse(this.cipher.decrypt(row.person_encrypted, locationOf(row.id))) as NomineePerson,
      type: row.nomination_type,
      share: row.share,
      priority: row.priority,
    }));
  }

  async count(userId: string, manager: EntityManager = this.dataSource.manager): Promise<number> {
    const [row] = await manager.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM onboarding.nominees WHERE user_id = $1',
      [userId],
    );
    return row.count;
  }

  async add(manager: EntityManager, userId: string, nominee: Nominee): Promise<void> {
    await manager.query(
      `INSERT INTO onboarding.nominees (id, user_id, person_encrypted, nomination_type, share, priority)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [nominee.id, userId, this.sealed(nominee), nominee.type, nominee.share, nominee.priority],
    );
  }

  async change(manager: EntityManager, userId: string, nominee: Nominee): Promise<void> {
    await manager.query(
      `UPDATE onboarding.nominees
          SET person_encrypted = $3, nomination_type = $4, share = $5, priority = $6, updated_at = now()
        WHERE id = $1 AND user_id = $2`,
      [nominee.id, userId, this.sealed(nominee), nominee.type, nominee.share, nominee.priority],
    );
  }

  /** @returns whether the user had such a nominee */
  async remove(manager: EntityManager, userId: string, id: string): Promise<boolean> {
    const [, count] = await manager.query<[unknown, number]>(
      'DELETE FROM onboarding.nominees WHERE id = $1 AND user_id = $2',
      [id, userId],
    );
    return count > 0;
  }

  private sealed({ id, person }: Nominee): string {
    return this.cipher.encrypt(JSON.stringify(person), locationOf(id));
  }
}

const locationOf = (id: string) => ({ table: 'nominees', column: 'person', id });
