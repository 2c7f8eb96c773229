import {
  type DynamicModule,
  Injectable,
  Inject,
  Logger,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import type { RedisConfig } from '../config/common-settings.js';

/** Injection token of the one ioredis client of a process. */
export const REDIS = Symbol('redis');

/**
 * A store that is slow or away must cost a request little: commands are neither queued while it is away nor
 * repeated, and a frozen one is given up after 200 ms. Reconnecting goes on for ever, at most two seconds apart.
 */
export function redisOptions(keyPrefix: string): RedisOptions {
  return {
    keyPrefix,
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 200,
    connectTimeout: 1_000,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  };
}

@Injectable()
class RedisConnector implements OnApplicationShutdown {
  private readonly logger = new Logger('Redis');
  private isDown = false;

  constructor(@Inject(REDIS) private readonly redis: Redis) {
    redis.on('error', (error: Error) => {
      if (!this.isDown) this.logger.warn({ msg: 'Redis is not available', reason: error.message });
      this.isDown = true;
    });
    redis.on('ready', () => {
      if (this.isDown) this.logger.log({ msg: 'Redis is available again' });
      this.isDown = false;
    });
    // a service starts without its Redis; the client goes on trying
    redis.connect().catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}

@Module({})
export class RedisModule {
  static forRoot(config: RedisConfig): DynamicModule {
    return {
      module: RedisModule,
      global: true,
      providers: [
        { provide: REDIS, useFactory: () => new Redis(config.url, redisOptions(config.keyPrefix)) },
        RedisConnector,
      ],
      exports: [REDIS],
    };
  }
}
