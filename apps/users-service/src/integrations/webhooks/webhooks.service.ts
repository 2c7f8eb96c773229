import { hash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { WebhookErrors } from '@fd/errors';
import { Clock, counterFromZero, type KnownCounter } from '@fd/platform';
import { Registry } from 'prom-client';
import type { Repository } from 'typeorm';
import { ProvidersConfig, type VerificationProviderSettings } from '../../config/index.js';
import { Jobs, type OldRows } from '../../core/index.js';
import { Webhook } from './webhook.entity.js';
import {
  type Delivery,
  isGenuine,
  WEBHOOK_VENDORS,
  type WebhookAccount,
  type WebhookVendor,
} from './webhook-signatures.js';

const OLD_WEBHOOKS: OldRows = {
  name: 'old webhooks',
  entity: Webhook,
  // longer than vendors retry them
  select: (rows) => rows.where("t.receivedAt < now() - interval '7 days'"),
};

interface WebhookLabels extends Readonly<Record<string, string>> {
  readonly vendor: WebhookVendor | 'unknown';
  readonly outcome: 'taken' | 'repeated' | 'refused';
}

/** Schedules the next poll of the verification that a webhook names. Takes no result from the body. */
type WebhookListener = (body: unknown) => Promise<void>;

/**
 * Accepts vendors' webhooks: a genuine and new one makes the worker poll the vendor at once instead of at the next
 * interval. The service reads nothing else from it.
 */
@Injectable()
export class Webhooks implements OnModuleInit {
  private readonly listeners: { readonly vendor: WebhookVendor; readonly listener: WebhookListener }[] = [];
  private readonly received: KnownCounter<WebhookLabels>;

  constructor(
    private readonly config: ProvidersConfig,
    @InjectRepository(Webhook) private readonly rows: Repository<Webhook>,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    registry: Registry,
  ) {
    this.received = counterFromZero(registry, {
      name: 'webhooks_total',
      help: 'Webhooks of vendors, by outcome: taken, repeated, or refused',
      series: [
        { vendor: 'unknown', outcome: 'refused' },
        ...WEBHOOK_VENDORS.flatMap((vendor) =>
          (['taken', 'repeated', 'refused'] as const).map((outcome) => ({ vendor, outcome })),
        ),
      ],
    });
  }

  onModuleInit(): void {
    this.jobs.deleteOld(OLD_WEBHOOKS);
  }

  listen(vendor: WebhookVendor, listener: WebhookListener): void {
    this.listeners.push({ vendor, listener });
  }

  /** @throws WebhookErrors.notGenuine for an invalid signature and for an unknown vendor */
  async take(vendor: string, delivery: Delivery, body: unknown): Promise<void> {
    const account = this.accountOf(vendor);
    if (!account || !isGenuine(account, delivery, this.clock.now().getTime())) {
      this.received.inc({ vendor: account?.kind ?? 'unknown', outcome: 'refused' });
      throw WebhookErrors.notGenuine();
    }
    const taken = { vendor: account.kind, digest: hash('sha256', delivery.bytes, 'buffer') };
    const isNew = !(await this.rows.existsBy(taken));
    if (isNew) {
      for (const { vendor: name, listener } of this.listeners) if (name === vendor) await listener(body);
      // last, so that the vendor's repeat has an effect after a failure or a crash
      const row = { ...taken, receivedAt: () => 'now()' };
      await this.rows.createQueryBuilder().insert().values(row).orIgnore().execute();
    }
    this.received.inc({ vendor: account.kind, outcome: isNew ? 'taken' : 'repeated' });
  }

  /** All products of a vendor have one pair of credentials. */
  private accountOf(vendor: string): WebhookAccount | undefined {
    const { pan, bank, locker, ekyc } = this.config;
    const all: readonly VerificationProviderSettings[] = [...bank, ...pan, ...locker, ...ekyc];
    return all.find((one): one is WebhookAccount => one.kind !== 'http' && one.kind === vendor);
  }
}
