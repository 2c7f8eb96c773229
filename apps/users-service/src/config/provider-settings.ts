import { BlockList, isIP } from 'node:net';
import { timeLimit } from '@fd/envelope';
import {
  isDecodable,
  isPublished,
  isWeak,
  NOT_DECODABLE,
  parsed,
  type Problem,
  PUBLISHED_IN_PRODUCTION,
  setting,
  WEAK_IN_PRODUCTION,
} from '@fd/platform';
import { z } from 'zod';
import { type EkycMethod, ISSUERS, withEkycMethods } from './issuers.js';
import type { FineractAccount, FineractLogin, IssuerSettings, ProvidersConfig } from './slices.js';

export const baseUrl = setting.url('http:', 'https:').transform((url) => url.replace(/(?<!\/)\/+$/, ''));
export const apiKey = z.string().min(1);
export const optionalText = (pattern: RegExp) => z.string().regex(pattern).optional();

/** Addresses of the machine itself, and those that embed them: IPv4-compatible, translated (RFC 2765, 6052) and 6to4. */
const LOCAL = new BlockList();
for (const address of ['127.0.0.0', '0.0.0.0']) LOCAL.addSubnet(address, 8);
for (const address of ['::1', '64:ff9b::', '64:ff9b::7f00:0', '::7f00:0', '::ffff:0:0:0', '::ffff:0:7f00:0'])
  LOCAL.addSubnet(address, 104, 'ipv6');
for (const address of ['2002::', '2002:7f00::']) LOCAL.addSubnet(address, 24, 'ipv6');

/** Its names in the hosts files of Linux distributions. */
const LOCAL_NAME = /^(?:(?:.+\.)?localhost|(?:ip6-)?(?:localhost|loopback)[46]?(?:\.localdomain[46]?)?)$/;

/** Whether a URL names this machine, where only a stub of a provider would answer. */
export function isLocal(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, '');
  const version = isIP(host);
  return version === 0 ? LOCAL_NAME.test(host) : LOCAL.check(host, `ipv${version as 4 | 6}`);
}

export const LOCAL_IN_PRODUCTION = 'must not be on this machine in production';

/** URL and key of an issuer, in the wire format of its file. */
const ownFormatOverride = z.strictObject({ url: baseUrl, api_key: apiKey });

/** An issuer that runs Apache Fineract: the README of its adapter explains the fields. */
const fineractAccount = z.strictObject({
  api: z.literal('fineract'),
  url: baseUrl,
  tenant: z.string().regex(/^[\x21-\x7e]{1,100}$/),
  office_id: z.int().positive().default(1),
  reviews_accounts: z.boolean().default(false),
  // a worker's call ends well before its lease
  timeout_ms: z.int().min(100).max(4_000).default(4_000),
});

const fineractOverride = z.union([
  fineractAccount.extend({
    // Basic authentication ends the user at the first colon
    user: z.string().regex(/^[\x21-\x39\x3b-\x7e]{1,100}$/),
    password: z.string().min(1),
  }),
  fineractAccount.extend({
    token_url: baseUrl,
    client_id: z.string().regex(/^[\x21-\x7e]{1,100}$/),
    client_secret: z.string().min(1),
    scope: optionalText(/^[\x20-\x7e]{1,200}$/),
  }),
]);

const overridesFile = z.record(z.string(), z.union([ownFormatOverride, fineractOverride]));
type Overrides = z.output<typeof overridesFile>;

// overrides must name these: a misspelt issuer would silently keep its URL
const slugs = ISSUERS.map(({ slug }) => slug);
const slugsWithLeads = ISSUERS.filter(({ steps }) => steps.includes('LEAD')).map(({ slug }) => slug);

const overrides = parsed(
  'must be JSON: {"slug": {"url": "...", "api_key": "..."}}, or {"api": "fineract", "url", "tenant"} with "user" and "password", or with "token_url", "client_id" and "client_secret"',
  (text) => overridesFile.parse(JSON.parse(text)),
)
  .refine(
    (given) => Object.keys(given).every((slug) => slugs.includes(slug)),
    `must name ${slugs.join(', ')} only`,
  )
  .refine(
    (given) =>
      Object.entries(given).every(([slug, way]) => !('api' in way) || !slugsWithLeads.includes(slug)),
    `must not reach ${slugsWithLeads.join(', ')} over Fineract, which has no leads`,
  )
  .prefault('{}');

/** Default password of Fineract's user `mifos`. */
const FINERACT_DEFAULT_PASSWORD = 'password';

type Override = Overrides[string];

const urlsOf = (override: Override): string[] => [
  override.url,
  ...('token_url' in override ? [override.token_url] : []),
];

function secretOf(override: Override): string {
  if (!('api' in override)) return override.api_key;
  return 'token_url' in override ? override.client_secret : override.password;
}

export function* overrideProblems(overrides: Overrides = {}): Iterable<Problem> {
  const all = Object.values(overrides);
  const secrets = all.map(secretOf);
  if (!all.flatMap(urlsOf).every((url) => url.startsWith('https:')))
    yield ['ISSUER_API_OVERRIDES', 'must be https in production'];
  if (secrets.some((secret) => secret === FINERACT_DEFAULT_PASSWORD || isPublished(secret)))
    yield ['ISSUER_API_OVERRIDES', PUBLISHED_IN_PRODUCTION];
  if (secrets.some(isWeak))
    yield ['ISSUER_API_OVERRIDES', `its keys and passwords: each ${WEAK_IN_PRODUCTION}`];
  if (all.flatMap(urlsOf).some(isLocal)) yield ['ISSUER_API_OVERRIDES', LOCAL_IN_PRODUCTION];
}

