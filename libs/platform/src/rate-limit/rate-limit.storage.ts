import { Logger } from '@nestjs/common';
import { type ThrottlerStorage, ThrottlerStorageService } from '@nestjs/throttler';
import type { RedisClient } from '../redis/redis-client.js';
import { isRedisUnavailable } from '../redis/redis-errors.js';
import { RedisScript } from '../redis/redis-script.js';

type Count = Awaited<ReturnType<ThrottlerStorage['increment']>>;

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

/** A request that waits to hear how many of its client were before it. */
interface Hit {
  readonly limit: number;
  readonly resolve: (count: Count | Promise<Count>) => void;
  readonly reject: (error: unknown) => void;
}

/** Hits of one client that are counted together. */
interface Batch {
  readonly ttlMs: number;
  readonly name: string;
  readonly hits: Hit[];
}

/**
 * Hits by client, shared by all replicas through Redis. Those of one client that arrive in the same turn of the event
 * loop are counted in one go, each with a number of its own: the limit is as exact as one by one, and the busier a
 * client, the less each of its calls costs. While Redis is away each replica counts its own share.
 */
export class RateLimitStorage implements ThrottlerStorage {
  private readonly logger = new Logger('RateLimit');
  private readonly local = new ThrottlerStorageService();
  private isLocal = false;
  /** By client, what has arrived in this turn of the event loop. */
  private readonly arriving = new Map<string, Batch>();

  constructor(
    private readonly redis: RedisClient,
    private readonly replicas: number,
  ) {}

  increment(key: string, ttl: number, limit: number, _block: number, name: string): Promise<Count> {
    return new Promise((resolve, reject) => {
      const hit = { limit, resolve, reject };
      const batch = this.arriving.get(key);
      if (batch) batch.hits.push(hit);
      else this.open(key, { ttlMs: ttl, name, hits: [hit] });
    });
  }

  private open(key: string, batch: Batch): void {
    this.arriving.set(key, batch);
    // after all that has arrived has been read
    setImmediate(() => {
      this.arriving.delete(key);
      void this.count(key, batch);
    });
  }

  private async count(key: string, { ttlMs, name, hits }: Batch): Promise<void> {
    try {
      const counter = `rate:{${key}}`;
      const answer = await COUNT.run(this.redis, [counter], [ttlMs, hits.length]);
      const [all, leftMs] = answer as [number, number];
      this.note(false);
      hits.forEach(({ limit, resolve }, index) =>
        resolve(countOf(all - hits.length + index + 1, limit, leftMs)),
      );
    } catch (error) {
      if (!isRedisUnavailable(error)) return hits.forEach(({ reject }) => reject(error));
      this.note(true);
      for (const { limit, resolve } of hits) {
        const share = Math.max(1, Math.floor(limit / this.replicas));
        resolve(this.local.increment(key, ttlMs, share, ttlMs, name));
      }
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

  onApplicationShutdown(): void {
    this.local.onApplicationShutdown();
  }
}

function countOf(hits: number, limit: number, ttlMs: number): Count {
  const seconds = Math.ceil(ttlMs / 1_000);
  const isBlocked = hits > limit;
  return { totalHits: hits, timeToExpire: seconds, isBlocked, timeToBlockExpire: isBlocked ? seconds : 0 };
}
