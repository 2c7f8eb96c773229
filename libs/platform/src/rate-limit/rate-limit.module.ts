import { setImmediate as endOfTurn } from 'node:timers/promises';
import { type DynamicModule, type ExecutionContext, Logger, Module, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ErrorDefinition } from '@fd/errors';
import { ThrottlerStorageService } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import type { RateLimitConfig } from '../config/common-settings.js';
import { countedAddress } from '../http/counted-address.js';
import type { RedisClient } from '../redis/redis-client.js';
import { isRedisUnavailable } from '../redis/redis-errors.js';
import { RedisScript } from '../redis/redis-script.js';
import { REDIS } from '../redis/redis.module.js';

const IS_UNCOUNTED = Symbol('is uncounted');

/** A controller that machines poll: the rate limit does not count its calls. */
export const Uncounted = (): ClassDecorator => SetMetadata(IS_UNCOUNTED, true);

const WINDOW_MS = 60_000;

/**
 * Counts hits in a fixed window; the first hit opens the window. A counter that lost its end (a crash between
 * two commands of somebody else's) gets a new one. Answers all hits and milliseconds to the window's end.
 */
const COUNT = new RedisScript(`
local hits = redis.call('INCRBY', KEYS[1], ARGV[2])
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  ttl = tonumber(ARGV[1])
end
return { hits, ttl }
`);

export interface RateLimitOptions extends RateLimitConfig {
  /** The 429. */
  readonly error: ErrorDefinition;
  /** Who is counted. Undefined counts the client's address. */
  readonly clientOf: (request: Request) => string | undefined;
}

type Count = Awaited<ReturnType<ThrottlerStorageService['increment']>>;

/** Hits of one client that are counted together; undefined while Redis is away. */
interface Batch {
  size: number;
  readonly counted: Promise<{ before: number; leftMs: number } | undefined>;
}

/**
 * One budget of calls a minute for a client over all routes and replicas, reported in the three x-ratelimit headers. Hits
 * of one client that arrive in the same turn of the event loop are counted in one go, each with a number of its own: the
 * limit is as exact as one by one, and the busier a client, the less each of its calls costs. While Redis is away each
 * replica counts its own share.
 */
export class RateLimit {
  private readonly logger = new Logger(RateLimit.name);
  private readonly local = new ThrottlerStorageService();
  private isLocal = false;
  /** By client, what has arrived in this turn of the event loop. */
  private readonly arriving = new Map<string, Batch>();

  constructor(
    private readonly redis: RedisClient,
    private readonly reflector: Reflector,
    private readonly options: RateLimitOptions,
  ) {}

  onApplicationShutdown(): void {
    this.local.onApplicationShutdown();
  }

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

  /** Counts a call of an address that may be only a share of its budget, under a name of its own. @throws AppError the 429 */
  async countShare(name: string, request: Request, share: number): Promise<void> {
    const { perMinute, error } = this.options;
    const { isBlocked, timeToBlockExpire } = await this.hit(
      `${name}:${addressOf(request)}`,
      Math.ceil(perMinute * share),
    );
    if (isBlocked) throw error({ retryAfterSeconds: Math.max(1, timeToBlockExpire) });
  }

  private async countFor(client: string, response: Response): Promise<void> {
    const { perMinute, error } = this.options;
    const { totalHits, timeToExpire, isBlocked, timeToBlockExpire } = await this.hit(client, perMinute);
    response.setHeader('x-ratelimit-limit', String(perMinute));
    response.setHeader('x-ratelimit-remaining', String(Math.max(0, perMinute - totalHits)));
    response.setHeader('x-ratelimit-reset', String(timeToExpire));
    if (isBlocked) throw error({ retryAfterSeconds: Math.max(1, timeToBlockExpire) });
  }

  /** Counts a call of what has a budget of its own, under a name of its own. */
  async hit(client: string, perMinute: number): Promise<Count> {
    const batch = this.arriving.get(client) ?? { size: 0, counted: this.countBatch(client) };
    this.arriving.set(client, batch);
    const place = ++batch.size;
    const counted = await batch.counted;
    if (!counted) {
      const share = Math.max(1, Math.floor(perMinute / this.options.replicas));
      return this.local.increment(client, WINDOW_MS, share, WINDOW_MS, 'default');
    }
    const totalHits = counted.before + place;
    const seconds = Math.ceil(counted.leftMs / 1_000);
    return {
      totalHits,
      timeToExpire: seconds,
      isBlocked: totalHits > perMinute,
      timeToBlockExpire: seconds,
    };
  }

  private async countBatch(client: string): Promise<Awaited<Batch['counted']>> {
    // after all that has arrived has been read
    await endOfTurn();
    const { size } = this.arriving.get(client)!;
    this.arriving.delete(client);
    try {
      const answer = await COUNT.run(this.redis, [`rate:{${client}}`], [WINDOW_MS, size]);
      const [all, leftMs] = answer as [number, number];
      this.note(false);
      return { before: all - size, leftMs };
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      this.note(true);
      return undefined;
    }
  }

  private note(isLocal: boolean): void {
    if (isLocal !== this.isLocal) {
      this.logger.warn({
        msg: isLocal ? 'Redis is away: limits are counted in memory' : 'limits are shared again',
      });
    }
    this.isLocal = isLocal;
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
          provide: RateLimit,
          inject: [REDIS, Reflector],
          useFactory: (redis: RedisClient, reflector: Reflector) => new RateLimit(redis, reflector, options),
        },
      ],
      exports: [RateLimit],
    };
  }
}
