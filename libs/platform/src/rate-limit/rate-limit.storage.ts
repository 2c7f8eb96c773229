import { Injectable, Logger } from '@nestjs/common';
import { type ThrottlerStorage, ThrottlerStorageService } from '@nestjs/throttler';
import type { RedisClient } from '../redis/redis-client.js';
import { isRedisUnavailable } from '../redis/redis-errors.js';

type Count = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * Counts one hit in a fixed window; the first hit opens the window. A counter that lost its end (a crash between
 * two commands of somebody else's) gets a new one. Answers hits and milliseconds to the window's end.
 */
const HIT = `
local hits = redis.call('INCR', KEYS[1])
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  ttl = tonumber(ARGV[1])
end
return { hits, ttl }
`;

/** Hits by client, shared by all replicas through Redis. While Redis is away each replica counts its own share. */
@Injectable()
export class RateLimitStorage implements ThrottlerStorage {
  private readonly logger = new Logger('RateLimit');
  private readonly local = new ThrottlerStorageService();
  private isLocal = false;

  constructor(
    private readonly redis: RedisClient,
    private readonly replicas: number,
  ) {}

  async increment(key: string, ttl: number, limit: number, _block: number, name: string): Promise<Count> {
    try {
      const [hits, ttlMs] = (await this.redis.eval(HIT, 1, `rate:{${key}}`, ttl)) as [number, number];
      this.note(false);
      return countOf(hits, limit, ttlMs);
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      this.note(true);
      const share = Math.max(1, Math.floor(limit / this.replicas));
      return this.local.increment(key, ttl, share, ttl, name);
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
