import {
  type DatabaseConfig,
  type Environment,
  type HttpConfig,
  httpConfig,
  httpSettings,
  loadConfig,
  type RateLimitConfig,
  type RedisConfig,
  redisRule,
  setting,
  storeConfig,
  storeSettings,
} from '@fd/platform';
import { z } from 'zod';
import {
  haveSafeOverrides,
  PROVIDER_URL_SETTINGS,
  providersConfig,
  providerSettings,
} from './provider-settings.js';
import { loadIssuers } from './issuers.js';
import { namedKeys, otpTestRules, secret, secrets, signingKeys } from './parsed-settings.js';
import { SMS_RULES, SMS_URL_SETTINGS, smsConfig, smsSettings } from './sms-settings.js';
import type {
  AuditConfig,
  JourneyConfig,
  MailConfig,
  NamedKey,
  OtpConfig,
  PiiConfig,
  ProvidersConfig,
  SmsConfig,
  TokensConfig,
} from './slices.js';

export interface UsersConfig {
  readonly http: HttpConfig;
  readonly database: DatabaseConfig;
  readonly redis: RedisConfig;
  readonly rateLimit: RateLimitConfig;
  readonly tokens: TokensConfig;
  readonly otp: OtpConfig;
  readonly pii: PiiConfig;
  readonly audit: AuditConfig;
  readonly sms: SmsConfig;
  readonly providers: ProvidersConfig;
  readonly mail: MailConfig;
  readonly journey: JourneyConfig;
}

/** Rules over several settings are checked even when single ones are wrong: all problems are reported at once. */
const rule = (name: string, message: string) => ({ path: [name], message, when: () => true });

const HTTPS_IN_PRODUCTION = [...SMS_URL_SETTINGS, 'JWT_ISSUER', ...PROVIDER_URL_SETTINGS] as const;

type UrlSetting = (typeof HTTPS_IN_PRODUCTION)[number];

function isSafe(name: UrlSetting, given: Partial<Record<UrlSetting | 'NODE_ENV', string>>): boolean {
  return given.NODE_ENV !== 'production' || given[name] === undefined || given[name].startsWith('https:');
}

function haveDifferentSecrets(
  given: Partial<Record<'REFRESH_TOKEN_SECRET' | 'OTP_SECRET', Buffer[]>> & {
    INDEX_SECRET?: Buffer;
    PII_KEYS?: NamedKey[];
    AUDIT_KEYS?: NamedKey[];
  },
): boolean {
  const { REFRESH_TOKEN_SECRET, OTP_SECRET, INDEX_SECRET, PII_KEYS, AUDIT_KEYS } = given;
  const readable = [REFRESH_TOKEN_SECRET, OTP_SECRET, INDEX_SECRET, PII_KEYS, AUDIT_KEYS]
    .flat()
    .map((item) => (item as Partial<NamedKey> | undefined)?.bytes ?? item)
    // what is wrong in itself is neither a secret nor a key here, and has been reported
    .filter((bytes) => Buffer.isBuffer(bytes))
    .map((bytes) => bytes.toString('hex'));
  return new Set(readable).size === readable.length;
}

const settings = z
  .object({
    ...httpSettings,
    ...storeSettings,
    PORT: setting.int(0, 65_535).default(3_001),
    /** `iss` of the tokens: the base URL under which clients reach this service. */
    JWT_ISSUER: setting.url('http:', 'https:'),
    JWT_KEYS: signingKeys,
    REFRESH_TOKEN_SECRET: secrets,
    OTP_SECRET: secrets,
    INDEX_SECRET: secret,
    PII_KEYS: namedKeys,
    AUDIT_KEYS: namedKeys,
    OTP_SENDS_PER_IP_HOUR: setting.int(0, 1_000_000).optional(),
    OTP_SENDS_PER_PREFIX_HOUR: setting.int(0, 1_000_000).optional(),
    OTP_SENDS_PER_HOUR: setting.int(0, 10_000_000).default(0),
    OTP_MIN_CONVERSION_PERCENT: setting.int(0, 100).default(0),
    OTP_TEST_RULES: otpTestRules,
    ...smsSettings,
    ...providerSettings,
    STRICT_JOURNEY: setting.flag(),
  })
  .refine(...redisRule)
  .refine(haveDifferentSecrets, rule('secrets and keys', 'each must be different'))
  .refine(
    (given) => given.NODE_ENV !== 'production' || !given.OTP_TEST_RULES?.length,
    rule('OTP_TEST_RULES', 'is refused in production'),
  )
  .refine(haveSafeOverrides, rule('ISSUER_API_OVERRIDES', 'must be https in production'));

/** Nothing that holds keys or personal data travels in clear. */
const safeSettings = HTTPS_IN_PRODUCTION.reduce(
  (schema, name) => schema.refine((given) => isSafe(name, given), rule(name, 'must be https in production')),
  SMS_RULES.reduce((schema, { name, message, holds }) => schema.refine(holds, rule(name, message)), settings),
);

/** Names of all settings. */
export const USERS_SETTINGS = Object.keys(settings.shape);

/** Addresses are shared by whole mobile carriers, so the defaults in production are generous. */
const PRODUCTION_SENDS_PER_IP_HOUR = 600;
const PRODUCTION_SENDS_PER_PREFIX_HOUR = 2_000;

/**
 * The settings of the service, read and checked once.
 * @throws ConfigError naming every problem at once
 */
export function usersConfig(env: Environment): UsersConfig {
  const given = loadConfig(safeSettings, env);
  const http = httpConfig(given);
  return {
    http,
    ...storeConfig(given),
    tokens: { issuer: given.JWT_ISSUER, keys: given.JWT_KEYS, refreshSecrets: given.REFRESH_TOKEN_SECRET },
    otp: {
      secrets: given.OTP_SECRET,
      sendsPerIpHour: given.OTP_SENDS_PER_IP_HOUR ?? (http.isProduction ? PRODUCTION_SENDS_PER_IP_HOUR : 0),
      sendsPerPrefixHour:
        given.OTP_SENDS_PER_PREFIX_HOUR ?? (http.isProduction ? PRODUCTION_SENDS_PER_PREFIX_HOUR : 0),
      sendsPerHour: given.OTP_SENDS_PER_HOUR,
      minConversionPercent: given.OTP_MIN_CONVERSION_PERCENT,
      testRules: given.OTP_TEST_RULES,
    },
    pii: { keys: given.PII_KEYS, indexSecret: given.INDEX_SECRET },
    audit: { keys: given.AUDIT_KEYS },
    sms: smsConfig(given),
    providers: providersConfig(given),
    mail: { smtpUrl: given.MAIL_SMTP_URL, from: given.MAIL_FROM, isTlsRequired: http.isProduction },
    journey: { issuers: loadIssuers(), isStrict: given.STRICT_JOURNEY },
  };
}

/** The keys that the commands which change data or check the audit trail ask for. */
export function keysConfig(env: Environment, name: 'PII_KEYS' | 'AUDIT_KEYS'): readonly NamedKey[] {
  return loadConfig(z.object({ [name]: namedKeys }), env)[name]!;
}

/** The keys of personal data, for commands that find people by it. */
export function piiConfig(env: Environment): PiiConfig {
  const given = loadConfig(z.object({ PII_KEYS: namedKeys, INDEX_SECRET: secret }), env);
  return { keys: given.PII_KEYS, indexSecret: given.INDEX_SECRET };
}

/** The environment of this process. */
export const environment: Environment = process.env;
