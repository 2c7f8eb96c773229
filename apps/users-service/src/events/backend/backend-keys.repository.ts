import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, type Repository } from 'typeorm';
import { BackendKey } from './backend-key.entity.js';
import { EventSubscription } from '../subscriptions/event-subscription.entity.js';

const PREFIX = 'fdb_';

/** A new key: 256 random bits behind a prefix that scanners of repositories can look for. */
export const newBackendKey = (): string => PREFIX + randomBytes(32).toString('base64url');

export const hashOfKey = (key: string): Buffer => hash('sha256', key, 'buffer');

@Injectable()
export class BackendKeysRepository {
  constructor(@InjectRepository(BackendKey) private readonly rows: Repository<BackendKey>) {}

  /** Id of the partner of a key; undefined for one that is not valid, and while the partner is disabled. */
  async partnerOf(key: string): Promise<string | undefined> {
    const found = await this.rows
      .createQueryBuilder('k')
      .innerJoin(EventSubscription, 's', 's.partnerId = k.partnerId AND s.disabledAt IS NULL')
      .select('k.partnerId', 'partnerId')
      .where({ keyHash: hashOfKey(key), revokedAt: IsNull() })
      .getRawOne<{ partnerId: string }>();
    return found?.partnerId;
  }
}
