import { Inject, Injectable, Logger } from '@nestjs/common';
import { countedAddress, REDIS, type RedisClient } from '@fd/platform';
import { Counter, Registry } from 'prom-client';
import { USERS_CONFIG } from '../config/config.module.js';
import type { UsersConfig } from '../config/users-config.js';
import { KeyedHash } from '../pii/keyed-hash.js';
import { DAY_SECONDS, HOUR_SECONDS, OTP_POLICY } from './otp.policy.js';

/** Below this many sends an hour a rate of verified codes means nothing. */
const CONVERSION_SAMPLE = 200;
const SUSPENSION_SECONDS = DAY_SECONDS / 2;

/**
 * Counts a send against an hour's limit and against the share of verified codes. Answers ms to wait, 0: go on.
 * KEYS watch hash, suspension   ARGV limit (0: none), minConversionPercent, hourMs, sample, suspensionMs, codeLifeMs
 */
const COUNT = `
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
`;

/** Takes a send back that was refused for another reason, if it is still being counted. */
const UNCOUNT = `
if tonumber(redis.call('HGET', KEYS[1], 'sent') or '0') > 0 then redis.call('HINCRBY', KEYS[1], 'sent', -1) end
return 0
`;

/** Counts a verified code, if its send is still being counted. */
const VERIFIED = `
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HINCRBY', KEYS[1], 'verified', 1) end
return 0
`;

/**
 * Watches who makes us send messages: by client address and by number prefix (the first seven digits, a range
 * that one buys to collect the termination fees of messages). Counts always; refuses only as the settings say.
 */
@Injectable()
export class SendWatch {
  private readonly logger = new Logger('SendWatch');
  private readonly suspensions: Counter<'by'>;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(USERS_CONFIG) private readonly config: UsersConfig,
    private readonly hash: KeyedHash,
    registry: Registry,
  ) {
    this.suspensions = new Counter({
      name: 'otp_sends_suspended_total',
      help: 'Sends refused because of their address or number prefix',
      labelNames: ['by'],
      registers: [registry],
    });
  }

  /** Seconds until a send from this address to this phone is accepted; 0: it is, and was counted. */
  async countSend(phone: string, ip: string): Promise<number> {
    const { sendsPerIpHour, sendsPerPrefixHour, minConversionPercent } = this.config.otp;
    const byIp = await this.count(this.ipKey(ip), sendsPerIpHour, 0);
    const byPrefix =
      byIp > 0 ? 0 : await this.count(this.prefixKey(phone), sendsPerPrefixHour, minConversionPercent);
    if (byIp === 0 && byPrefix === 0) return 0;
    const by = byIp > 0 ? 'address' : 'prefix';
    this.suspensions.inc({ by });
    this.logger.warn({ msg: 'sends are suspended', by });
    return Math.ceil(Math.max(byIp, byPrefix) / 1_000);
  }

  /** Takes a counted send back: neither a refused nor an undelivered one may use up what others share. */
  async uncountSend(phone: string, ip: string): Promise<void> {
    for (const key of this.keys(phone, ip)) await this.redis.eval(UNCOUNT, 1, key);
  }

  async countVerified(phone: string, ip: string): Promise<void> {
    for (const key of this.keys(phone, ip)) await this.redis.eval(VERIFIED, 1, key);
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
    return Number(await this.redis.eval(COUNT, 2, key, `${key}:off`, ...args));
  }

  private ipKey(ip: string): string {
    return `watch:{ip:${this.hash.of('watch-ip', countedAddress(ip)).toString('base64url', 0, 12)}}`;
  }

  private prefixKey(phone: string): string {
    return `watch:{prefix:${this.hash.of('watch-prefix', phone.slice(0, 7)).toString('base64url', 0, 12)}}`;
  }

  private keys(phone: string, ip: string): string[] {
    return [this.ipKey(ip), this.prefixKey(phone)];
  }
}
