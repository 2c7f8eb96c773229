import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock, isRedisUnavailable, REDIS, type RedisClient, RedisScript } from '@fd/platform';
import { OTP_POLICY } from './otp.policy.js';

const { maxSends, maxSendsPerDay, maxTries, maxWrongPerHour, maxWrongPerDay } = OTP_POLICY;

/**
 * The OTP engine's decisions, each one atomic step in Redis: exact under any number of parallel calls and
 * replicas. Time is Redis's own (plus ARGV[1], which only tests set), so a replica's wrong clock changes nothing.
 * Every script gets all keys of one subject, and answers JSON. Lists in ARGV are separated by commas.
 *   code  hash   nonce, fingerprint, expires (ms), tries, dead
 *   sends zset   id -> time (ms) of each counted send, kept for a day
 *   wrong zset   id -> time (ms) of each wrong check, kept for a day
 *   pause hash   until, since (ms): checks are paused
 *   used  hash   the code that was used last and by which check, for a minute
 */
const SUBJECT_KEYS = ['code', 'sends', 'wrong', 'pause', 'used'] as const;

const script = (decision: string): RedisScript =>
  new RedisScript(`
local CODE, SENDS, WRONG, PAUSE, USED = unpack(KEYS)
local HOUR, DAY = 3600000, 86400000
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
local function answer(outcome, fields)
  fields.outcome = outcome
  return cjson.encode(fields)
end
local function pausedMs()
  return math.max(tonumber(redis.call('HGET', PAUSE, 'until') or '0') - now, 0)
end
local function pauseUntil(ms)
  redis.call('HSET', PAUSE, 'until', ms, 'since', now)
  redis.call('PEXPIRE', PAUSE, DAY)
end
local function sendsWithin(window)
  return redis.call('ZCOUNT', SENDS, '(' .. (now - window), '+inf')
end
-- ms until one more send fits into a window; 0 when it fits now
local function windowWaitMs(window, max)
  if sendsWithin(window) < max then return 0 end
  local oldest = redis.call('ZREVRANGE', SENDS, max - 1, max - 1, 'WITHSCORES')
  return math.max(tonumber(oldest[2]) + window - now, 1)
end
local WINDOW = ${OTP_POLICY.sendWindowSeconds * 1_000}
local function sendWaitMs()
  return math.max(windowWaitMs(WINDOW, ${maxSends}), windowWaitMs(DAY, ${maxSendsPerDay}))
end
${decision}`);

/**
 * Counts a send and says which code it carries: the living one, else the offered new one. A living one whose secret
 * is known no more cannot be made anew.
 */
const COUNT_SEND = script(`
local sendId, newNonce, fingerprint, lifeMs, secretIds = unpack(ARGV, 2)
local paused = pausedMs()
if paused > 0 then return answer('paused', { waitMs = paused }) end
redis.call('ZREMRANGEBYSCORE', SENDS, '-inf', now - DAY)
local wait = sendWaitMs()
if wait > 0 then return answer('exhausted', { waitMs = wait }) end
local used = sendsWithin(WINDOW)
redis.call('ZADD', SENDS, now, sendId)
redis.call('PEXPIRE', SENDS, DAY)
local code = redis.call('HMGET', CODE, 'nonce', 'expires', 'dead')
local nonce, expires = code[1], tonumber(code[2] or '0')
local secretId = nonce and (string.match(nonce, '^([^.]+)%.') or '')
local isLost = nonce and not string.find(',' .. secretIds .. ',', ',' .. secretId .. ',', 1, true)
if not nonce or isLost or code[3] or expires - now <= ${OTP_POLICY.renewSeconds * 1_000} then
  nonce, expires = newNonce, now + tonumber(lifeMs)
  redis.call('DEL', CODE)
  redis.call('HSET', CODE, 'nonce', nonce, 'fingerprint', fingerprint, 'expires', expires, 'tries', 0)
  redis.call('PEXPIRE', CODE, tonumber(lifeMs) + 60000)
end
local left = math.min(${maxSends} - used - 1, ${maxSendsPerDay} - redis.call('ZCARD', SENDS))
return answer('counted',
  { used = used, left = left, waitMs = sendWaitMs(), nonce = nonce, expiresAtMs = expires, leftMs = expires - now })
`);

/** Compares a code. The try is counted before the comparison. */
const CHECK_CODE = script(`
local checkId, fingerprints = unpack(ARGV, 2)
local paused = pausedMs()
if paused > 0 then return answer('exhausted', { waitMs = paused }) end
local code = redis.call('HMGET', CODE, 'nonce', 'fingerprint', 'expires', 'dead')
if not code[1] or tonumber(code[3]) <= now then return answer('none', {}) end
if code[4] then return answer('exhausted', { waitMs = sendWaitMs() }) end
local tries = redis.call('HINCRBY', CODE, 'tries', 1)
if string.find(',' .. fingerprints .. ',', ',' .. code[2] .. ',', 1, true) then
  redis.call('DEL', CODE, SENDS, WRONG, PAUSE)
  redis.call('HSET', USED,
    'check', checkId, 'nonce', code[1], 'fingerprint', code[2], 'expires', code[3], 'tries', tries - 1)
  redis.call('PEXPIRE', USED, 60000)
  return answer('right', { expiresAtMs = tonumber(code[3]), atMs = now })
end
if tries >= ${maxTries} then redis.call('HSET', CODE, 'dead', 1) end
redis.call('ZREMRANGEBYSCORE', WRONG, '-inf', now - DAY)
redis.call('ZADD', WRONG, now, checkId)
redis.call('PEXPIRE', WRONG, DAY)
-- what led to one pause does not count towards the next
local since = math.max(now - HOUR, tonumber(redis.call('HGET', PAUSE, 'since') or '0'))
local pause = 0
if redis.call('ZCOUNT', WRONG, '(' .. since, '+inf') >= ${maxWrongPerHour} then
  pause = now + ${OTP_POLICY.pauseSeconds * 1_000}
end
if redis.call('ZCARD', WRONG) >= ${maxWrongPerDay} then
  pause = math.max(pause, tonumber(redis.call('ZRANGE', WRONG, 0, 0, 'WITHSCORES')[2]) + DAY)
end
if pause > 0 then pauseUntil(pause) end
return answer('wrong', { triesLeft = ${maxTries} - tries, atMs = now })
`);

