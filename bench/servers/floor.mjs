// The hand-written floor: the services' work for a customer in one file of Express, pg and ioredis, without a framework, log,
// metrics, traces, deadline and load shedding. node servers/floor.mjs login | catalogue
//   login      DATABASE_URL (migrated by users-service), REDIS_URL, SMS_PRIMARY_URL and the secrets of users-service
//   catalogue  ANSWERS: a file with { apiKeys, headers, bodies: { path: body } } as JSON
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  publicEncrypt,
  randomBytes,
  randomUUID,
  sign,
  verify,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import express from 'express';
import { Redis } from 'ioredis';
import pg from 'pg';
import { Pool } from 'undici';

const { env } = process;

/** Counts a send by client, address, prefix and phone. KEYS minute, hour, prefix, code, sends */
const COUNT_SEND = `
local sendId, nonce, fingerprint, perMinute, perHour, perPrefix = unpack(ARGV)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function count(key, limit, ms)
  local sent = redis.call('INCR', key)
  if sent == 1 then redis.call('PEXPIRE', key, ms) end
  return tonumber(limit) > 0 and sent > tonumber(limit)
end
local isOver = count(KEYS[1], perMinute, 60000)
isOver = count(KEYS[2], perHour, 3600000) or isOver
isOver = count(KEYS[3], perPrefix, 3600000) or isOver
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now - 86400000)
local used = redis.call('ZCOUNT', KEYS[5], now - 900000, '+inf')
local day = redis.call('ZCARD', KEYS[5])
if isOver or used >= 5 or day >= 20 then return { -1 } end
redis.call('ZADD', KEYS[5], now, sendId)
redis.call('PEXPIRE', KEYS[5], 86400000)
local code = redis.call('HMGET', KEYS[4], 'nonce', 'expires')
if not code[1] or code[2] - now < 120000 then
  code = { nonce, now + 600000 }
  redis.call('HSET', KEYS[4], 'nonce', nonce, 'fingerprint', fingerprint, 'expires', code[2], 'tries', 0)
  redis.call('PEXPIRE', KEYS[4], 660000)
end
return { used, math.min(5 - used, 20 - day) - 1, code[1], tonumber(code[2]), now, used == 4 and 900000 or 0 }`;

/** Consumes a right code. KEYS code, sends */
const CHECK_CODE = `
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HINCRBY', KEYS[1], 'tries', 1) > 5 then return 0 end
if redis.call('HGET', KEYS[1], 'fingerprint') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
return 1`;

const living = (list) =>
  `ARRAY(SELECT t FROM unnest(c.${list}) t WHERE t > excluded.last_at - interval '1 day')`;

const COUNT_DAY = `
  INSERT INTO onboarding.otp_counts AS c (subject_index, last_at, sends) VALUES ($1, $2, ARRAY[$2::timestamptz])
  ON CONFLICT (subject_index) DO UPDATE
    SET sends = ${living('sends')} || excluded.last_at, last_at = excluded.last_at
    WHERE cardinality(${living('sends')}) < 20 AND cardinality(${living('wrong_checks')}) < 50
  RETURNING 1`;

const isDone = (step) =>
  `EXISTS (SELECT FROM onboarding.journey_steps
            WHERE user_id = u.id AND issuer_slug = '' AND step = '${step}' AND state = 'DONE')`;

const FIND_USER = `
  SELECT p.id AS partner_id, p.public_key, u.id AS user_id,
         ${isDone('PAN')} AS is_pan_verified, ${isDone('EMAIL')} AS is_email_verified
    FROM onboarding.partners p LEFT JOIN onboarding.users u ON u.phone_index = $2
   WHERE p.url = $1 AND p.disabled_at IS NULL`;

/** Placeholders of an audit event from parameter FIRST, in the order of audited(). */
const auditValues = (first) =>
  ['uuid', 'timestamptz', 'text', 'text', 'uuid', 'uuid', 'uuid', 'text', 'text']
    .map((type, i) => `$${first + i}::${type}`)
    .join();
