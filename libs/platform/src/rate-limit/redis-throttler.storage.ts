import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type ThrottlerStorage, ThrottlerStorageService } from '@nestjs/throttler';
import type { RedisClient } from '../redis/redis-client.js';
import { isRedisUnavailable } from '../redis/redis-errors.js';
import { RedisScript } from '../redis/redis-script.js';
import { REDIS } from '../redis/redis.module.js';
import { RATE_LIMIT, type RateLimitOptions } from './rate-limit.options.js';

export type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

export const WINDOW_MS = 60_000;

/**
 * Counts hits in a fixed window, which the first hit opens. A counter without an expiry (after a crash of another program) gets a
 * new one. Answers all hits and the milliseconds to the window's end.
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

/** Hits of one counter that are counted together; undefined while Redis is down. */
interface Batch {
  size: number;
  readonly counted: Promise<readonly [hits: number, leftMs: number] | undefined>;
}

/**
 * The throttler's counters, shared by all replicas in Redis. Hits of one counter in the same turn of the event loop are counted
 * together, each with its own number: the limit stays exact, and calls of a busy caller cost less. While Redis is down each replica
 * counts its own share in memory.
 */
@Injectable()
export class RedisThrottlerStorage implements ThrottlerStorage {
  private readonly logger = new Logger(RedisThrottlerStorage.name);
  private readonly local = new ThrottlerStorageService();
  private isLocal = false;
  /** Hits of this turn of the event loop. */
  private readonly arriving = new Map<string, Batch>();

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(RATE_LIMIT) private readonly options: RateLimitOptions,
  ) {}

  onApplicationShutdown(): void {
    this.local.onApplicationShutdown();
  }

  async increment(key: string, ttlMs: number, limit: number): Promise<ThrottlerRecord> {
    const batch = this.arriving.get(key) ?? { size: 0, counted: this.countBatch(key, ttlMs) };
    this.arriving.set(key, batch);
    const place = ++batch.size;
    const counted = await batch.counted;
    if (!counted) return this.incrementLocally(key, ttlMs, limit);
    const [hits, leftMs] = counted;
    // the last hits of a batch are refused first
    const totalHits = hits - batch.size + place;
    const timeToExpire = Math.ceil(leftMs / 1_000);
    return { totalHits, timeToExpire, isBlocked: totalHits > limit, timeToBlockExpire: timeToExpire };
  }

  /**
   * Counts a hit in a counter of that name.
   * @returns seconds to wait if it is over the limit
   */
  async hit(name: string, perMinute: number): Promise<number | undefined> {
    const { isBlocked, timeToBlockExpire } = await this.increment(`{${name}}`, WINDOW_MS, perMinute);
    return isBlocked ? Math.max(1, timeToBlockExpire) : undefined;
  }

  private async incrementLocally(key: string, ttlMs: number, limit: number): Promise<ThrottlerRecord> {
    const share = Math.max(1, Math.floor(limit / this.options.replicas));
    return this.local.increment(key, ttlMs, share, ttlMs, 'default');
  }

  private async countBatch(key: string, ttlMs: number): Promise<readonly [number, number] | undefined> {
    // after all arrived requests have been read
    await endOfTurn();
    const { size } = this.arriving.get(key)!;
    this.arriving.delete(key);
    try {
      const answer = (await COUNT.run(this.redis, [`rate:${key}`], [ttlMs, size])) as [number, number];
      this.note(false);
      return answer;
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      this.note(true);
      return undefined;
    }
  }

  private note(isLocal: boolean): void {
    if (isLocal !== this.isLocal) {
      this.logger.warn({
        msg: isLocal ? 'Redis is down: limits are counted in memory' : 'limits are shared again',
      });
    }
    this.isLocal = isLocal;
  }
}
