import { type DynamicModule, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Cluster, type Redis } from 'ioredis';
import type { RedisConfig } from '../config/common-settings.js';
import { StoreCalls } from '../observability/store-calls.js';
import { type RedisClient, redisClient } from './redis-client.js';

export const REDIS = Symbol('redis');

const nameOf = ({ options }: Redis): string => `${options.host}:${options.port}`;

/** Connects in the background, so that a service starts without its Redis, and logs outages and recoveries. */
@Module({})
export class RedisModule implements OnApplicationShutdown {
  private readonly logger = new Logger('Redis');
  private readonly away = new Set<string>();

  static forRoot(config: RedisConfig): DynamicModule {
    const useFactory = (calls: StoreCalls): RedisClient => redisClient(config, calls);
    const client = { provide: REDIS, inject: [StoreCalls], useFactory };
    return { module: RedisModule, global: true, providers: [client], exports: [REDIS] };
  }

  constructor(@Inject(REDIS) private readonly redis: RedisClient) {
    this.watch(redis, redis instanceof Cluster ? 'cluster' : nameOf(redis));
    if (redis instanceof Cluster) redis.on('+node', (node: Redis) => this.watch(node, nameOf(node)));
    // the client keeps trying
    redis.connect().catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  private watch(connection: RedisClient, node: string): void {
    connection.on('error', (error: Error) => {
      if (!this.away.has(node))
        this.logger.warn({ msg: 'Redis is not available', node, reason: error.message });
      this.away.add(node);
    });
    connection.on('ready', () => {
      if (this.away.delete(node)) this.logger.log({ msg: 'Redis is available again', node });
    });
  }
}
