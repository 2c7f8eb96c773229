import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { OldRows } from '../../core/index.js';
import { Webhook } from './webhook.entity.js';

export const OLD_WEBHOOKS: OldRows = {
  name: 'old webhooks',
  entity: Webhook,
  // longer than vendors retry them
  select: (rows) => rows.where("t.receivedAt < now() - interval '7 days'"),
};

/** Webhooks that have had their effect, by the hash of their body. */
@Injectable()
export class WebhooksRepository {
  constructor(@InjectRepository(Webhook) private readonly rows: Repository<Webhook>) {}

  async isKnown(vendor: string, digest: Buffer): Promise<boolean> {
    return this.rows.existsBy({ vendor, digest });
  }

  async record(vendor: string, digest: Buffer): Promise<void> {
    const values = { vendor, digest, receivedAt: () => 'now()' };
    await this.rows.createQueryBuilder().insert().values(values).orIgnore().execute();
  }
}