const INSERT_AUDIT = `INSERT INTO onboarding.audit_unsealed
  (id, occurred_at, actor, action, subject_user_id, object_id, session_id, request_id, proof, outcome)`;
const stepDone = (step, eventId, users) => `
  step AS (INSERT INTO onboarding.journey_steps (user_id, issuer_slug, step, state)
           SELECT id, '', '${step}', 'DONE' FROM ${users} ON CONFLICT DO NOTHING RETURNING user_id),
  event AS (INSERT INTO onboarding.journey_events (id, user_id, issuer_slug, step, event, from_state, to_state)
            SELECT ${eventId}, user_id, '', '${step}', 'COMPLETED', 'NOT_STARTED', 'DONE' FROM step)`;

const OPEN_SESSION = `
  WITH permit AS (
    INSERT INTO onboarding.otp_counts AS c (subject_index, last_at) VALUES ($11, now())
    ON CONFLICT (subject_index) DO UPDATE SET sends = '{}', wrong_checks = '{}', last_at = excluded.last_at
      WHERE cardinality(${living('wrong_checks')}) < 50
    RETURNING 1),
  made AS (INSERT INTO onboarding.users (id, phone_index, phone_encrypted)
           SELECT $1, $2, $3::text FROM permit WHERE $3::text IS NOT NULL ON CONFLICT DO NOTHING RETURNING id),
  person AS (SELECT id FROM made UNION ALL
             SELECT id FROM onboarding.users, permit WHERE id = $1 AND $3::text IS NULL),
  opened AS (INSERT INTO onboarding.sessions (id, user_id, partner_id, device, expires_at)
             SELECT $4, id, $5, $6, now() + interval '30 days' FROM person RETURNING id),
  token AS (INSERT INTO onboarding.refresh_tokens (token_hash, session_id) SELECT $7, id FROM opened),
  consent AS (
    INSERT INTO onboarding.consents (id, user_id, partner_id, purpose, notice_version, ip_hash, is_united)
    SELECT $8, id, $5, 'TERMS_OF_USE', '2026-11', $9, true FROM person ON CONFLICT DO NOTHING RETURNING id),
  ${stepDone('LOGIN', '$10', 'person')},
  audit AS (${INSERT_AUDIT} SELECT ${auditValues(12)}, 'OK' FROM opened
            UNION ALL SELECT ${auditValues(21)}, 'OK' FROM consent)
  SELECT id FROM opened`;

const READ_PROFILE = `
  WITH u AS (
    SELECT u.id, u.phone_encrypted, u.email_encrypted
      FROM onboarding.users u JOIN onboarding.sessions s ON s.user_id = u.id
     WHERE u.id = $1 AND s.id = $2 AND s.ended_at IS NULL AND s.expires_at > now()),
  guest AS (SELECT id FROM u WHERE NOT ${isDone('HOME')}),
  ${stepDone('HOME', '$3', 'guest')},
  audit AS (${INSERT_AUDIT} SELECT ${auditValues(4)}, 'OK' FROM u)
  SELECT u.*, i.pan_encrypted, i.dob_encrypted, i.names_encrypted, b.id AS account_id, b.account_encrypted, b.bank_name,
         (SELECT count(*)::int FROM onboarding.nominees WHERE user_id = $1) AS nominees_count,
         EXISTS (SELECT FROM onboarding.ekyc_requests WHERE user_id = $1 AND status = 'VERIFIED'
                    AND (is_compared OR i.user_id IS NULL)) AS is_ekyc_verified
    FROM u LEFT JOIN onboarding.identities i ON i.user_id = u.id
    LEFT JOIN LATERAL (
      SELECT id, account_encrypted, bank_name FROM onboarding.bank_accounts
       WHERE user_id = u.id AND state = 'VERIFIED' AND is_compared ORDER BY asked_at DESC, id DESC LIMIT 1) b ON true`;

const app = express().disable('etag').disable('x-powered-by');

function refuse(status, message) {
  throw Object.assign(new Error(message), { status });
}

