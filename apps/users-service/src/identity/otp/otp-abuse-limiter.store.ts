import { Inject, Injectable, Logger } from '@nestjs/common';
import { countedAddress, REDIS, type RedisClient, RedisScript } from '@fd/platform';
import { Counter, Registry } from 'prom-client';
import { OtpConfig } from '../../config/index.js';
import { KeyedHash } from '../../core/index.js';
import { OTP_POLICY } from './otp.policy.js';

const HOUR_MS = 3_600_000;
const SUSPENSION_MS = 12 * HOUR_MS;
/** Below this many sends an hour a rate of verified codes means nothing. */
const CONVERSION_SAMPLE = 200;

/**
 * Counts a send against an hour's limit and against the share of verified codes. Answers ms to wait, 0: go on.
 * KEYS watch hash, suspension   ARGV limit (0: none), minConversionPercent (0: none)
 */
const COUNT = new RedisScript(`
local suspended = redis.call('PTTL', KEYS[2])
if suspended > 0 then return suspended end
local counts = redis.call('HMGET', KEYS[1], 'sent', 'verified')
local sent, verified = tonumber(counts[1] or '0'), tonumber(counts[2] or '0')
local limit, percent = tonumber(ARGV[1]), tonumber(ARGV[2])
if limit > 0 and sent >= limit then return math.max(redis.call('PTTL', KEYS[1]), 1) end
-- codes that are still alive may yet be verified
local age = ${HOUR_MS} - math.max(redis.call('PTTL', KEYS[1]), 0)
local isSettled = age >= ${OTP_POLICY.lifeSeconds * 1_000} and sent >= ${CONVERSION_SAMPLE}
if percent > 0 and isSettled and verified * 100 < sent * percent then
  redis.call('SET', KEYS[2], 1, 'PX', ${SUSPENSION_MS})
  return ${SUSPENSION_MS}
end
redis.call('HINCRBY', KEYS[1], 'sent', 1)
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ${HOUR_MS}) end
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

  /** Milliseconds until a send from this address to this phone is accepted; 0: it is, and was counted. */
  async countSend(phone: string, ip: string): Promise<number> {
    const counts = this.countsOf(phone, ip);
    for (const [i, { by, key, limit, minPercent }] of counts.entries()) {
      const waitMs = Number(await COUNT.run(this.redis, [key, `${key}:off`], [limit, minPercent]));
      if (waitMs === 0) continue;
      await this.runForEach(UNCOUNT, counts.slice(0, i));
      this.suspensions.inc({ by });
      this.logger.warn({ msg: 'sends are suspended', by });
      return waitMs;
    }
    return 0;
  }

  /** Takes a counted send back: neither a refused nor an undelivered one may use up what others share. */
  async uncountSend(phone: string, ip: string): Promise<void> {
    await this.runForEach(UNCOUNT, this.countsOf(phone, ip));
  }

  /** For statistics: the caller need not wait, and it never fails. */
  async countVerified(phone: string, ip: string): Promise<void> {
    await this.runForEach(VERIFIED, this.countsOf(phone, ip)).catch((error: unknown) => {
      this.logger.warn({ msg: 'a verified code was not counted', reason: (error as Error).message });
    });
  }

  private async runForEach(script: RedisScript, counts: readonly { key: string }[]): Promise<void> {
    for (const { key } of counts) await script.run(this.redis, [key], []);
  }

  /** What a send is counted under; what many senders share comes last. */
  private countsOf(phone: string, ip: string) {
    const {
      sendsPerIpHour,
      sendsPerPrefixHour,
      sendsPerHour,
      minConversionPercent: minPercent,
    } = this.config;
    const counts = [
      { by: 'address', key: this.keyOf('ip', countedAddress(ip)), limit: sendsPerIpHour, minPercent: 0 },
      { by: 'prefix', key: this.keyOf('prefix', phone.slice(0, 7)), limit: sendsPerPrefixHour, minPercent },
    ];
    // one key for all sends: only where a limit is set
    if (sendsPerHour === 0) return counts;
    return [...counts, { by: 'service', key: 'watch:{service}', limit: sendsPerHour, minPercent: 0 }];
  }

  private keyOf(kind: 'ip' | 'prefix', value: string): string {
    return `watch:{${kind}:${this.hash.of(`watch-${kind}`, value).toString('base64url', 0, 12)}}`;
  }
}
