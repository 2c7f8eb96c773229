import {
  type DynamicModule,
  Injectable,
  Inject,
  Logger,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Cluster, type Redis } from 'ioredis';
import type { RedisConfig } from '../config/common-settings.js';
import { StoreCalls } from '../observability/store-calls.js';
import { type RedisClient, redisClient } from './redis-client.js';

/** Injection token of the one Redis client of a process. */
export const REDIS = Symbol('redis');

/** Connects in the background, so that a service starts without its Redis, and logs outages and recoveries. */
@Injectable()
class RedisConnector implements OnApplicationShutdown {
  private readonly logger = new Logger('Redis');
  private readonly away = new Set<string>();

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

const nameOf = ({ options }: Redis): string => `${options.host}:${options.port}`;

@Module({})
export class RedisModule {
  static forRoot(config: RedisConfig): DynamicModule {
    return {
      module: RedisModule,
      global: true,
      providers: [
        {
          provide: REDIS,
          inject: [StoreCalls],
          useFactory: (calls: StoreCalls) => redisClient(config, calls),
        },
        RedisConnector,
      ],
      exports: [REDIS],
    };
  }
}
