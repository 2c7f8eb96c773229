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

/** Webhooks that have had their effect, by the hash of their body. */
@Injectable()
export class WebhooksRepository {
  constructor(private readonly database: Database) {}

  async isKnown(vendor: string, digest: Buffer): Promise<boolean> {
    const found = await this.database.query<object[]>(
      'SELECT FROM onboarding.webhooks WHERE vendor = $1 AND digest = $2',
      [vendor, digest],
    );
    return found.length > 0;
  }

  /** Records a webhook once. */
  async record(vendor: string, digest: Buffer): Promise<void> {
    await this.database.execute(
      `INSERT INTO onboarding.webhooks (vendor, digest, received_at) VALUES ($1, $2, now())
       ON CONFLICT DO NOTHING`,
      [vendor, digest],
    );
  }
}
