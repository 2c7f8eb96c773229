import { isPublished, parsed, setting } from '@fd/platform';
import { z } from 'zod';
import { loadIssuers } from './issuers.js';
import type { ProviderName, ProvidersConfig } from './slices.js';

export const baseUrl = setting.url('http:', 'https:').transform((url) => url.replace(/(?<!\/)\/+$/, ''));
export const apiKey = z.string().min(1);

/** Beginning of the names of a provider's settings. */
const PREFIXES = {
  'pan-registry': 'PAN_REGISTRY',
  bank: 'BANK_VERIFICATION',
  aadhaar: 'AADHAAR',
  'document-locker': 'DOCUMENT_LOCKER',
  ekyc: 'EKYC',
} as const satisfies Readonly<Record<ProviderName, string>>;

/** Settings whose URL must be https in production. */
export const PROVIDER_URL_SETTINGS = [...Object.values(PREFIXES), 'ISSUER_API' as const].map(
  (prefix) => `${prefix}_URL` as const,
);

/** Settings with the key that a provider gave us. */
export const PROVIDER_KEY_SETTINGS = [
  ...Object.values(PREFIXES).map((prefix) => `${prefix}_API_KEY` as const),
  'ISSUER_API_KEY' as const,
];

const overridesFile = z.record(z.string(), z.object({ url: baseUrl, api_key: apiKey }));

/** Whoever misspells an issuer would believe that it is reached elsewhere, with a key of its own. */
const slugs = loadIssuers().map(({ slug }) => slug);

/** Issuers that are reached elsewhere than the others. */
const overrides = parsed('must be JSON: {"slug": {"url": "...", "api_key": "..."}}', (text) =>
  overridesFile.parse(JSON.parse(text)),
)
  .refine(
    (given) => Object.keys(given).every((slug) => slugs.includes(slug)),
    `must name ${slugs.join(', ')} only`,
  )
  .prefault('{}');

interface GivenOverrides {
  readonly NODE_ENV?: string;
  readonly ISSUER_API_OVERRIDES?: z.output<typeof overrides>;
}

/** The overrides that production is given; none when they are wrong in themselves, which has been reported. */
const productionOverrides = ({ NODE_ENV, ISSUER_API_OVERRIDES }: GivenOverrides) =>
  NODE_ENV === 'production' ? Object.values(ISSUER_API_OVERRIDES ?? {}) : [];

/** Whether no issuer is overridden with an address at which the key and the data would travel in clear. */
export const haveSafeOverrides = (given: GivenOverrides): boolean =>
  productionOverrides(given).every(({ url }) => !/^http:/i.test(url ?? ''));

/** Whether no issuer is overridden with a key that everybody knows. */
export const haveOwnOverrides = (given: GivenOverrides): boolean =>
  productionOverrides(given).every(({ api_key: key }) => !isPublished(key ?? ''));

/** External services: where each one is, and the key it gave us. */
export const providerSettings = {
  PAN_REGISTRY_URL: baseUrl.optional(),
  PAN_REGISTRY_API_KEY: apiKey.optional(),
  BANK_VERIFICATION_URL: baseUrl.optional(),
  BANK_VERIFICATION_API_KEY: apiKey.optional(),
  AADHAAR_URL: baseUrl,
  AADHAAR_API_KEY: apiKey,
  DOCUMENT_LOCKER_URL: baseUrl,
  DOCUMENT_LOCKER_API_KEY: apiKey,
  EKYC_URL: baseUrl,
  EKYC_API_KEY: apiKey,
  /** An issuer's API is at this address followed by its slug, unless it is overridden. */
  ISSUER_API_URL: baseUrl,
  ISSUER_API_KEY: apiKey,
  ISSUER_API_OVERRIDES: overrides,
  /** How long one try of one call may take. The leases of background work are longer than a queue and two tries of the most. */
  PROVIDER_TIMEOUT_MS: setting.int(100, 1_000).default(800),
  /** Calls of one replica to one provider that run at once, and as many that wait for them: what its contract allows. */
  PROVIDER_MAX_CALLS: setting.int(1, 200).default(20),
  /** The mailer takes options out of a query and prefers them to ours: one of them turns the check of certificates off. */
  MAIL_SMTP_URL: setting
    .url('smtp:', 'smtps:')
    .refine((url) => !url.includes('?'), 'must have no query: options are not taken from the URL'),
  MAIL_FROM: z.string().regex(/^[^\r\n]{3,200}$/),
};

type Given = z.output<z.ZodObject<typeof providerSettings>>;

export function providersConfig(given: Given): Omit<ProvidersConfig, 'pan' | 'bank'> {
  return {
    // what is used is there: the rules have seen to it
    addressOf: (provider) => ({
      name: provider,
      baseUrl: given[`${PREFIXES[provider]}_URL`]!,
      apiKey: given[`${PREFIXES[provider]}_API_KEY`]!,
    }),
    issuerAddressOf: (slug) => ({
      name: `issuer-${slug}`,
      baseUrl: given.ISSUER_API_OVERRIDES[slug]?.url ?? `${given.ISSUER_API_URL}/${slug}`,
      apiKey: given.ISSUER_API_OVERRIDES[slug]?.api_key ?? given.ISSUER_API_KEY,
    }),
    timeoutMs: given.PROVIDER_TIMEOUT_MS,
    maxCalls: given.PROVIDER_MAX_CALLS,
  };
}
