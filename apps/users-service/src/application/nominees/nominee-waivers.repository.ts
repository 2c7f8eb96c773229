import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';

/** Who has declared to name no nominee. A declaration that somebody took back by naming one stays on record. */
@Injectable()
export class NomineeWaiversRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async isDeclared(userId: string, manager: EntityManager = this.dataSource.manager): Promise<boolean> {
    const rows: unknown[] = await manager.query(
      'SELECT 1 FROM onboarding.nominee_waivers WHERE user_id = $1 AND ended_at IS NULL',
      [userId],
    );
    return rows.length > 0;
  }

  /** Records a declaration, unless one is in force. */
  async declare(
    manager: EntityManager,
    declared: { userId: string; issuer: string | undefined; version: string },
  ): Promise<void> {
    await manager.query(
      `INSERT INTO onboarding.nominee_waivers (id, user_id, issuer_slug, declaration_version)
       VALUES ($1, $2, $3, $4) ON CONFLICT (user_id) WHERE ended_at IS NULL DO NOTHING`,
      [uuidv7(), declared.userId, declared.issuer ?? null, declared.version],
    );
  }

  async end(manager: EntityManager, userId: string): Promise<void> {
    await manager.query(
      'UPDATE onboarding.nominee_waivers SET ended_at = now() WHERE user_id = $1 AND ended_at IS NULL',
      [userId],
    );
  }
}