export const providerSettings = {
  PAN_REGISTRY_URL: baseUrl.optional(),
  PAN_REGISTRY_API_KEY: apiKey.optional(),
  BANK_VERIFICATION_URL: baseUrl.optional(),
  BANK_VERIFICATION_API_KEY: apiKey.optional(),
  AADHAAR_URL: baseUrl.optional(),
  AADHAAR_API_KEY: apiKey.optional(),
  DOCUMENT_LOCKER_URL: baseUrl.optional(),
  DOCUMENT_LOCKER_API_KEY: apiKey.optional(),
  EKYC_URL: baseUrl.optional(),
  EKYC_API_KEY: apiKey.optional(),
  /** An issuer's API is at this address followed by its slug, unless it is overridden. */
  ISSUER_API_URL: baseUrl,
  ISSUER_API_KEY: apiKey,
  ISSUER_API_OVERRIDES: overrides,
  /** Timeout of one try. Leases of background work are longer than the queue and two tries at the maximum. */
  PROVIDER_TIMEOUT_MS: setting.int(100, 1_000).default(800),
  /** Timeout of one paid call of a PAN look-up; its client gets 202 meanwhile. */
  PAN_LOOKUP_TIMEOUT_MS: setting.int(100, 60_000).default(15_000),
  /** Parallel calls of a replica to one provider, and the length of the queue; by the provider's contract. */
  PROVIDER_MAX_CALLS: setting.int(1, 200).default(20),
  /** A query would override the mailer's options; one of them disables the verification of certificates. */
  MAIL_SMTP_URL: setting
    .url('smtp:', 'smtps:')
    .refine(isDecodable, NOT_DECODABLE)
    .refine((url) => !url.includes('?'), 'must have no query: options are not taken from the URL'),
  MAIL_FROM: z.string().regex(/^[^\r\n]{3,200}$/),
};

type Given = z.output<z.ZodObject<typeof providerSettings>> & {
  readonly EKYC_METHODS?: ReadonlyMap<string, EkycMethod> | undefined;
};

/** Whether an issuer verifies people by Aadhaar codes, by its file or EKYC_METHODS. */
const usesAadhaarOtp = ({ EKYC_METHODS }: Partial<Given>): boolean =>
  withEkycMethods(ISSUERS, EKYC_METHODS).some(({ ekyc_method }) => ekyc_method === 'AADHAAR_OTP');

/** The Aadhaar provider is required only while an issuer uses it. */
export function* aadhaarProblems(given: Partial<Given>): Iterable<Problem> {
  if (!usesAadhaarOtp(given)) return;
  for (const name of ['AADHAAR_URL', 'AADHAAR_API_KEY'] as const)
    if (given[name] === undefined)
      yield [name, 'is required: an issuer uses AADHAAR_OTP, by its file or EKYC_METHODS'];
}

type OwnApiPrefix =
  | 'PAN_REGISTRY'
  | 'BANK_VERIFICATION'
  | 'AADHAAR'
  | 'DOCUMENT_LOCKER'
  | 'EKYC'
  | 'SMS_PRIMARY'
  | 'SMS_FALLBACK';
type OwnApiSetting = `${OwnApiPrefix}_URL` | `${OwnApiPrefix}_API_KEY`;

/** A provider with our own wire format, whose settings are present by the rules. */
export function ownApi(
  name: string,
  prefix: OwnApiPrefix,
  given: Readonly<Partial<Record<OwnApiSetting, string | undefined>>>,
) {
  const [url, key] = [`${prefix}_URL`, `${prefix}_API_KEY`] as const;
  return {
    kind: 'http',
    name,
    baseUrl: given[url]!,
    apiKey: given[key]!,
    settings: `${url} and ${key}`,
  } as const;
}

export function providersConfig(
  given: Given,
): Omit<ProvidersConfig, 'pan' | 'bank' | 'locker' | 'lockerReturnUrl' | 'ekyc' | 'kycLinkTemplate'> {
  return {
    aadhaar: usesAadhaarOtp(given) ? ownApi('aadhaar', 'AADHAAR', given) : undefined,
    issuerOf: (slug) => issuerSettings(slug, given),
    timeoutMs: timeLimit(given.PROVIDER_TIMEOUT_MS),
    panLookupTimeoutMs: timeLimit(given.PAN_LOOKUP_TIMEOUT_MS),
    maxCalls: given.PROVIDER_MAX_CALLS,
  };
}

function issuerSettings(slug: string, given: Given): IssuerSettings {
  const name = `issuer-${slug}`;
  const override = given.ISSUER_API_OVERRIDES[slug];
  if (override && 'api' in override) return { kind: 'fineract', name, ...fineractSettings(override) };
  if (override) {
    const { url: baseUrl, api_key: apiKey } = override;
    return { kind: 'http', name, baseUrl, apiKey, settings: 'ISSUER_API_OVERRIDES' };
  }
  return {
    kind: 'http',
    name,
    baseUrl: `${given.ISSUER_API_URL}/${slug}`,
    apiKey: given.ISSUER_API_KEY,
    settings: 'ISSUER_API_URL and ISSUER_API_KEY',
  };
}

const fineractSettings = (given: z.output<typeof fineractOverride>): Omit<FineractAccount, 'name'> => ({
  baseUrl: given.url,
  tenant: given.tenant,
  login: loginOf(given),
  officeId: given.office_id,
  reviewsAccounts: given.reviews_accounts,
  timeoutMs: timeLimit(given.timeout_ms),
});

function loginOf(given: z.output<typeof fineractOverride>): FineractLogin {
  if ('user' in given) return { kind: 'basic', user: given.user, password: given.password };
  const { token_url: tokenUrl, client_id: clientId, client_secret: clientSecret, scope } = given;
  return { kind: 'oauth2', tokenUrl, clientId, clientSecret, scope };
}
