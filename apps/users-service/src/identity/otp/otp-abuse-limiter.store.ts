import { Inject, Injectable, Logger } from '@nestjs/common';
import { countedAddress, REDIS, type RedisClient, RedisScript } from '@fd/platform';
import { Counter, Registry } from 'prom-client';
import { OtpConfig } from '../../config/index.js';
import { KeyedHash } from '../../core/index.js';
import { DAY_SECONDS, HOUR_SECONDS, OTP_POLICY } from './otp.policy.js';

/** Below this many sends an hour a rate of verified codes means nothing. */
const CONVERSION_SAMPLE = 200;
const SUSPENSION_SECONDS = DAY_SECONDS / 2;

/**
 * Counts a send against an hour's limit and against the share of verified codes. Answers ms to wait, 0: go on.
 * KEYS watch hash, suspension   ARGV limit (0: none), minConversionPercent, hourMs, sample, suspensionMs, codeLifeMs
 */
const COUNT = new RedisScript(`
local suspended = redis.call('PTTL', KEYS[2])
if suspended > 0 then return suspended end
local counts = redis.call('HMGET', KEYS[1], 'sent', 'verified')
local sent, verified = tonumber(counts[1] or '0'), tonumber(counts[2] or '0')
local limit, percent = tonumber(ARGV[1]), tonumber(ARGV[2])
local age = tonumber(ARGV[3]) - math.max(redis.call('PTTL', KEYS[1]), 0)
if limit > 0 and sent >= limit then return math.max(redis.call('PTTL', KEYS[1]), 1) end
-- codes that are still alive may yet be verified
if percent > 0 and age >= tonumber(ARGV[6]) and sent >= tonumber(ARGV[4]) and verified * 100 < sent * percent then
  redis.call('SET', KEYS[2], 1, 'PX', ARGV[5])
  return tonumber(ARGV[5])
end
redis.call('HINCRBY', KEYS[1], 'sent', 1)
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return 0
`);

/** Takes a send back that was refused for another reason, if it is still being counted. */
const UNCOUNT = new RedisScript(`
if tonumber(redis.call('HGET', KEYS[1], 'sent') or '0') > 0 then redis.call('HINCRBY', KEYS[1], 'sent', -1) end
return 0
`);

/** Counts a verified code, if its send is still being counted. */
const VERIFIED = new RedisScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HINCRBY', KEYS[1], 'verified', 1) end
return 0
`);

/** One key under which the sends of an hour are counted together. */
interface CountedKey {
  readonly by: 'address' | 'prefix' | 'service';
  readonly key: string;
  /** 0: none. */
  readonly limit: number;
  readonly minPercent?: number;
}

/**
 * Limits sends against SMS pumping: by client address, by number prefix (the first seven digits, a range that an attacker
 * buys to collect the termination fees of messages), and for the whole service. Refuses only as the settings say.
 */
@Injectable()
export class OtpAbuseLimiter {
  private readonly logger = new Logger(OtpAbuseLimiter.name);
  private readonly suspensions: Counter<'by'>;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly config: OtpConfig,
    private readonly hash: KeyedHash,
    registry: Registry,
  ) {
    this.suspensions = new Counter({
      name: 'otp_sends_suspended_total',
      help: 'Sends refused because of their address, their number prefix, or all sends of the service',
      labelNames: ['by'],
      registers: [registry],
    });
  }

  /** Seconds until a send from this address to this phone is accepted; 0: it is, and was counted. */
  async countSend(phone: string, ip: string): Promise<number> {
    const keys = this.keysOf(phone, ip);
    for (const [i, { by, key, limit, minPercent = 0 }] of keys.entries()) {
      const waitMs = await this.count(key, limit, minPercent);
      if (waitMs === 0) continue;
      await this.uncount(keys.slice(0, i));
      this.suspensions.inc({ by });
      this.logger.warn({ msg: 'sends are suspended', by });
      return Math.ceil(waitMs / 1_000);
    }
    return 0;
  }

  /** Takes a counted send back: neither a refused nor an undelivered one may use up what others share. */
  async uncountSend(phone: string, ip: string): Promise<void> {
    await this.uncount(this.keysOf(phone, ip));
  }

  async countVerified(phone: string, ip: string): Promise<void> {
    for (const { key } of this.keysOf(phone, ip)) await VERIFIED.run(this.redis, [key], []);
  }

  /** The keys of a send; those that many senders share come last. */
  private keysOf(phone: string, ip: string): CountedKey[] {
    const { sendsPerIpHour, sendsPerPrefixHour, sendsPerHour, minConversionPercent } = this.config;
    const prefix = { limit: sendsPerPrefixHour, minPercent: minConversionPercent };
    return [
      { by: 'address', key: this.ipKey(ip), limit: sendsPerIpHour },
      { by: 'prefix', key: this.prefixKey(phone), ...prefix },
      // one key for all sends: only where a limit is set
      ...(sendsPerHour > 0 ? [{ by: 'service', key: 'watch:{service}', limit: sendsPerHour } as const] : []),
    ];
  }

  private async uncount(keys: readonly CountedKey[]): Promise<void> {
    for (const { key } of keys) await UNCOUNT.run(this.redis, [key], []);
  }

  private async count(key: string, limit: number, minPercent: number): Promise<number> {
    const args = [
      limit,
      minPercent,
      HOUR_SECONDS * 1_000,
      CONVERSION_SAMPLE,
      SUSPENSION_SECONDS * 1_000,
      OTP_POLICY.lifeSeconds * 1_000,
    ];
    return Number(await COUNT.run(this.redis, [key, `${key}:off`], args));
  }

  private ipKey(ip: string): string {
    return `watch:{ip:${this.hash.of('watch-ip', countedAddress(ip)).toString('base64url', 0, 12)}}`;
  }

  private prefixKey(phone: string): string {
    return `watch:{prefix:${this.hash.of('watch-prefix', phone.slice(0, 7)).toString('base64url', 0, 12)}}`;
  }
}
