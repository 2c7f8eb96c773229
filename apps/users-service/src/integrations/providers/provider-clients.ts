import { Injectable } from '@nestjs/common';
import { GeneralErrors, ProviderError } from '@fd/errors';
import { Gauge, Histogram, Registry } from 'prom-client';
import { type ProviderAddress, type ProviderName, ProvidersConfig } from '../../config/index.js';
import { ProviderClient, type CallLabels } from './provider-client.js';
import { type ProviderKind, UNAVAILABLE_ERRORS } from './provider.js';
import { Resilience, RESILIENCE_LIMITS } from './resilience.js';
import { OverShareError } from './user-shares.js';

/** Makes the client of each outside party: one each, since its breaker and its bounds are the party's own. */
@Injectable()
export class ProviderClients {
  private readonly clients = new Map<string, ProviderClient>();
  private readonly treatments = new Map<string, Resilience>();
  private readonly duration: Histogram<CallLabels>;

  constructor(
    private readonly config: ProvidersConfig,
    registry: Registry,
  ) {
    this.duration = new Histogram({
      name: 'provider_call_duration_seconds',
      help: 'Tries of calls to outside parties; the outcome is the status, or the kind of failure',
      labelNames: ['provider', 'operation', 'outcome'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2],
      registers: [registry],
    });
    const { treatments } = this;
    new Gauge({
      name: 'provider_circuit_open',
      help: '1 while a party is left alone because it keeps failing',
      labelNames: ['provider'],
      registers: [registry],
      collect() {
        for (const [provider, resilience] of treatments) this.set({ provider }, resilience.isOpen ? 1 : 0);
      },
    });
  }

  of(provider: ProviderName): ProviderClient {
    return this.at(this.config.addressOf(provider));
  }

  ofIssuer(slug: string): ProviderClient {
    return this.at(this.config.issuerAddressOf(slug));
  }

  private at(address: ProviderAddress): ProviderClient {
    const known = this.clients.get(address.name);
    if (known) return known;
    const resilience = this.resilienceOf(address.name, this.config.timeoutMs);
    const client = new ProviderClient(address, resilience, this.duration);
    this.clients.set(address.name, client);
    return client;
  }

  /** How a party is treated: for the adapter of one that does not speak HTTP. */
  resilienceOf(name: string, timeoutMs: number): Resilience {
    const known = this.treatments.get(name);
    if (known) return known;
    const { maxCalls } = this.config;
    // as many wait as run, so that nobody waits for longer than a call takes
    const resilience = new Resilience(name, timeoutMs, {
      ...RESILIENCE_LIMITS,
      maxRunning: maxCalls,
      maxWaiting: maxCalls,
    });
    this.treatments.set(name, resilience);
    return resilience;
  }
}

/**
 * Runs what talks to an outside party. A failure of the party becomes the refusal that stands for it; anything
 * else passes.
 * @throws AppError the party's code in UNAVAILABLE_ERRORS; GeneralErrors.tooManyRequests when it is the user who calls
 * too often
 */
export async function orUnavailable<T>(kind: ProviderKind, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OverShareError) {
      throw GeneralErrors.tooManyRequests({ retryAfterSeconds: 1, cause: error });
    }
    if (error instanceof ProviderError) throw UNAVAILABLE_ERRORS[kind]({ cause: error });
    throw error;
  }
}
