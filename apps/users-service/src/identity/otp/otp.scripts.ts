import { RedisScript } from '@fd/platform';
import { OTP_POLICY } from './otp.policy.js';

const { maxSends, maxSendsPerDay, maxTries, maxWrongPerHour, maxWrongPerDay } = OTP_POLICY;

const HOUR_MS = 3_600_000;
/** Each suspension is twice as long as the previous one; a day without one resets this. */
const FIRST_SUSPENSION_MS = 300_000;
const LONGEST_SUSPENSION_MS = 12 * HOUR_MS;
/** A prefix is 100,000 phones, and a network has many customers: each suspension needs new evidence. */
const LONGEST_OF_MANY_MS = HOUR_MS;
/** Share of its hourly sends that remains after a suspension. */
const SHARE_AFTER_SUSPENSION = 0.25;
/** Minimum number of hourly sends for judging the rate of verified codes. */
const CONVERSION_SAMPLE = 200;
/** Unverified sends of one network that count against a prefix: only fifty networks together can suspend it. */
const SAMPLE_OF_NETWORK = 4;
/** The same for all networks of a provider, which may give fifty to one customer: ten providers. */
const SAMPLE_OF_PROVIDER = 5 * SAMPLE_OF_NETWORK;

/**
 * The OTP engine's decisions, each one atomic step in Redis: exact under any number of parallel calls and
 * replicas. Time is Redis's own (plus ARGV[1], which only tests set), so a replica's wrong clock changes nothing.
 * Every script gets all keys of one subject, and answers JSON. Lists in ARGV are separated by commas.
 *   code  hash   nonce, fingerprint, expires (ms), tries, dead, sends: how often it was sent
 *   sends zset   id -> time (ms) of each counted send, kept for a day
 *   wrong zset   id -> time (ms) of each wrong check, kept for a day
 *   pause hash   until, since (ms): checks are paused; window (ms): when the window of sends restarted
 *   used  hash   the code that was used last, by which check and which call, for a minute
 * Then two keys for each count that the subject shares with others:
 *   hash   sent, verified: sends, and those of codes that were verified, within the hour that began with the first send;
 *          asked, since (ms): sends for the rate of verified codes, and the time of the first of them
 *   hash   until (ms), times: its sends are suspended
 */
export const SUBJECT_KEYS = ['code', 'sends', 'wrong', 'pause', 'used'] as const;

const script = (decision: string): RedisScript =>
  new RedisScript(`
local CODE, SENDS, WRONG, PAUSE, USED = unpack(KEYS)
local HOUR, DAY = ${HOUR_MS}, 86400000
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
local WINDOW = ${OTP_POLICY.sendWindowSeconds * 1_000}
local function sendsWithin(window)
  local from = now - window
  if window == WINDOW then from = math.max(from, tonumber(redis.call('HGET', PAUSE, 'window') or '0')) end
  return redis.call('ZCOUNT', SENDS, '(' .. from, '+inf')
end
-- ms until one more send fits into a window; 0 when it fits now
local function windowWaitMs(window, max)
  if sendsWithin(window) < max then return 0 end
  local oldest = redis.call('ZREVRANGE', SENDS, max - 1, max - 1, 'WITHSCORES')
  return math.max(tonumber(oldest[2]) + window - now, 1)
end
local function sendWaitMs()
  return math.max(windowWaitMs(WINDOW, ${maxSends}), windowWaitMs(DAY, ${maxSendsPerDay}))
end
-- changes only an existing count: a code whose send is no longer counted here must not count as verified
local function addTo(key, field, change)
  if redis.call('EXISTS', key) == 0 then return end
  local counts = redis.call('HMGET', key, field, 'sent')
  local count = math.max(tonumber(counts[1] or '0') + change, 0)
  if field == 'verified' then count = math.min(count, tonumber(counts[2] or '0')) end
  redis.call('HSET', key, field, count)
end
local function addToShared(field, change)
  for i = 6, #KEYS, 2 do addTo(KEYS[i], field, change) end
end
-- a shared count has two keys: of the count, and of its suspension
local function countKey(place) return KEYS[4 + 2 * place] end
local function suspensionKey(place) return KEYS[5 + 2 * place] end
local ADDRESS, NETWORK, PREFIX, PROVIDER = countKey(1), countKey(2), countKey(3), countKey(4)
local function unverified(key)
  local counts = redis.call('HMGET', key, 'sent', 'verified')
  return tonumber(counts[1] or '0') - tonumber(counts[2] or '0')
end
local function countsAgainstPrefix()
  return unverified(NETWORK) < ${SAMPLE_OF_NETWORK} and unverified(PROVIDER) < ${SAMPLE_OF_PROVIDER}
end
${decision}`);

