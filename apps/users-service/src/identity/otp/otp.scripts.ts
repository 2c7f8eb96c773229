import { RedisScript } from '@fd/platform';

/**
 * The OTP engine's decisions, each one atomic step in Redis: exact under any number of parallel calls and
 * replicas. Time is Redis's own (plus ARGV[1], which only tests set), so a replica's wrong clock changes nothing.
 *
 * Keys of one subject (all in one slot of a cluster):
 *   code  hash   nonce, fingerprint, expires (ms), tries, dead
 *   sends zset   id -> time (ms) of each counted send, kept for a day
 *   wrong zset   id -> time (ms) of each wrong check, kept for a day
 *   pause hash   until, since (ms): checks are paused
 *   used  hash   the code that was used last and by which check, for a minute
 */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
local DAY = 86400000
local function pausedFor(key)
  local untilMs = tonumber(redis.call('HGET', key, 'until') or '0')
  return math.max(untilMs - now, 0)
end
-- ms until one more send fits into the window of a length; 0 when it fits now
local function sendWait(key, window, max)
  if redis.call('ZCOUNT', key, '(' .. (now - window), '+inf') < max then return 0 end
  local oldest = redis.call('ZREVRANGE', key, max - 1, max - 1, 'WITHSCORES')
  return math.max(tonumber(oldest[2]) + window - now, 1)
end
`;

/**
 * Counts a send and says which code it carries: the living one, else the offered new one. A living one whose secret
 * is known no more cannot be made anew.
 * KEYS code, sends, pause
 * ARGV ahead, sendId, nonce, fingerprint, lifeMs, renewMs, windowMs, maxSends, maxSendsPerDay, secretIds (with commas)
 * Answers { 'paused' | 'exhausted', waitMs } or { 'counted', used, left, waitMs, nonce, expires, leftMs }.
 */
export const COUNT_SEND = new RedisScript(`${NOW}
local paused = pausedFor(KEYS[3])
if paused > 0 then return { 'paused', paused } end
local window, max, dayMax = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - DAY)
local wait = math.max(sendWait(KEYS[2], window, max), sendWait(KEYS[2], DAY, dayMax))
if wait > 0 then return { 'exhausted', wait } end
local used = redis.call('ZCOUNT', KEYS[2], '(' .. (now - window), '+inf')
redis.call('ZADD', KEYS[2], now, ARGV[2])
redis.call('PEXPIRE', KEYS[2], DAY)
local code = redis.call('HMGET', KEYS[1], 'nonce', 'expires', 'dead')
local nonce, expires = code[1], tonumber(code[2] or '0')
local secretId = nonce and (string.match(nonce, '^([^.]+)%.') or '')
local isLost = nonce and not string.find(',' .. ARGV[10] .. ',', ',' .. secretId .. ',', 1, true)
if not nonce or isLost or code[3] or expires - now <= tonumber(ARGV[6]) then
  nonce, expires = ARGV[3], now + tonumber(ARGV[5])
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'nonce', nonce, 'fingerprint', ARGV[4], 'expires', expires, 'tries', 0)
  redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[5]) + 60000)
end
local nextWait = math.max(sendWait(KEYS[2], window, max), sendWait(KEYS[2], DAY, dayMax))
local left = math.min(max - used - 1, dayMax - redis.call('ZCARD', KEYS[2]))
return { 'counted', used, left, nextWait, nonce, expires, expires - now }
`);

/**
 * Compares a code. The try is counted before the comparison.
 * KEYS code, sends, wrong, pause, used
 * ARGV ahead, checkId, fingerprints (with commas), maxTries, maxWrongPerHour, pauseMs, maxWrongPerDay, windowMs, maxSends, maxSendsPerDay
 * Answers { 'paused' | 'dead', waitMs }, { 'none' }, { 'wrong', triesLeft, now } or { 'right', expires, now }.
 */
export const CHECK_CODE = new RedisScript(`${NOW}
local paused = pausedFor(KEYS[4])
if paused > 0 then return { 'paused', paused } end
local code = redis.call('HMGET', KEYS[1], 'nonce', 'fingerprint', 'expires', 'dead')
if not code[1] or tonumber(code[3]) <= now then return { 'none' } end
if code[4] then
  local wait = sendWait(KEYS[2], tonumber(ARGV[8]), tonumber(ARGV[9]))
  return { 'dead', math.max(wait, sendWait(KEYS[2], DAY, tonumber(ARGV[10]))) }
end
local tries = redis.call('HINCRBY', KEYS[1], 'tries', 1)
if string.find(',' .. ARGV[3] .. ',', ',' .. code[2] .. ',', 1, true) then
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[5], 'check', ARGV[2], 'nonce', code[1], 'fingerprint', code[2], 'expires', code[3], 'tries', tries - 1)
  redis.call('PEXPIRE', KEYS[5], 60000)
  return { 'right', code[3], now }
end
local maxTries = tonumber(ARGV[4])
if tries >= maxTries then redis.call('HSET', KEYS[1], 'dead', 1) end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - DAY)
redis.call('ZADD', KEYS[3], now, ARGV[2])
redis.call('PEXPIRE', KEYS[3], DAY)
-- what led to one pause does not count towards the next
local since = math.max(now - 3600000, tonumber(redis.call('HGET', KEYS[4], 'since') or '0'))
local pause = 0
if redis.call('ZCOUNT', KEYS[3], '(' .. since, '+inf') >= tonumber(ARGV[5]) then pause = now + tonumber(ARGV[6]) end
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[7]) then
  pause = math.max(pause, tonumber(redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]) + DAY)
end
if pause > 0 then
  redis.call('HSET', KEYS[4], 'until', pause, 'since', now)
  redis.call('PEXPIRE', KEYS[4], DAY)
end
return { 'wrong', maxTries - tries, now }
`);

/**
 * Puts back the code that one check has used, unless there is a newer one or another check used it.
 * KEYS code, used   ARGV ahead, checkId
 */
export const UNDO_CHECK = new RedisScript(`${NOW}
local used = redis.call('HMGET', KEYS[2], 'check', 'nonce', 'fingerprint', 'expires', 'tries')
if used[1] ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[2])
local left = tonumber(used[4]) - now
if left <= 0 or redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'nonce', used[2], 'fingerprint', used[3], 'expires', used[4], 'tries', used[5])
redis.call('PEXPIRE', KEYS[1], left + 60000)
return 1
`);

/**
 * Pauses a subject whose day is used up by counts that Redis has lost.
 * KEYS pause   ARGV ahead, waitMs
 */
export const PAUSE = new RedisScript(`${NOW}
redis.call('HSET', KEYS[1], 'until', now + tonumber(ARGV[2]), 'since', now)
redis.call('PEXPIRE', KEYS[1], DAY)
return 1
`);