function serveCatalogue() {
  const { apiKeys, headers, bodies } = JSON.parse(readFileSync(env.ANSWERS, 'utf8'));
  const sha256 = (text) => createHash('sha256').update(text).digest('base64');
  const known = new Set(apiKeys.map(sha256));
  const form = headers['content-encoding'] ? 'latin1' : 'utf8';
  const answers = new Map(Object.entries(bodies).map(([path, body]) => [path, Buffer.from(body, form)]));
  app.get(['/detail/:id', '/api/v1/detail/maturity-amount/:code'], (request, response) => {
    if (!known.has(sha256(request.get('apikey') ?? ''))) refuse(401, 'Unknown key');
    const answer = answers.get(request.originalUrl);
    if (answer === undefined) refuse(404, 'Not found');
    response.set(headers).send(answer);
  });
}

function serveLogin() {
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 10 });
  const redis = new Redis(env.REDIS_URL);
  redis.defineCommand('countSend', { numberOfKeys: 5, lua: COUNT_SEND });
  redis.defineCommand('checkCode', { numberOfKeys: 2, lua: CHECK_CODE });
  const provider = new URL(env.SMS_PRIMARY_URL);
  const sms = new Pool(provider.origin, { connections: 50 });
  const [signingKey] = JSON.parse(env.JWT_KEYS).keys;
  const privateKey = createPrivateKey({ key: signingKey, format: 'jwk' });
  const publicKey = createPublicKey(privateKey);
  const partnerKeys = new Map();
  const [piiKeyId, piiKey] = namedKey(env.PII_KEYS);
  const [auditKeyId, auditKey] = namedKey(env.AUDIT_KEYS);
  const indexSecret = Buffer.from(env.INDEX_SECRET, 'base64');
  const otpSecret = Buffer.from(env.OTP_SECRET.split(',')[0], 'base64');

  const limits = [env.RATE_LIMIT_PER_MINUTE, env.OTP_SENDS_PER_IP_HOUR, env.OTP_SENDS_PER_PREFIX_HOUR];

  const rowsOf = async (name, text, values) => (await pool.query({ name, text, values })).rows;
  const indexOf = (purpose, value) => hmac(indexSecret, `${purpose}\0${value}`);
  const otpHash = (...parts) => hmac(otpSecret, parts.join('\0'));
  const codeOf = (phone, nonce) =>
    String(otpHash('code', phone, nonce).readBigUInt64BE() % 1_000_000n).padStart(6, '0');
  const fingerprintOf = (phone, code) => otpHash('fingerprint', phone, code).toString('hex', 0, 16);
  const keysOf = (phone) => {
    const subject = indexOf('floor', phone).toString('base64url', 0, 18);
    return [`floor:{${subject}}:code`, `floor:{${subject}}:sends`];
  };

  /** Columns of an audit event: id, time, actor, action, subject, object, session, request, proof. */
  function audited(action, userId, sessionId, objectId) {
    const event = [uuidv7(), new Date(), `user:${userId}`, action, userId, objectId, sessionId, randomUUID()];
    return [...event, `${auditKeyId}.${hmac(auditKey, JSON.stringify(event)).toString('hex')}`];
  }

  function encrypt(plain, place) {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', placeKey(piiKey, place), nonce).setAAD(Buffer.from(place));
    const parts = [nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return `${piiKeyId}.${Buffer.concat(parts).toString('base64url')}`;
  }

  function decrypt(sealedText, place) {
    const sealed = Buffer.from(sealedText.slice(sealedText.indexOf('.') + 1), 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', placeKey(piiKey, place), sealed.subarray(0, 12), {
      authTagLength: 16,
    });
    decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-16));
    return decipher.update(sealed.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
  }

  function jwt(type, claims, seconds) {
    const now = Math.floor(Date.now() / 1_000);
    const header = base64url({ alg: 'ES256', typ: type, kid: signingKey.kid });
    const all = { ...claims, iss: env.JWT_ISSUER, jti: randomUUID(), iat: now, exp: now + seconds };
    const signed = `${header}.${base64url(all)}`;
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  }

  function jwe(text, jwk) {
    if (!partnerKeys.has(jwk.kid)) partnerKeys.set(jwk.kid, createPublicKey({ key: jwk, format: 'jwk' }));
    const header = base64url({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid: jwk.kid });
    const [key, nonce] = [randomBytes(32), randomBytes(12)];
    const wrapped = publicEncrypt({ key: partnerKeys.get(jwk.kid), oaepHash: 'sha256' }, key);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(header));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    const parts = [wrapped, nonce, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'));
    return [header, ...parts].join('.');
  }

  function claimsOf(authorization = '') {
    const [, token = ''] = /^Bearer (\S+)$/.exec(authorization) ?? [];
    const [header = '', claims = '', signature = ''] = token.split('.');
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' };
    const isOurs = verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      key,
      Buffer.from(signature, 'base64url'),
    );
    const { typ } = isOurs ? JSON.parse(Buffer.from(header, 'base64url')) : {};
    const read = typ === 'at+jwt' ? JSON.parse(Buffer.from(claims, 'base64url')) : {};
    if (!(read.exp > Date.now() / 1_000)) refuse(401, 'Log in again');
    return read;
  }

  app.use(express.json());

  app.post('/auth/register', async (request, response) => {
    const phone = phoneIn(request.body);
    const nonce = randomBytes(18).toString('base64url');
    const counts = [
      `floor:ip:${request.ip}`,
      `floor:hour:${request.ip}`,
      `floor:prefix:${phone.slice(0, 7)}`,
    ];
    const fingerprint = fingerprintOf(phone, codeOf(phone, nonce));
    const sendId = randomUUID();
    const keys = [...counts, ...keysOf(phone)];
    const counted = await redis.countSend(...keys, sendId, nonce, fingerprint, ...limits);
    const [used, left, living, expiresAt, at, wait] = counted;
    if (used < 0) refuse(429, 'Too many codes');
    const [day] = await rowsOf('count', COUNT_DAY, [indexOf('otp-login', phone), new Date(at)]);
    if (!day) refuse(429, 'Too many codes today');
    const { statusCode, body } = await sms.request({
      method: 'POST',
      path: provider.pathname,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${env.SMS_PRIMARY_API_KEY}`,
        'idempotency-key': sendId,
      },
      body: JSON.stringify({
        to: `+${phone}`,
        text: `${codeOf(phone, living)} is your code to log in. Do not share it with anyone.`,
      }),
    });
    await body.dump();
    if (statusCode !== 202) refuse(503, 'The message was not sent');
    answer(response.status(201), 'OTP sent successfully', {
      attemptsUsed: used,
      attemptsLeft: left,
      otpExpiresAt: new Date(expiresAt).toISOString(),
      retryAfterSeconds: Math.ceil(wait / 1_000),
    });
  });

  app.post('/auth/api/v2/register/verify', async (request, response) => {
    const { otp, partner_url, consent } = request.body;
    const phone = phoneIn(request.body);
    if (!/^\d{6}$/.test(otp) || consent !== true) refuse(400, 'Bad request');
    const phoneIndex = indexOf('users.phone', phone);
    const [found] = await rowsOf('find', FIND_USER, [partner_url, phoneIndex]);
    if (!found) refuse(400, 'Unknown partner');
    const isRight = await redis.checkCode(...keysOf(phone), fingerprintOf(phone, otp));
    if (!isRight) refuse(401, 'Wrong code');
    const isNew = found.user_id === null;
    const [userId, sessionId, consentId] = [found.user_id ?? uuidv7(), uuidv7(), uuidv7()];
    const refreshToken = randomBytes(32).toString('base64url');
    const [opened] = await rowsOf('open', OPEN_SESSION, [
      userId,
      phoneIndex,
      isNew ? encrypt(phone, `users|phone|${userId}`) : null,
      sessionId,
      found.partner_id,
      request.get('user-agent')?.slice(0, 120) ?? null,
      createHash('sha256').update(refreshToken).digest(),
      consentId,
      indexOf('consents.ip', request.ip),
      uuidv7(),
      indexOf('otp-login', phone),
      ...audited('LOGGED_IN', userId, sessionId, sessionId),
      ...audited('CONSENT_GIVEN', userId, sessionId, consentId),
    ]);
    if (!opened) refuse(503, 'Try again');
    const subject = { sub: userId, sid: sessionId };
    const partnerClaims = { ...subject, aud: partner_url, is_new_user: isNew };
    answer(response, 'Login successful', {
      user_id: userId,
      is_new_user: isNew,
      access_token: jwt('at+jwt', { ...subject, aud: 'fd-onboarding' }, 900),
      token_type: 'Bearer',
      expires_in: 900,
      refresh_token: refreshToken,
      refresh_expires_in: 2_592_000,
      partner_token: jwe(jwt('partner+jwt', partnerClaims, 300), found.public_key),
      user: {
        phone: maskPhone(phone),
        is_pan_verified: found.is_pan_verified,
        is_email_verified: found.is_email_verified,
      },
    });
  });

  app.get('/api/v1/user-profile', async (request, response) => {
    const { sub: userId, sid: sessionId } = claimsOf(request.get('authorization'));
    const [row] = await rowsOf('profile', READ_PROFILE, [
      userId,
      sessionId,
      uuidv7(),
      ...audited('PROFILE_READ', userId, sessionId, null),
    ]);
    if (!row) refuse(401, 'Log in again');
    const open = (sealed, place) => (sealed === null ? null : decrypt(sealed, place));
    const names = JSON.parse(open(row.names_encrypted, `identities|names|${userId}`) ?? '{}');
    const account = JSON.parse(
      open(row.account_encrypted, `bank_accounts|account|${row.account_id}`) ?? 'null',
    );
    const email = open(row.email_encrypted, `users|email|${userId}`);
    const pan = open(row.pan_encrypted, `identities|pan|${userId}`);
    answer(response, 'SUCCESS', {
      user_id: userId,
      phone: maskPhone(open(row.phone_encrypted, `users|phone|${userId}`)),
      email: email && `${email[0]}***${email.slice(email.lastIndexOf('@'))}`,
      pan: pan && `XXXXXX${pan.slice(-4)}`,
      full_name: names.fullName ?? null,
      first_name: names.firstName ?? null,
      middle_name: names.middleName ?? null,
      last_name: names.lastName ?? null,
      father_name: names.fatherName ?? null,
      dob: open(row.dob_encrypted, `identities|dob|${userId}`),
      is_pan_verified: pan !== null,
      is_ekyc_verified: row.is_ekyc_verified,
      is_email_verified: email !== null,
      is_bank_verified: account !== null,
      bank: account && {
        account: `XXXX${account.account.slice(-4)}`,
        ifsc: account.ifsc,
        bank_name: row.bank_name,
      },
      nominees_count: row.nominees_count,
    });
  });
}

function phoneIn({ phone } = {}) {
  return typeof phone === 'string' && /^91[6-9]\d{9}$/.test(phone) ? phone : refuse(400, 'Not a phone');
}

function answer(response, message, payload) {
  response.set({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  response.json({ success: 1, statusCode: 200, message, payload });
}

function namedKey(text) {
  const [id, bytes] = text.split(',')[0].split(':');
  return [id, Buffer.from(bytes, 'base64')];
}

function hmac(key, text) {
  return createHmac('sha256', key).update(text).digest();
}

function placeKey(key, place) {
  return Buffer.from(hkdfSync('sha256', key, '', place, 32));
}

function base64url(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function maskPhone(phone) {
  return `${phone.slice(0, 2)}XXXXXX${phone.slice(-4)}`;
}

function uuidv7() {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  const hex = bytes.toString('hex');
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20]].map(([from, to]) => hex.slice(from, to)).join('-');
}

const kinds = { login: serveLogin, catalogue: serveCatalogue };
kinds[process.argv[2]]();
app.use((error, _request, response, next) => {
  if (response.headersSent) return next(error);
  response.status(error.status ?? 500).json({ success: 0, message: error.message });
});
app.listen(Number(env.PORT), '127.0.0.1');
