import { type DynamicModule, type ExecutionContext, Module } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ErrorDefinition } from '@fd/errors';
import { seconds, ThrottlerStorage } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import type { RateLimitConfig } from '../config/common-settings.js';
import { countedAddress } from '../http/counted-address.js';
import type { RedisClient } from '../redis/redis-client.js';
import { REDIS } from '../redis/redis.module.js';
import { RateLimitStorage } from './rate-limit.storage.js';
import { IS_UNCOUNTED } from './uncounted.decorator.js';

const WINDOW_MS = seconds(60);

export interface RateLimitOptions extends RateLimitConfig {
  /** The 429. */
  readonly error: ErrorDefinition;
  /** Who is counted. Undefined counts the client's address. */
  readonly clientOf: (request: Request) => string | undefined;
}

/** One budget of calls a minute for a client over all routes, reported in the three x-ratelimit headers. */
export class RateLimit {
  constructor(
    private readonly storage: ThrottlerStorage,
    private readonly reflector: Reflector,
    private readonly options: RateLimitOptions,
  ) {}

  /** Counts a call of a route, unless the route is uncounted. @throws AppError the 429 */
  async count(context: ExecutionContext): Promise<void> {
    if (this.reflector.get<true | undefined>(IS_UNCOUNTED, context.getClass())) return;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const client = this.options.clientOf(request) ?? addressOf(request);
    await this.countFor(client, http.getResponse<Response>());
  }

  /** Counts what none of our routes answers. @throws AppError the 429 */
  async countByAddress(request: Request, response: Response): Promise<void> {
    await this.countFor(addressOf(request), response);
  }

  private async countFor(client: string, response: Response): Promise<void> {
    const { perMinute, error } = this.options;
    const count = await this.storage.increment(client, WINDOW_MS, perMinute, WINDOW_MS, 'default');
    response.setHeader('x-ratelimit-limit', String(perMinute));
    response.setHeader('x-ratelimit-remaining', String(Math.max(0, perMinute - count.totalHits)));
    response.setHeader('x-ratelimit-reset', String(count.timeToExpire));
    if (count.isBlocked) throw error({ retryAfterSeconds: Math.max(1, count.timeToBlockExpire) });
  }
}

const addressOf = ({ ip }: Request): string => `ip:${countedAddress(ip)}`;

@Module({})
export class RateLimitModule {
  static forRoot(options: RateLimitOptions): DynamicModule {
    return {
      module: RateLimitModule,
      global: true,
      providers: [
        {
          provide: ThrottlerStorage,
          inject: [REDIS],
          useFactory: (redis: RedisClient) => new RateLimitStorage(redis, options.replicas),
        },
        {
          provide: RateLimit,
          inject: [ThrottlerStorage, Reflector],
          useFactory: (storage: ThrottlerStorage, reflector: Reflector) =>
            new RateLimit(storage, reflector, options),
        },
      ],
      exports: [ThrottlerStorage, RateLimit],
    };
  }
}
