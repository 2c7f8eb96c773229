import {
  commonRules,
  type DatabaseConfig,
  type Environment,
  hasStrongPassword,
  type HttpConfig,
  httpConfig,
  httpSettings,
  inProduction,
  isPublished,
  isWeak,
  loadConfig,
  passwordIn,
  PUBLISHED_IN_PRODUCTION,
  type RateLimitConfig,
  type RedisConfig,
  rule,
  secret,
  setting,
  WEAK_IN_PRODUCTION,
  WEAK_PASSWORD_IN_PRODUCTION,
  storeConfig,
  storeSettings,
  withRules,
} from '@fd/platform';
import { z } from 'zod';
import {
  AADHAAR_RULES,
  haveStrongOverrides,
  haveOwnOverrides,
  haveRemoteOverrides,
  haveSafeOverrides,
  isLocal,
  LOCAL_IN_PRODUCTION,
  PROVIDER_KEY_SETTINGS,
  PROVIDER_URL_SETTINGS,
  providersConfig,
  providerSettings,
} from './provider-settings.js';
import { ekycMethods, ISSUERS, withEkycMethods } from './issuers.js';
import { namedKeys, otpTestRules, secrets, signingKeys } from './parsed-settings.js';
import { areKeptFrom, haveDifferentSecrets, OWN_SECRETS, secretRule } from './secret-rules.js';
import { SMS_KEY_SETTINGS, SMS_RULES, SMS_URL_SETTINGS, smsConfig, smsSettings } from './sms-settings.js';
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
import {
  VENDOR_KEY_SETTINGS,
  VENDOR_RULES,
  VENDOR_URL_SETTINGS,
  vendorSettings,
  verificationProviders,
} from './vendor-settings.js';

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
  /** The clock of the sandbox, which the service follows; undefined: the machine's. */
  readonly clockUrl: string | undefined;
}

const HTTPS_IN_PRODUCTION = [
  ...SMS_URL_SETTINGS,
  'JWT_ISSUER',
  ...PROVIDER_URL_SETTINGS,
  ...VENDOR_URL_SETTINGS,
] as const;

/** Settings whose URL must be of another machine in production. */
const REMOTE_IN_PRODUCTION = [...HTTPS_IN_PRODUCTION, 'LOCKER_RETURN_URL'] as const;

/** Settings with keys in a foreign format. */
const PROVIDER_KEYS = [...SMS_KEY_SETTINGS, ...PROVIDER_KEY_SETTINGS, ...VENDOR_KEY_SETTINGS] as const;
/** Keys that their vendor issues. Those of our own formats may be equal: one company may serve several of them. */
const ISSUED_KEYS = [
  'MSG91_AUTH_KEY',
  'TWILIO_AUTH_TOKEN',
  'AWS_SMS_SECRET_ACCESS_KEY',
  ...VENDOR_KEY_SETTINGS,
] as const;
const PROVIDER_SECRETS = [...PROVIDER_KEYS, 'MAIL_SMTP_URL'] as const;

/** Limits whose 0 means none: in production a flood of codes would have no bound. */
const OTP_LIMITS = [
  'OTP_SENDS_PER_IP_HOUR',
  'OTP_SENDS_PER_PREFIX_HOUR',
  'OTP_SENDS_PER_HOUR',
  'OTP_MIN_CONVERSION_PERCENT',
] as const;

const settings = z.object({
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
  OTP_SENDS_PER_HOUR: setting.int(0, 10_000_000).optional(),
  OTP_MIN_CONVERSION_PERCENT: setting.int(0, 100).optional(),
  OTP_TEST_RULES: otpTestRules,
  ...smsSettings,
  ...providerSettings,
  ...vendorSettings,
  /** Replaces the eKYC method of issuers, for example Aadhaar OTP. */
  EKYC_METHODS: ekycMethods,
  STRICT_JOURNEY: setting.flag(),
  /** The sandbox's clock, which the service follows. */
  CLOCK_URL: setting.url('http:', 'https:').optional(),
});

type Given = Partial<z.output<typeof settings>>;

/** Whether a provider's key, or the password in its URL, is not a published example. */
const isOwn = (text = ''): boolean => !(isPublished(text) || isPublished(passwordIn(text)));

/** The password of a URL, or the text itself. */
const passwordOf = (text: string): string => (URL.canParse(text) ? passwordIn(text) : text);

/** Whether no credential of a provider or store is one of our own keys or secrets. */
function isKeptFromOthers(given: Given): boolean {
  const known = [...PROVIDER_SECRETS, 'DATABASE_URL', 'REDIS_URL', 'REDIS_SENTINEL_PASSWORD'] as const;
  return areKeptFrom(known.flatMap((name) => (given[name] ?? '').split(',')).map(passwordOf), given);
}

