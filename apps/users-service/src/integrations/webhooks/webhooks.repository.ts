import { Injectable } from '@nestjs/common';
import { Database } from '@fd/platform';

/** Longer than vendors retry webhooks. */
const KEPT_DAYS = 7;
/** Limits the time of one DELETE. */
const PURGE_BATCH = 1_000;

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

  /** Deletes a batch of old rows; returns how many. */
  async purgeOld(): Promise<number> {
    return this.database.execute(
      `DELETE FROM onboarding.webhooks WHERE (vendor, digest) IN (
         SELECT vendor, digest FROM onboarding.webhooks
          WHERE received_at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [KEPT_DAYS, PURGE_BATCH],
    );
  }
}
