import {
  checkedTogether,
  commonProblems,
  type DatabaseConfig,
  type Environment,
  type HttpConfig,
  httpConfig,
  httpSettings,
  loadConfig,
  type NamedKey,
  namedKeys,
  passwordIn,
  passwordProblems,
  type Problem,
  type RateLimitConfig,
  type RedisConfig,
  secret,
  setting,
  WEAK_IN_PRODUCTION,
  storeConfig,
  storeSettings,
} from '@fd/platform';
import { z } from 'zod';
import {
  aadhaarProblems,
  apiKey,
  baseUrl,
  isLocal,
  LOCAL_IN_PRODUCTION,
  overrideProblems,
  providersConfig,
  providerSettings,
} from './provider-settings.js';
import { ekycMethods, ISSUERS, issuerSlugs, withEkycMethods, withFactSheets } from './issuers.js';
import { otpTestRules, secrets, signingKeys } from './parsed-settings.js';
import { areKeptFrom, guessableSecrets, haveDifferentSecrets, OWN_SECRETS } from './secret-rules.js';
import { smsProblems, smsConfig, smsSettings } from './sms-settings.js';
import type { PiiConfig, Slices } from './slices.js';
import { vendorProblems, vendorSettings, verificationProviders } from './vendor-settings.js';

export interface UsersConfig extends Slices {
  readonly http: HttpConfig;
  readonly database: DatabaseConfig;
  readonly redis: RedisConfig;
  readonly rateLimit: RateLimitConfig;
  /** The clock of the sandbox, which the service follows; undefined: the machine's. */
  readonly clockUrl: string | undefined;
}

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
  /** Those of master-service. */
  FACT_SHEET_KEYS: namedKeys.optional(),
  /** Issuers that require on any day that the fact sheet was shown. */
  FACT_SHEET_REQUIRED: issuerSlugs,
  OTP_SENDS_PER_IP_HOUR: setting.int(0, 1_000_000).optional(),
  OTP_SENDS_PER_PREFIX_HOUR: setting.int(0, 1_000_000).optional(),
  OTP_SENDS_PER_HOUR: setting.int(0, 10_000_000).optional(),
  OTP_MIN_CONVERSION_PERCENT: setting.int(0, 100).optional(),
  OTP_TEST_RULES: otpTestRules,
  /** More than the longest life of a session. */
  CONFIRM_LOGIN_AFTER_DAYS: setting.int(31, 3_650).optional(),
  SEPARATE_PARTNERS: setting.flag(),
  /** Delivers events to this machine and private networks, without TLS. */
  EVENTS_TO_LOCAL_ADDRESSES: setting.flag(),
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

type TextSetting = {
  [Name in keyof Given]-?: Given[Name] extends string | undefined ? Name : never;
}[keyof Given];

const isMadeOf = (schema: z.ZodType, part: z.ZodType): boolean =>
  schema === part || ('unwrap' in schema && isMadeOf((schema as z.ZodOptional<z.ZodType>).unwrap(), part));

/** Settings made of a part, whatever their default: no list forgets the URL or the key of a new provider. */
const settingsOf = (part: z.ZodType): readonly TextSetting[] =>
  (Object.keys(settings.shape) as TextSetting[]).filter((name) => isMadeOf(settings.shape[name], part));

const HTTPS_IN_PRODUCTION = ['JWT_ISSUER', ...settingsOf(baseUrl)] as const;
/** Settings whose URL must be of another machine in production. */
const REMOTE_IN_PRODUCTION = [...HTTPS_IN_PRODUCTION, 'LOCKER_RETURN_URL'] as const;
/** Keys of providers, in their formats. */
const PROVIDER_KEYS = settingsOf(apiKey);
/** Keys that their vendor issues. Those of our own formats may be equal: one company may serve several of them. */
const ISSUED_KEYS = PROVIDER_KEYS.filter((name) => !name.endsWith('_API_KEY'));
const PROVIDER_SECRETS = [...PROVIDER_KEYS, 'MAIL_SMTP_URL'] as const;

/** The password of a URL, or the text itself. */
const passwordOf = (text: string): string => (URL.canParse(text) ? passwordIn(text) : text);

/** Whether no credential of a provider or store is one of our own keys or secrets. */
function isKeptFromOthers(given: Given): boolean {
  const known = [...PROVIDER_SECRETS, 'DATABASE_URL', 'REDIS_URL', 'REDIS_SENTINEL_PASSWORD'] as const;
  return areKeptFrom(known.flatMap((name) => String(given[name] ?? '').split(',')).map(passwordOf), given);
}

/** Problems of the settings together. */
function* problemsOf(given: Given): Iterable<Problem> {
  if (!haveDifferentSecrets(given)) yield ['secrets and keys', 'each must be different'];
  yield* commonProblems(given);
  yield* factSheetProblems(given);
  yield* smsProblems(given);
  yield* aadhaarProblems(given);
  yield* vendorProblems(given);
  if (given.NODE_ENV === 'production') yield* productionProblems(given);
}