/** Rules over several settings, and additional ones of production. */
const rules = [
  [haveDifferentSecrets, rule('secrets and keys', 'each must be different')] as const,
  [
    inProduction(({ OTP_TEST_RULES }: Given) => !OTP_TEST_RULES?.length),
    rule('OTP_TEST_RULES', 'is refused in production'),
  ] as const,
  [
    inProduction(({ CLOCK_URL }: Given) => CLOCK_URL === undefined),
    rule('CLOCK_URL', 'is refused in production'),
  ] as const,
  [haveSafeOverrides, rule('ISSUER_API_OVERRIDES', 'must be https in production')] as const,
  [haveOwnOverrides, rule('ISSUER_API_OVERRIDES', PUBLISHED_IN_PRODUCTION)] as const,
  [
    haveStrongOverrides,
    rule('ISSUER_API_OVERRIDES', `its keys and passwords: each ${WEAK_IN_PRODUCTION}`),
  ] as const,
  [haveRemoteOverrides, rule('ISSUER_API_OVERRIDES', LOCAL_IN_PRODUCTION)] as const,
  ...commonRules,
  ...SMS_RULES,
  ...AADHAAR_RULES,
  ...VENDOR_RULES,
  ...OWN_SECRETS.map(secretRule),
  [
    inProduction(isKeptFromOthers),
    rule('secrets and keys', 'must not be the keys of providers or the passwords of stores in production'),
  ] as const,
  // keys and personal data are never sent unencrypted
  ...HTTPS_IN_PRODUCTION.map(
    (name) =>
      [
        inProduction(({ [name]: url = 'https:' }: Given) => url.startsWith('https:')),
        rule(name, 'must be https in production'),
      ] as const,
  ),
  ...REMOTE_IN_PRODUCTION.map(
    (name) =>
      [
        inProduction(({ [name]: url = '' }: Given) => !isLocal(url)),
        rule(name, LOCAL_IN_PRODUCTION),
      ] as const,
  ),
  ...PROVIDER_KEYS.map(
    (name) =>
      [
        inProduction(({ [name]: key }: Given) => key === undefined || !isWeak(key)),
        rule(name, WEAK_IN_PRODUCTION),
      ] as const,
  ),
  [
    inProduction(({ MAIL_SMTP_URL: url = '' }: Given) => hasStrongPassword(url)),
    rule('MAIL_SMTP_URL', WEAK_PASSWORD_IN_PRODUCTION),
  ] as const,
  ...ISSUED_KEYS.map(
    (name) =>
      [
        inProduction(
          ({ [name]: key, ...given }: Given) =>
            key === undefined || PROVIDER_KEYS.every((other) => (given as Given)[other] !== key),
        ),
        rule(name, 'must not be the key of another provider in production: its vendor issues one of its own'),
      ] as const,
  ),
  ...OTP_LIMITS.map(
    (name) =>
      [
        inProduction(({ [name]: limit }: Given) => limit !== 0),
        rule(name, 'must be at least 1 in production: 0 would switch it off'),
      ] as const,
  ),
  ...PROVIDER_SECRETS.map(
    (name) =>
      [inProduction(({ [name]: text }: Given) => isOwn(text)), rule(name, PUBLISHED_IN_PRODUCTION)] as const,
  ),
];

const checkedSettings = withRules(settings, rules);

export const USERS_SETTINGS = Object.keys(settings.shape);

/** Addresses are shared by whole mobile carriers, so the defaults in production are generous. */
const PRODUCTION_SENDS = {
  sendsPerIpHour: 600,
  sendsPerPrefixHour: 2_000,
  sendsPerHour: 20_000,
  minConversionPercent: 10,
};
const NO_LIMITS = { sendsPerIpHour: 0, sendsPerPrefixHour: 0, sendsPerHour: 0, minConversionPercent: 0 };

/**
 * The settings of the service, read and checked once.
 * @throws ConfigError naming every problem at once
 */
export function usersConfig(env: Environment): UsersConfig {
  const given = loadConfig(checkedSettings, env);
  const http = httpConfig(given);
  const sends = http.isProduction ? PRODUCTION_SENDS : NO_LIMITS;
  return {
    http,
    ...storeConfig(given),
    tokens: { issuer: given.JWT_ISSUER, keys: given.JWT_KEYS, refreshSecrets: given.REFRESH_TOKEN_SECRET },
    otp: {
      secrets: given.OTP_SECRET,
      sendsPerIpHour: given.OTP_SENDS_PER_IP_HOUR ?? sends.sendsPerIpHour,
      sendsPerPrefixHour: given.OTP_SENDS_PER_PREFIX_HOUR ?? sends.sendsPerPrefixHour,
      sendsPerHour: given.OTP_SENDS_PER_HOUR ?? sends.sendsPerHour,
      minConversionPercent: given.OTP_MIN_CONVERSION_PERCENT ?? sends.minConversionPercent,
      testRules: given.OTP_TEST_RULES,
    },
    pii: { keys: given.PII_KEYS, indexSecret: given.INDEX_SECRET },
    audit: { keys: given.AUDIT_KEYS },
    sms: smsConfig(given),
    providers: { ...providersConfig(given), ...verificationProviders(given) },
    mail: { smtpUrl: given.MAIL_SMTP_URL, from: given.MAIL_FROM, isTlsRequired: http.isProduction },
    journey: {
      issuers: withEkycMethods(ISSUERS, given.EKYC_METHODS),
      isStrict: given.STRICT_JOURNEY,
    },
    clockUrl: given.CLOCK_URL,
  };
}

/** Keys for commands that change data or verify the audit trail. */
export function keysConfig(env: Environment, name: 'PII_KEYS' | 'AUDIT_KEYS'): readonly NamedKey[] {
  const { NODE_ENV } = httpSettings;
  const keys = { [name]: namedKeys } as Record<typeof name, typeof namedKeys>;
  return loadConfig(z.object({ NODE_ENV, ...keys }).refine(...secretRule(name)), env)[name];
}

/** Keys of personal data, for commands that search people. */
export function piiConfig(env: Environment): PiiConfig {
  const { NODE_ENV } = httpSettings;
  const schema = z
    .object({ NODE_ENV, PII_KEYS: namedKeys, INDEX_SECRET: secret })
    .refine(...secretRule('PII_KEYS'))
    .refine(...secretRule('INDEX_SECRET'));
  const given = loadConfig(schema, env);
  return { keys: given.PII_KEYS, indexSecret: given.INDEX_SECRET };
}

export const environment: Environment = process.env;
