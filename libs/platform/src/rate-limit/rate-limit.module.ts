import { type DynamicModule, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { AppError, type ErrorCode } from '@fd/errors';
import { seconds, ThrottlerGuard, type ThrottlerLimitDetail, ThrottlerModule } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import type { RateLimitConfig } from '../config/common-settings.js';
import { countedAddress } from '../http/counted-address.js';
import type { RedisClient } from '../redis/redis-client.js';
import { REDIS } from '../redis/redis.module.js';
import { RateLimitStorage } from './rate-limit.storage.js';

const OVER_LIMIT_CODE = Symbol('over limit code');

export interface RateLimitOptions extends RateLimitConfig {
  /** Code of the 429. */
  readonly code: ErrorCode;
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
    const response = res as unknown as Response;
    response.setHeader('x-ratelimit-limit', String(detail.limit));
    response.setHeader('x-ratelimit-remaining', '0');
    response.setHeader('x-ratelimit-reset', String(detail.timeToExpire));
    const code = (this.options as { [OVER_LIMIT_CODE]?: ErrorCode })[OVER_LIMIT_CODE]!;
    throw new AppError(code, { retryAfterSeconds: Math.max(1, detail.timeToBlockExpire) });
  }
}

@Module({})
export class RateLimitModule {
  static forRoot({ perMinute, replicas, code, clientOf }: RateLimitOptions): DynamicModule {
    return {
      module: RateLimitModule,
      global: true,
      imports: [
        ThrottlerModule.forRootAsync({
          inject: [REDIS],
          useFactory: (redis: RedisClient) => ({
            throttlers: [{ ttl: seconds(60), limit: perMinute }],
            storage: new RateLimitStorage(redis, replicas),
            getTracker: (request: Record<string, unknown>) =>
              trackerOf(request as unknown as Request, clientOf),
            [OVER_LIMIT_CODE]: code,
          }),
        }),
      ],
      exports: [ThrottlerModule],
    };
  }
}

function trackerOf(request: Request, clientOf: RateLimitOptions['clientOf']): string {
  return clientOf(request) ?? `ip:${countedAddress(request.ip)}`;
}