function* factSheetProblems({ FACT_SHEET_KEYS: keys, FACT_SHEET_REQUIRED: slugs }: Given): Iterable<Problem> {
  const issuer = withFactSheets(ISSUERS, slugs).find(({ booking }) => booking.fact_sheet !== 'OPTIONAL');
  if (issuer && !keys)
    yield ['FACT_SHEET_KEYS', `must be set: ${issuer.slug} requires that a fact sheet was shown`];
}

function* productionProblems(given: Given): Iterable<Problem> {
  if (given.OTP_TEST_RULES?.length) yield ['OTP_TEST_RULES', 'is refused in production'];
  if (given.CLOCK_URL !== undefined) yield ['CLOCK_URL', 'is refused in production'];
  if (given.EVENTS_TO_LOCAL_ADDRESSES) yield ['EVENTS_TO_LOCAL_ADDRESSES', 'is refused in production'];
  yield* guessableSecrets(given, OWN_SECRETS);
  if (!isKeptFromOthers(given))
    yield ['secrets and keys', 'must not be the keys of providers or the passwords of stores in production'];
  yield* overrideProblems(given.ISSUER_API_OVERRIDES);
  // keys and personal data are never sent unencrypted
  for (const name of HTTPS_IN_PRODUCTION)
    if (given[name]?.startsWith('https:') === false) yield [name, 'must be https in production'];
  for (const name of REMOTE_IN_PRODUCTION) if (isLocal(given[name] ?? '')) yield [name, LOCAL_IN_PRODUCTION];
  for (const name of PROVIDER_KEYS) {
    const { [name]: key } = given;
    if (key !== undefined) yield* passwordProblems(name, key, WEAK_IN_PRODUCTION);
  }
  const mailPassword = passwordIn(given.MAIL_SMTP_URL ?? '');
  if (mailPassword) yield* passwordProblems('MAIL_SMTP_URL', mailPassword);
  for (const name of ISSUED_KEYS) {
    const { [name]: key } = given;
    if (key !== undefined && PROVIDER_KEYS.some((other) => other !== name && given[other] === key))
      yield [name, 'must not be the key of another provider in production: its vendor issues one of its own'];
  }
  for (const name of OTP_LIMITS)
    if (given[name] === 0) yield [name, 'must be at least 1 in production: 0 would switch it off'];
}

const checkedSettings = checkedTogether(settings, problemsOf);

export const USERS_SETTINGS = Object.keys(settings.shape);

/** Addresses are shared by whole mobile carriers, so the defaults in production are generous. */
const PRODUCTION_SENDS = {
  sendsPerIpHour: 600,
  sendsPerPrefixHour: 2_000,
  sendsPerHour: 20_000,
  minConversionPercent: 10,
};
const NO_LIMITS = { sendsPerIpHour: 0, sendsPerPrefixHour: 0, sendsPerHour: 0, minConversionPercent: 0 };

/** The settings of the service, read and checked once. @throws ConfigError naming every problem at once */
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
      issuers: withFactSheets(withEkycMethods(ISSUERS, given.EKYC_METHODS), given.FACT_SHEET_REQUIRED),
      isStrict: given.STRICT_JOURNEY,
    },
    login: {
      confirmAfterDays: given.CONFIRM_LOGIN_AFTER_DAYS,
      arePartnersSeparate: given.SEPARATE_PARTNERS,
    },
    events: { areLocalAddressesAllowed: given.EVENTS_TO_LOCAL_ADDRESSES },
    factSheet: { keys: given.FACT_SHEET_KEYS ?? [] },
    clockUrl: given.CLOCK_URL,
  };
}

/** Keys for commands that change data or verify the audit trail. */
export function keysConfig(env: Environment, name: 'PII_KEYS' | 'AUDIT_KEYS'): readonly NamedKey[] {
  const { NODE_ENV } = httpSettings;
  const keys = { [name]: namedKeys } as Record<typeof name, typeof namedKeys>;
  const schema = checkedTogether(z.object({ NODE_ENV, ...keys }), (given) => guessableSecrets(given, [name]));
  return loadConfig(schema, env)[name];
}

/** Keys of personal data, for commands that search people. */
export function piiConfig(env: Environment): PiiConfig {
  const { NODE_ENV } = httpSettings;
  const schema = checkedTogether(z.object({ NODE_ENV, PII_KEYS: namedKeys, INDEX_SECRET: secret }), (given) =>
    guessableSecrets(given, ['PII_KEYS', 'INDEX_SECRET']),
  );
  const given = loadConfig(schema, env);
  return { keys: given.PII_KEYS, indexSecret: given.INDEX_SECRET };
}

export const environment: Environment = process.env;
