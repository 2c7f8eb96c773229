import { hash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { WebhookErrors } from '@fd/errors';
import { Clock, counterFromZero, type KnownCounter } from '@fd/platform';
import { Registry } from 'prom-client';
import { ProvidersConfig, type VendorAccount } from '../../config/index.js';
import { Jobs } from '../../core/index.js';
import {
  type Delivery,
  isGenuine,
  isWebhookVendor,
  WEBHOOK_VENDORS,
  type WebhookVendor,
} from './webhook-signatures.js';
import { OLD_WEBHOOKS, WebhooksRepository } from './webhooks.repository.js';

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
    private readonly webhooks: WebhooksRepository,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    registry: Registry,
  ) {
    this.received = counterFromZero({
      name: 'webhooks_total',
      help: 'Webhooks of vendors, by outcome: taken, repeated, or refused',
      labelNames: ['vendor', 'outcome'],
      series: [
        { vendor: 'unknown', outcome: 'refused' },
        ...WEBHOOK_VENDORS.flatMap((vendor) =>
          (['taken', 'repeated', 'refused'] as const).map((outcome) => ({ vendor, outcome })),
        ),
      ],
      registers: [registry],
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
    const account = isWebhookVendor(vendor) ? this.accountOf(vendor) : undefined;
    const nowMs = this.clock.now().getTime();
    if (!account || !isWebhookVendor(vendor) || !isGenuine(vendor, account, delivery, nowMs)) {
      this.received.inc({
        vendor: account && isWebhookVendor(vendor) ? vendor : 'unknown',
        outcome: 'refused',
      });
      throw WebhookErrors.notGenuine();
    }
    const digest = hash('sha256', delivery.bytes, 'buffer');
    const isNew = !(await this.webhooks.isKnown(vendor, digest));
    if (isNew) {
      for (const { vendor: name, listener } of this.listeners) if (name === vendor) await listener(body);
      // last, so that the vendor's repeat has an effect after a failure or a crash
      await this.webhooks.record(vendor, digest);
    }
    this.received.inc({ vendor, outcome: isNew ? 'taken' : 'repeated' });
  }

  /** All products of a vendor have one pair of credentials. */
  private accountOf(vendor: WebhookVendor): VendorAccount | undefined {
    const { pan, bank, locker, ekyc } = this.config;
    const found = [...bank, ...pan, ...locker, ...ekyc].find(({ kind }) => kind === vendor);
    return found && found.kind !== 'http' ? found : undefined;
  }
}
