import { setting } from '@fd/platform';
import { z } from 'zod';
import { loadIssuers } from './load-issuers.js';

/** External services by what they do for us. Each issuer's own API is one provider. */
export const PROVIDER_KINDS = [
  'pan-registry',
  'bank',
  'aadhaar',
  'document-locker',
  'ekyc',
  'issuer',
  'mail',
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Address and credentials of a provider. */
export interface ProviderAddress {
  readonly kind: ProviderKind;
  /** Name in logs and metrics: the kind; for an issuer with its slug. */
  readonly name: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

const baseUrl = setting.url('http:', 'https:').transform((url) => url.replace(/(?<!\/)\/+$/, ''));
const apiKey = z.string().min(1);

/** Settings whose URL must be https in production. */
export const PROVIDER_URL_SETTINGS = [
  'PAN_REGISTRY_URL',
  'BANK_VERIFICATION_URL',
  'AADHAAR_URL',
  'DOCUMENT_LOCKER_URL',
  'EKYC_URL',
  'ISSUER_API_URL',
] as const;

/** The mailer takes options out of a query and prefers them to ours: one of them turns the check of certificates off. */
const smtpUrl = setting
  .url('smtp:', 'smtps:')
  .refine((url) => !url.includes('?'), 'must have no query: options are not taken from the URL');

/** `{"slug": {"url": "...", "api_key": "..."}}`: issuers that are reached elsewhere than the others. */
const overrides = z
  .string()
  .default('{}')
  .transform((text, context) => {
    const parsed = z.record(z.string(), z.object({ url: baseUrl, api_key: apiKey })).safeParse(jsonOf(text));
    const message = parsed.success
      ? slugProblem(Object.keys(parsed.data))
      : 'must be JSON: {"slug": {"url": "...", "api_key": "..."}}';
    if (parsed.success && !message) return parsed.data;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** Whoever misspells an issuer would believe that it is reached elsewhere, with a key of its own. */
function slugProblem(slugs: readonly string[]): string | undefined {
  const known = loadIssuers().map(({ slug }) => slug);
  return slugs.every((slug) => known.includes(slug)) ? undefined : `must name ${known.join(', ')} only`;
}

/** Whether no issuer is overridden with an address at which the key and the data would travel in clear. */
export function haveSafeOverrides(given: {
  readonly NODE_ENV?: string;
  readonly ISSUER_API_OVERRIDES?: z.output<typeof overrides>;
}): boolean {
  if (given.NODE_ENV !== 'production') return true;
  // unread when it is wrong in itself, which has been told
  return Object.values(given.ISSUER_API_OVERRIDES ?? {}).every(({ url }) => !/^http:/i.test(url ?? ''));
}

/** Outside parties, each with where it is and the key it gave us. */
export const providerSettings = {
  PAN_REGISTRY_URL: baseUrl,
  PAN_REGISTRY_API_KEY: apiKey,
  BANK_VERIFICATION_URL: baseUrl,
  BANK_VERIFICATION_API_KEY: apiKey,
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
  /** Calls of one replica to one party that run at once, and as many that wait for them: what its contract allows. */
  PROVIDER_MAX_CALLS: setting.int(1, 200).default(20),
  MAIL_SMTP_URL: smtpUrl,
  MAIL_FROM: z.string().regex(/^[^\r\n]{3,200}$/),
};

export interface ProvidersConfig {
  readonly panRegistry: ProviderAddress;
  readonly bank: ProviderAddress;
  readonly aadhaar: ProviderAddress;
  readonly documentLocker: ProviderAddress;
  readonly ekyc: ProviderAddress;
  readonly issuer: (slug: string) => ProviderAddress;
  readonly timeoutMs: number;
  /** To one party at once. */
  readonly maxCalls: number;
}

export interface MailConfig {
  readonly smtpUrl: string;
  readonly from: string;
}

type Given = z.output<z.ZodObject<typeof providerSettings>>;

export function providersConfig(given: Given): ProvidersConfig {
  return {
    panRegistry: {
      kind: 'pan-registry',
      name: 'pan-registry',
      baseUrl: given.PAN_REGISTRY_URL,
      apiKey: given.PAN_REGISTRY_API_KEY,
    },
    bank: {
      kind: 'bank',
      name: 'bank',
      baseUrl: given.BANK_VERIFICATION_URL,
      apiKey: given.BANK_VERIFICATION_API_KEY,
    },
    aadhaar: { kind: 'aadhaar', name: 'aadhaar', baseUrl: given.AADHAAR_URL, apiKey: given.AADHAAR_API_KEY },
    documentLocker: {
      kind: 'document-locker',
      name: 'document-locker',
      baseUrl: given.DOCUMENT_LOCKER_URL,
      apiKey: given.DOCUMENT_LOCKER_API_KEY,
    },
    ekyc: { kind: 'ekyc', name: 'ekyc', baseUrl: given.EKYC_URL, apiKey: given.EKYC_API_KEY },
    issuer: (slug) => ({
      kind: 'issuer',
      name: `issuer-${slug}`,
      baseUrl: given.ISSUER_API_OVERRIDES[slug]?.url ?? `${given.ISSUER_API_URL}/${slug}`,
      apiKey: given.ISSUER_API_OVERRIDES[slug]?.api_key ?? given.ISSUER_API_KEY,
    }),
    timeoutMs: given.PROVIDER_TIMEOUT_MS,
    maxCalls: given.PROVIDER_MAX_CALLS,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