/**
 * Checks the shared limits, then the subject's own, and writes only if all allow the send. Then counts the send and
 * returns its code: the valid one, else the offered new one. A valid code is replaced once its secret has been removed
 * from the settings.
 */
export const COUNT_SEND = script(`
local sendId, newNonce, fingerprint, lifeMs, secretIds, shared = unpack(ARGV, 2)
local function suspend(key, suspension)
  local times = redis.call('HINCRBY', suspension, 'times', 1)
  local longest = key == ADDRESS and ${LONGEST_SUSPENSION_MS} or ${LONGEST_OF_MANY_MS}
  local length = math.min(${FIRST_SUSPENSION_MS} * 2 ^ (times - 1), longest)
  redis.call('HSET', suspension, 'until', now + length)
  redis.call('PEXPIRE', suspension, length + DAY)
  -- the next suspension needs a new sample
  redis.call('HDEL', key, 'asked', 'since', 'verified')
  return length
end
local function conversionWaitMs(key, suspension, percent)
  local counts = redis.call('HMGET', key, 'asked', 'since', 'verified')
  local asked, verified = tonumber(counts[1] or '0'), tonumber(counts[3] or '0')
  if asked < ${CONVERSION_SAMPLE} or verified * 100 >= asked * percent then return 0 end
  -- unexpired codes may still be verified
  if tonumber(counts[2]) + ${OTP_POLICY.lifeSeconds * 1_000} > now then return 0 end
  return suspend(key, suspension)
end
-- leaves a share of a count for after the suspension
local function suspendFull(key, suspension, max)
  local length = suspend(key, suspension)
  redis.call('HSET', key, 'sent', math.floor(max * ${1 - SHARE_AFTER_SUSPENSION}))
  return length
end
local function sharedWaitMs(count, key, suspension)
  if count.minPercent > 0 or count.maxUnverified > 0 or (key == PREFIX and count.maxSends > 0) then
    local suspended = tonumber(redis.call('HGET', suspension, 'until') or '0')
    if suspended > now then return suspended - now end
  end
  if count.maxUnverified > 0 and unverified(key) >= count.maxUnverified then
    return suspendFull(key, suspension, count.maxUnverified)
  end
  if count.maxSends > 0 and tonumber(redis.call('HGET', key, 'sent') or '0') >= count.maxSends then
    if key == PREFIX then return suspendFull(key, suspension, count.maxSends) end
    return math.max(redis.call('PTTL', key), 1)
  end
  return count.minPercent > 0 and conversionWaitMs(key, suspension, count.minPercent) or 0
end
local sharedCounts = cjson.decode(shared)
for i, count in ipairs(sharedCounts) do
  local wait = sharedWaitMs(count, countKey(i), suspensionKey(i))
  if wait > 0 then return answer('suspended', { by = count.by, waitMs = wait }) end
end
local paused = pausedMs()
if paused > 0 then return answer('paused', { waitMs = paused }) end
local wait = sendWaitMs()
if wait > 0 then return answer('exhausted', { waitMs = wait }) end
-- the write that a full Redis refuses must come first: after another write Redis would let the script continue
local isNews = NETWORK and countsAgainstPrefix()
for i, count in ipairs(sharedCounts) do
  local key = countKey(i)
  redis.call('HINCRBY', key, 'sent', 1)
  if redis.call('PTTL', key) < 0 then redis.call('PEXPIRE', key, HOUR) end
  if count.minPercent > 0 and (key ~= PREFIX or isNews) then
    redis.call('HINCRBY', key, 'asked', 1)
    redis.call('HSETNX', key, 'since', now)
  end
end
local used = sendsWithin(WINDOW)
redis.call('ZADD', SENDS, now, sendId)
redis.call('ZREMRANGEBYSCORE', SENDS, '-inf', now - DAY)
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
redis.call('HINCRBY', CODE, 'sends', 1)
local left = math.min(${maxSends} - used - 1, ${maxSendsPerDay} - redis.call('ZCARD', SENDS))
return answer('counted',
  { used = used, left = left, waitMs = sendWaitMs(), nonce = nonce, expiresAtMs = expires, leftMs = expires - now })
`);