/** Puts back the code that one check has used, unless there is a newer one or another check used it. */
const UNDO_CHECK = script(`
local used = redis.call('HMGET', USED, 'check', 'nonce', 'fingerprint', 'expires', 'tries')
if used[1] ~= ARGV[2] then return end
redis.call('DEL', USED)
local left = tonumber(used[4]) - now
if left <= 0 or redis.call('EXISTS', CODE) == 1 then return end
redis.call('HSET', CODE, 'nonce', used[2], 'fingerprint', used[3], 'expires', used[4], 'tries', used[5])
redis.call('PEXPIRE', CODE, left + 60000)
`);

/** Pauses a subject whose day is used up by counts that Redis has lost. */
const PAUSE = script('pauseUntil(now + tonumber(ARGV[2]))');

type CountedSend =
  | { readonly outcome: 'paused' | 'exhausted'; readonly waitMs: number }
  | {
      readonly outcome: 'counted';
      /** Sends in the window before this one. */
      readonly used: number;
      readonly left: number;
      /** Until the next send is accepted. */
      readonly waitMs: number;
      readonly nonce: string;
      readonly expiresAtMs: number;
      readonly leftMs: number;
    };

export type CheckedCode =
  | { readonly outcome: 'exhausted'; readonly waitMs: number }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'wrong'; readonly triesLeft: number; readonly atMs: number }
  | { readonly outcome: 'right'; readonly expiresAtMs: number; readonly atMs: number };

/** How long undoing a check is tried while Redis does not answer; each pause is twice the one before. */
const UNDO_MS = 30_000;
const FIRST_UNDO_PAUSE_MS = 20;
const LONGEST_UNDO_PAUSE_MS = 1_000;

/** Codes, sends and wrong checks of each subject in Redis. */
@Injectable()
export class OtpStore {
  private readonly logger = new Logger(OtpStore.name);

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly clock: Clock,
  ) {}

  /** @param secretIds secrets under which a code can be made anew; a code of another one is not sent again */
  async countSend(
    subject: string,
    sendId: string,
    newCode: { nonce: string; fingerprint: string; lifeMs: number },
    secretIds: readonly string[],
  ): Promise<CountedSend> {
    const { nonce, fingerprint, lifeMs } = newCode;
    const args = [sendId, nonce, fingerprint, lifeMs, secretIds.join(',')];
    return (await this.run(COUNT_SEND, subject, args)) as CountedSend;
  }

  async uncountSend(subject: string, sendId: string): Promise<void> {
    await this.redis.zrem(keyOf(subject, 'sends'), sendId);
  }

  /**
   * @param fingerprints of the code, one under each secret that it may have been made with
   * @throws the error of Redis. What it may still do once it wakes up is undone: nobody acts on the answer.
   */
  async check(subject: string, checkId: string, fingerprints: readonly string[]): Promise<CheckedCode> {
    try {
      return (await this.run(CHECK_CODE, subject, [checkId, fingerprints.join(',')])) as CheckedCode;
    } catch (error) {
      void this.undo(subject, checkId);
      throw error;
    }
  }

  async pause(subject: string, waitMs: number): Promise<void> {
    await this.run(PAUSE, subject, [Math.ceil(waitMs)]);
  }

  /**
   * Makes the code usable again that this check has used, or may have used without an answer: as soon as Redis takes
   * it. Goes down the same connection first, behind the check; when that connection is lost, down the next one. Once
   * too often does no harm. Never fails: it is done, or Redis has been away for too long.
   */
  async undo(subject: string, checkId: string): Promise<void> {
    const end = Date.now() + UNDO_MS;
    const args = [this.clock.aheadMs, checkId];
    let pauseMs = FIRST_UNDO_PAUSE_MS;
    while (Date.now() < end) {
      try {
        return void (await UNDO_CHECK.runAsText(this.redis, keysOf(subject), args));
      } catch (error) {
        if (!isRedisUnavailable(error))
          return this.logger.error({ msg: 'a code was not made usable again', err: error });
      }
      await sleep(pauseMs, undefined, { ref: false });
      pauseMs = Math.min(2 * pauseMs, LONGEST_UNDO_PAUSE_MS);
    }
  }

  private async run(script: RedisScript, subject: string, args: (string | number)[]): Promise<unknown> {
    const reply = await script.run(this.redis, keysOf(subject), [this.clock.aheadMs, ...args]);
    return JSON.parse(String(reply)) as unknown;
  }
}

/** The braces keep the keys of one subject in one slot of a cluster. */
const keyOf = (subject: string, part: (typeof SUBJECT_KEYS)[number]): string => `otp:{${subject}}:${part}`;

const keysOf = (subject: string): string[] => SUBJECT_KEYS.map((part) => keyOf(subject, part));
