import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { SANDBOX_CONFIG, type SandboxConfig } from '../config/sandbox-config.js';
import { BoundedMap } from '../http/bounded-map.js';
import { Wire } from '../wire/wire.store.js';

/** A vendor's webhook, whose headers may sign its body. */
export interface Webhook {
  /** `cashfree`, `setu`. */
  readonly provider: string;
  readonly body: object;
  readonly headersFor: (text: string) => Readonly<Record<string, string>>;
}

/** Milliseconds between two webhooks. */
const PAUSE_MS = 300;
const LIMIT_MS = 5_000;

/** Sends the vendors' webhooks to each client's URL. */
@Injectable()
export class VendorWebhooks {
  private readonly logger = new Logger('VendorWebhooks');
  private readonly urls = new BoundedMap<string, string>();

  constructor(
    @Inject(SANDBOX_CONFIG) { webhookUrls }: SandboxConfig,
    private readonly wire: Wire,
    private readonly clock: Clock,
  ) {
    for (const [clientId, url] of Object.entries(webhookUrls)) this.register(clientId, url);
  }

  /** Sets a client's URL, as a vendor's dashboard does. */
  register(clientId: string, url: string): void {
    this.urls.set(clientId, url);
  }

  /**
   * Sends an event late, twice and out of order, as vendors do.
   * @param delayMs until the event happens
   */
  send(
    clientId: string,
    { happened, before }: { happened: Webhook; before: Webhook },
    delayMs: number,
  ): void {
    const url = this.urls.get(clientId);
    if (url === undefined) return;
    const deliver = async (): Promise<void> => {
      await sleep(delayMs, undefined, { ref: false });
      for (const webhook of [happened, before, happened]) {
        await this.post(url, webhook);
        await sleep(PAUSE_MS, undefined, { ref: false });
      }
    };
    void deliver();
  }

  private async post(url: string, { provider, body, headersFor }: Webhook): Promise<void> {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', ...headersFor(text) };
    const signal = AbortSignal.timeout(LIMIT_MS);
    const at = this.clock.now();
    const begunAt = performance.now();
    let status: number | null = null;
    let responseBody = '';
    try {
      const answer = await fetch(url, { method: 'POST', headers, body: text, signal });
      ({ status } = answer);
      responseBody = await answer.text();
      this.logger.log({ msg: 'webhook', status });
    } catch {
      this.logger.log({ msg: 'webhook was not answered' });
    }
    this.wire.record({
      kind: 'webhook',
      provider,
      at,
      method: 'POST',
      path: url,
      requestHeaders: headers,
      requestBody: text,
      status,
      responseBody,
      durationMs: Math.round(performance.now() - begunAt),
    });
  }
}
