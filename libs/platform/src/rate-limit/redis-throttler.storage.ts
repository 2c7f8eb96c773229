import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type ThrottlerStorage, ThrottlerStorageService } from '@nestjs/throttler';
import { isRedisUnavailable, type RedisClient, RedisScript } from '../redis/redis-client.js';
import { REDIS } from '../redis/redis.module.js';
import { RATE_LIMIT, type RateLimitOptions } from './rate-limit.options.js';

export type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

export const WINDOW_MS = 60_000;

/**
 * Counts hits in a fixed window, which the first hit opens. A counter without an expiry (after a crash of another program) gets a
 * new one. Answers all hits and the milliseconds to the window's end; then the same of the whole, where hits within the limit count too.
 */
const COUNT = new RedisScript(`
local size = tonumber(ARGV[2])
local function count(key, more)
  local hits = redis.call('INCRBY', key, more)
  local ttl = redis.call('PTTL', key)
  if ttl < 0 then
    redis.call('PEXPIRE', key, ARGV[1])
    ttl = tonumber(ARGV[1])
  end
  return hits, ttl
end
local hits, ttl = count(KEYS[1], size)
if not KEYS[2] then return { hits, ttl } end
local allowed = math.max(0, math.min(size, tonumber(ARGV[3]) - hits + size))
return { hits, ttl, allowed, count(KEYS[2], allowed) }
`);

type Counted = readonly [
  hits: number,
  leftMs: number,
  allowed: number,
  wholeHits: number,
  wholeLeftMs: number,
];

/** Hits of one counter that are counted together; undefined while Redis is down. */
interface Batch {
  size: number;
  readonly counted: Promise<Counted | undefined>;
}

/** A hit, and the same hit in the whole if it counts there. */
export type CountedHit = ThrottlerRecord & { readonly whole?: ThrottlerRecord };

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

  /** @param whole counter, in the same slot, in which hits within the limit of this one count too: one call of Redis for both */
  async increment(
    key: string,
    ttlMs: number,
    limit: number,
    _blockMs?: number,
    _throttler?: string,
    whole?: string,
  ): Promise<CountedHit> {
    const batch = this.arriving.get(key) ?? { size: 0, counted: this.countBatch(key, ttlMs, limit, whole) };
    this.arriving.set(key, batch);
    const place = ++batch.size;
    const counted = await batch.counted;
    if (!counted) {
      const share = Math.max(1, Math.floor(limit / this.options.replicas));
      const own = await this.local.increment(key, ttlMs, share, ttlMs, 'default');
      // what is left here is what is left of the share
      return { ...own, totalHits: limit - share + own.totalHits };
    }
    const [hits, leftMs, allowed, wholeHits, wholeLeftMs] = counted;
    // the last hits of a batch are refused first
    const own = recordOf(hits - batch.size + place, leftMs, limit);
    if (whole === undefined || place > allowed) return own;
    return { ...own, whole: recordOf(wholeHits - allowed + place, wholeLeftMs) };
  }

  /** Counts a hit in a counter of that name. @returns seconds to wait if it is over the limit */
  async hit(name: string, perMinute: number): Promise<number | undefined> {
    const { isBlocked, timeToBlockExpire } = await this.increment(`{${name}}`, WINDOW_MS, perMinute);
    return isBlocked ? Math.max(1, timeToBlockExpire) : undefined;
  }

  private async countBatch(
    key: string,
    ttlMs: number,
    limit: number,
    whole: string | undefined,
  ): Promise<Counted | undefined> {
    // after all arrived requests have been read
    await endOfTurn();
    const { size } = this.arriving.get(key)!;
    this.arriving.delete(key);
    try {
      const keys = [key, ...(whole === undefined ? [] : [whole])].map((counter) => `rate:${counter}`);
      const answer = (await COUNT.run(this.redis, keys, [ttlMs, size, limit])) as Counted;
      this.note(false);
      return answer;
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      this.note(true);
      return undefined;
    }
  }

  private note(isLocal: boolean): void {
    if (isLocal === this.isLocal) return;
    this.isLocal = isLocal;
    const msg = isLocal ? 'Redis is down: limits are counted in memory' : 'limits are shared again';
    this.logger.warn({ msg });
  }
}

/** @param limit of the counter; the caller compares if it is not known here */
function recordOf(totalHits: number, leftMs: number, limit = Infinity): ThrottlerRecord {
  const timeToExpire = Math.ceil(leftMs / 1_000);
  return { totalHits, timeToExpire, isBlocked: totalHits > limit, timeToBlockExpire: timeToExpire };
}
