import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { reasonOf } from '@fd/errors';
import { ConfigError } from '@fd/platform';
import { EntityManager } from 'typeorm';
import { PiiConfig } from '../../config/index.js';
import { Jobs } from '../jobs/jobs.service.js';
import { registerKeys } from './key-register.js';

const RETRY_MS = 500;
const PERIOD_MS = 60_000;

/**
 * Compares our keys with the stored values before the service serves, or as soon as the database is available, and
 * records our key every minute. A service must not write if it could not read its data.
 */
@Injectable()
export class KeyWatch implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger(KeyWatch.name);
  private isSettled = false;

  constructor(
    private readonly manager: EntityManager,
    private readonly config: PiiConfig,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    const periodMs = (): number => (this.isSettled ? PERIOD_MS : RETRY_MS);
    this.jobs.poll({ name: 'keys', waiting: 'keys not compared', periodMs, run: () => this.look() });
  }

  /** @throws ConfigError if our keys do not open stored values; the service does not start then */
  async onApplicationBootstrap(): Promise<void> {
    await this.look();
  }

  /** Rejects until the keys have been compared with the data. */
  requireSettled(): Promise<void> {
    return this.isSettled
      ? Promise.resolve()
      : Promise.reject(new Error('the keys have not been compared yet'));
  }

  private async look(): Promise<void> {
    const { keys, indexSecret } = this.config;
    try {
      await registerKeys(this.manager, { pii: keys, indexSecret });
      this.isSettled = true;
    } catch (error) {
      if (error instanceof ConfigError) this.refuse(error);
      else this.logger.warn({ msg: 'keys not compared', reason: reasonOf(error) });
    }
  }

  /** A serving replica only logs that another replica uses keys that it lacks. */
  private refuse(error: ConfigError): void {
    if (!this.isSettled) throw error;
    this.logger.error({ msg: 'another replica uses keys that this one lacks', reason: error.message });
  }
}
