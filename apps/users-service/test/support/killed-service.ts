import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@fd/platform';
import { eventually, type RunningProcess } from '@fd/testing';
import { type HoldPoint, HoldingProxy } from './holding-proxy.js';
import type { IssuerSlug } from './issuers.js';
import { JourneyClient } from './journey-client.js';
import { aPerson } from './person.js';
import { ServiceProcesses } from './service-process.config.js';
import { providerSettings } from './settings.js';
import { startService, type TestService } from './users-app.js';
import type { Own } from './with-own.js';

/** Makes the lease of a PAN check expire within a test, but not before a busy machine has killed the process. */
export const SHORT_LOOKUPS: Environment = { PAN_LOOKUP_TIMEOUT_MS: '2000' };

/**
 * A service to kill, for one test: processes with a database of their own, and a proxy that holds the call to a provider
 * during which one of them is killed.
 */
export class KilledService implements Own {
  private constructor(
    /** The service in the process of the tests, whose worker works, too. */
    readonly service: TestService,
    readonly processes: ServiceProcesses,
    readonly proxy: HoldingProxy,
  ) {}

  static async start(): Promise<KilledService> {
    const service = await startService({});
    return new KilledService(service, new ServiceProcesses(service.environment), await HoldingProxy.start());
  }

  async end(): Promise<void> {
    await this.processes.killAll();
    await this.proxy.stop();
    await this.service.close();
  }

  /**
   * Routes all HTTP providers through the proxy. The fallback SMS provider is unreachable, so it cannot replace a held
   * one.
   */
  throughProxy(): Environment {
    return {
      ...SHORT_LOOKUPS,
      ...providerSettings(this.proxy.url),
      SMS_PRIMARY_URL: `${this.proxy.url}/providers/sms/primary/messages`,
      SMS_FALLBACK_URL: 'http://127.0.0.1:1/fallback',
    };
  }

  /**
   * Kills a process while a step waits for a provider, then points the person at another replica, whose worker cannot take the call
   * before the kill.
   */
  async killInStep(
    customer: JourneyClient,
    first: RunningProcess,
    step: (customer: JourneyClient) => Promise<unknown>,
    { caught, release = () => undefined }: { caught: Promise<unknown>; release?: () => void },
  ): Promise<void> {
    const answered = (async () => {
      // a busy process may refuse the step before it calls the provider
      for (let isCaught = false; !isCaught;) {
        // fails, unless the service had already answered 202
        await step(customer).catch(() => undefined);
        isCaught = await Promise.race([caught.then(() => true), sleep(1_000, false)]);
      }
    })();
    await caught;
    await first.kill();
    release();
    await answered;
    customer.baseUrl = (await this.service.replica()).url;
  }

  /** Brings a person to a step, kills the process while it calls a provider, and continues with another replica. */
  async killDuring(
    slug: IssuerSlug,
    {
      before,
      step,
    }: {
      before: (customer: JourneyClient) => Promise<unknown>;
      step: (customer: JourneyClient) => Promise<unknown>;
    },
    path: RegExp,
    point: HoldPoint,
  ): Promise<JourneyClient> {
    const first = await this.processes.start(this.throughProxy());
    const customer = new JourneyClient(first.url, slug, aPerson());
    await customer.register();
    await customer.logIn();
    // on a busy machine a provider may be too slow for a call; that is not tested here
    await eventually(() => before(customer));
    await this.killInStep(customer, first, step, this.proxy.holdNext(path, point));
    return customer;
  }
}
