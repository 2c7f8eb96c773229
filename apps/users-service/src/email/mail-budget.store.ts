import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Clock, REDIS } from '@fd/platform';
import type { Redis } from 'ioredis';
import { MAILS_WINDOW_SECONDS, MAX_MAILS_PER_DAY } from './email.policy.js';

export type MailPermit =
  | { readonly isGranted: true; readonly id: string }
  | { readonly isGranted: false; readonly retryAfterSeconds: number };

/**
 * Counts a mail in one atomic step, on Redis's own clock (plus ARGV[1], which only tests set).
 * KEYS mails (zset: id -> time in ms)   ARGV ahead, id, windowMs, max
 * Answers ms until the next one is granted; 0: this one is.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
local window, max = tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
if redis.call('ZCARD', KEYS[1]) >= max then
  return math.max(tonumber(redis.call('ZREVRANGE', KEYS[1], max - 1, max - 1, 'WITHSCORES')[2]) + window - now, 1)
end
redis.call('ZADD', KEYS[1], now, ARGV[2])
redis.call('PEXPIRE', KEYS[1], window)
return 0
`;

/** How many mails each user has caused. */
@Injectable()
export class MailBudget {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly clock: Clock,
  ) {}

  async take(userId: string): Promise<MailPermit> {
    const id = randomBytes(9).toString('base64url');
    const args = [this.clock.aheadMs, id, MAILS_WINDOW_SECONDS * 1_000, MAX_MAILS_PER_DAY];
    const waitMs = Number(await this.redis.eval(TAKE, 1, nameOf(userId), ...args));
    if (waitMs === 0) return { isGranted: true, id };
    return { isGranted: false, retryAfterSeconds: Math.ceil(waitMs / 1_000) };
  }

  /** Takes a mail back that cannot have been sent. */
  async giveBack(userId: string, id: string): Promise<void> {
    await this.redis.zrem(nameOf(userId), id);
  }
}

const nameOf = (userId: string): string => `mails:${userId}`;
