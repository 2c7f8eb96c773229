import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JOURNEY_STEPS } from '@fd/contracts';
import { parsed } from '@fd/platform';
import { parse } from 'yaml';
import { z } from 'zod';

const EKYC_METHODS = ['HOSTED', 'AADHAAR_OTP', 'DIGILOCKER'] as const;
export type EkycMethod = (typeof EKYC_METHODS)[number];

/** Wire formats that issuers speak: one adapter each. */
const ISSUER_API_FORMATS = ['rest', 'core-banking'] as const;
export type IssuerApiFormat = (typeof ISSUER_API_FORMATS)[number];

/** What a finding of the booking check does with an issuer. */
const FINDING_EFFECTS = ['BLOCK', 'WARN'] as const;
export type FindingEffect = (typeof FINDING_EFFECTS)[number];

/** What the issuer asks of a booking where the law leaves it to the issuer. */
const bookingRules = z.strictObject({
  minor_applicant: z.enum(FINDING_EFFECTS).default('BLOCK'),
  /** For a PAN that is not linked to an Aadhaar. */
  inoperative_pan: z.enum(FINDING_EFFECTS).default('WARN'),
  /** For more nominees than the law provides. Default: banks block; NBFCs warn, until section 45QB is confirmed. */
  excess_nominees: z.enum(FINDING_EFFECTS).optional(),
  /** Whether the fact sheet must have been shown: from the first day of the law, never, or on any day. */
  fact_sheet: z.enum(['BY_LAW', 'OPTIONAL', 'ALWAYS']).default('BY_LAW'),
});

/** An issuer of the journey, one file in `issuers/` each. master-service has rates and products. */
const issuerFile = z.strictObject({
  // as the tables of events take it
  slug: z.string().regex(/^[a-z][a-z-]{1,39}$/),
  code: z.string().regex(/^[A-Z][A-Z0-9]{2,19}$/),
  id: z.uuid(),
  // reading other bytes as UTF-8 gives this character
  name: z
    .string()
    .min(1)
    .regex(/^[^\uFFFD]*$/, 'is not UTF-8'),
  type: z.enum(['BANK', 'NBFC']),
  api: z.enum(ISSUER_API_FORMATS),
  /** In the order in which a customer goes through them. */
  steps: z.array(z.enum(JOURNEY_STEPS)).min(1),
  /** Values of `flow_id` beside the usual flow. Without `SA` here, `SA` means the usual one. */
  flows: z.array(z.string().min(1)),
  ekyc_method: z.enum(EKYC_METHODS),
  nominee_required: z.boolean(),
  booking: bookingRules.prefault({}),
  personal_details: z.strictObject({
    required: z.array(z.string().min(1)),
    declarations: z.array(z.string().min(1)),
  }),
});

export type Issuer = Readonly<z.output<typeof issuerFile>> & {
  /** The method in its file, if the setting EKYC_METHODS replaces it. */
  readonly replaced_ekyc_method?: EkycMethod;
};

/** `slug=METHOD[,slug=METHOD...]`: replaces the eKYC method in an issuer's file. */
export const ekycMethods = parsed(
  `must be SLUG=METHOD, separated by commas, with slugs of issuers and one of ${EKYC_METHODS.join(', ')}`,
  (text): ReadonlyMap<string, EkycMethod> | undefined => {
    const pairs = text.split(',').map((pair) => pair.trim().split('='));
    const isKnown = (pair: string[]): pair is [string, EkycMethod] =>
      pair.length === 2 &&
      ISSUERS.some(({ slug }) => slug === pair[0]) &&
      EKYC_METHODS.some((method) => method === pair[1]);
    if (!pairs.every(isKnown)) return undefined;
    const methods = new Map(pairs);
    return methods.size === pairs.length ? methods : undefined;
  },
).optional();

/** `slug[,slug...]`: issuers with which a booking requires on any day that the fact sheet was shown. */
export const issuerSlugs = parsed('must be slugs of issuers, separated by commas', (text) => {
  const slugs = text.split(',').map((slug) => slug.trim());
  return slugs.every((slug) => ISSUERS.some((issuer) => issuer.slug === slug)) ? slugs : undefined;
}).optional();

export const withFactSheets = (
  issuers: readonly Issuer[],
  slugs: readonly string[] = [],
): readonly Issuer[] =>
  issuers.map((issuer) =>
    slugs.includes(issuer.slug)
      ? { ...issuer, booking: { ...issuer.booking, fact_sheet: 'ALWAYS' } }
      : issuer,
  );

export const withEkycMethods = (
  issuers: readonly Issuer[],
  methods: ReadonlyMap<string, EkycMethod> = new Map(),
): readonly Issuer[] =>
  issuers.map((issuer) => {
    const method = methods.get(issuer.slug) ?? issuer.ekyc_method;
    if (method === issuer.ekyc_method) return issuer;
    return { ...issuer, ekyc_method: method, replaced_ekyc_method: issuer.ekyc_method };
  });

export const ISSUERS = loadIssuers(join(import.meta.dirname, '../../issuers'));

/**
 * Reads a folder with one YAML file for each issuer.
 * @throws Error naming the file and every problem in it: a service with half an issuer must not start
 */
export function loadIssuers(folder: string): readonly Issuer[] {
  const issuers = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => readIssuer(folder, name));
  for (const key of ['slug', 'code', 'id'] as const) {
    const values = issuers.map((issuer) => issuer[key]);
    if (new Set(values).size !== values.length) throw new Error(`two issuers have the same ${key}`);
  }
  return issuers;
}

function readIssuer(folder: string, name: string): Issuer {
  const read = issuerFile.safeParse(parse(readFileSync(join(folder, name), 'utf8')));
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(`${name}: ${problems.join('; ')}`);
  }
  if (name !== `${read.data.slug}.yaml`) throw new Error(`${name}: slug must be the name of the file`);
  return read.data;
}