/** Undoes the count of a send that no provider accepted, once: that of the phone only, if the shared counts keep it. */
export const WITHDRAW = script(`
if redis.call('ZREM', SENDS, ARGV[2]) == 0 then return end
addTo(CODE, 'sends', -1)
if ARGV[3] == 'kept' then return end
addToShared('sent', -1)
if not NETWORK then return end
addTo(ADDRESS, 'asked', -1)
if countsAgainstPrefix() then addTo(PREFIX, 'asked', -1) end
`);

/**
 * Time in which a repeated call may use its consumed code again, after its replica died before the commit. Shorter than
 * the retention of answers with credentials, so that a code never outlives its answer.
 */
const REUSE_MS = 50_000;

/** Compares a code. The try is counted before the comparison. */
export const CHECK_CODE = script(`
local checkId, callId, fingerprints = unpack(ARGV, 2)
local function isOffered(fingerprint)
  return string.find(',' .. fingerprints .. ',', ',' .. fingerprint .. ',', 1, true)
end
local used = redis.call('HMGET', USED, 'call', 'fingerprint', 'expires', 'at')
local isRepeated = used[1] == callId and isOffered(used[2])
if isRepeated and tonumber(used[3]) > now and tonumber(used[4]) + ${REUSE_MS} > now then
  -- the check of the dead call can no longer be undone
  redis.call('HSET', USED, 'check', checkId)
  return answer('right', { expiresAtMs = tonumber(used[3]), atMs = now })
end
local paused = pausedMs()
if paused > 0 then return answer('exhausted', { waitMs = paused }) end
local code = redis.call('HMGET', CODE, 'nonce', 'fingerprint', 'expires', 'dead', 'sends')
if not code[1] or tonumber(code[3]) <= now then return answer('none', {}) end
if code[4] then return answer('exhausted', { waitMs = sendWaitMs() }) end
local tries = redis.call('HINCRBY', CODE, 'tries', 1)
-- a code of the previous release has no such count
local sends = tonumber(code[5] or '1')
if isOffered(code[2]) then
  -- the daily sends are kept: repeated logins do not raise the limit
  redis.call('DEL', CODE, WRONG, PAUSE)
  redis.call('HSET', PAUSE, 'window', now)
  redis.call('PEXPIRE', PAUSE, WINDOW)
  redis.call('HSET', USED,
    'check', checkId, 'call', callId, 'at', now,
    'nonce', code[1], 'fingerprint', code[2], 'expires', code[3], 'tries', tries - 1, 'sends', sends)
  redis.call('PEXPIRE', USED, 60000)
  addToShared('verified', sends)
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

/** Restores the code that a check consumed, unless there is a newer one or another check consumed it. */
export const UNDO_CHECK = script(`
local used = redis.call('HMGET', USED, 'check', 'nonce', 'fingerprint', 'expires', 'tries', 'sends')
if used[1] ~= ARGV[2] then return end
redis.call('DEL', USED)
local sends = tonumber(used[6] or '1')
addToShared('verified', -sends)
local left = tonumber(used[4]) - now
if left <= 0 or redis.call('EXISTS', CODE) == 1 then return end
redis.call('HSET', CODE,
  'nonce', used[2], 'fingerprint', used[3], 'expires', used[4], 'tries', used[5], 'sends', sends)
redis.call('PEXPIRE', CODE, left + 60000)
`);

/** Blocks a subject whose daily limit is used up by counts that Redis has lost. */
export const PAUSE = script('pauseUntil(now + tonumber(ARGV[2]))');
