import { type DynamicModule, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import type { ErrorDefinition } from '@fd/errors';
import {
  seconds,
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  ThrottlerModule,
  ThrottlerStorage,
} from '@nestjs/throttler';
import type { Request, Response } from 'express';
import type { RateLimitConfig } from '../config/common-settings.js';
import { countedAddress } from '../http/counted-address.js';
import type { RedisClient } from '../redis/redis-client.js';
import { REDIS } from '../redis/redis.module.js';
import { RateLimitStorage } from './rate-limit.storage.js';

const WINDOW_MS = seconds(60);
const OVER_LIMIT = Symbol('over the limit');

export interface RateLimitOptions extends RateLimitConfig {
  /** The 429. */
  readonly error: ErrorDefinition;
  /** Who is counted. Undefined counts the client's address. */
  readonly clientOf: (request: Request) => string | undefined;
}

/** One budget of calls a minute for a client over all routes, told in the three x-ratelimit headers. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override generateKey(_context: ExecutionContext, client: string): string {
    return client;
  }

  protected override throwThrottlingException(
    context: ExecutionContext,
    detail: ThrottlerLimitDetail,
  ): Promise<void> {
    const { res } = this.getRequestResponse(context);
    tellLimit(res as unknown as Response, detail.limit, { ...detail, totalHits: detail.limit });
    const overLimit = (this.options as { [OVER_LIMIT]?: ErrorDefinition })[OVER_LIMIT]!;
    throw overLimit({ retryAfterSeconds: Math.max(1, detail.timeToBlockExpire) });
  }
}

/** The same budget for what no guard sees, because none of our routes answers it: counted by address. */
export class UnguardedLimit {
  constructor(
    private readonly storage: ThrottlerStorage,
    private readonly perMinute: number,
    private readonly overLimit: ErrorDefinition,
  ) {}

  /** Counts a call and tells what is left. @throws AppError the 429 when nothing is */
  async count(request: Request, response: Response): Promise<void> {
    const client = addressOf(request);
    const count = await this.storage.increment(client, WINDOW_MS, this.perMinute, WINDOW_MS, 'default');
    tellLimit(response, this.perMinute, count);
    if (count.isBlocked) throw this.overLimit({ retryAfterSeconds: Math.max(1, count.timeToBlockExpire) });
  }
}

@Module({})
export class RateLimitModule {
  static forRoot({ perMinute, replicas, error, clientOf }: RateLimitOptions): DynamicModule {
    return {
      module: RateLimitModule,
      global: true,
      imports: [
        ThrottlerModule.forRootAsync({
          inject: [REDIS],
          useFactory: (redis: RedisClient) => ({
            throttlers: [{ ttl: WINDOW_MS, limit: perMinute }],
            storage: new RateLimitStorage(redis, replicas),
            getTracker: (request: Record<string, unknown>) =>
              trackerOf(request as unknown as Request, clientOf),
            [OVER_LIMIT]: error,
          }),
        }),
      ],
      providers: [
        {
          provide: UnguardedLimit,
          inject: [ThrottlerStorage],
          useFactory: (storage: ThrottlerStorage) => new UnguardedLimit(storage, perMinute, error),
        },
      ],
      exports: [ThrottlerModule, UnguardedLimit],
    };
  }
}

function trackerOf(request: Request, clientOf: RateLimitOptions['clientOf']): string {
  return clientOf(request) ?? addressOf(request);
}

const addressOf = ({ ip }: Request): string => `ip:${countedAddress(ip)}`;

function tellLimit(
  response: Response,
  limit: number,
  { totalHits, timeToExpire }: { totalHits: number; timeToExpire: number },
): void {
  response.setHeader('x-ratelimit-limit', String(limit));
  response.setHeader('x-ratelimit-remaining', String(Math.max(0, limit - totalHits)));
  response.setHeader('x-ratelimit-reset', String(timeToExpire));
}
