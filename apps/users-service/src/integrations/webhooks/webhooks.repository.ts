import { Injectable } from '@nestjs/common';
import { Database } from '@fd/platform';
import type { OldRows } from '../../core/index.js';

export const OLD_WEBHOOKS: OldRows = {
  name: 'old webhooks',
  table: 'webhooks',
  key: 'vendor, digest',
  // longer than vendors retry them
  where: "received_at < now() - interval '7 days'",
};

/** Accepted webhooks, by the hash of their body. */
@Injectable()
export class WebhooksRepository {
  constructor(private readonly database: Database) {}

  /** Records a webhook. Returns false for a duplicate. */
  async record(vendor: string, digest: Buffer): Promise<boolean> {
    const added = await this.database.execute(
      `INSERT INTO onboarding.webhooks (vendor, digest, received_at) VALUES ($1, $2, now())
       ON CONFLICT DO NOTHING`,
      [vendor, digest],
    );
    return added > 0;
  }
}
