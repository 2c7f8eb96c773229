import { isPayoutFrequency, PAYOUT_FREQUENCIES, type PayoutFrequency } from '@fd/contracts';
import { resolveSwitches } from '../../maths/convention.js';
import type { IssuerProfile, Vehicle } from '../catalogue.js';
import { BlockReader, isRecord } from './block-reader.js';
import {
  benefitsBlock,
  cardBlock,
  type Fields,
  ISSUER_FIELDS,
  issuerBlock,
  quoteBlock,
  type Row,
  rowBlock,
  sellsBlock,
  type Terms,
  termsBlock,
  USUAL_TERMS,
  VEHICLE_FIELDS,
  withdrawalBlock,
} from './issuer-file.schema.js';
import { type Path, type Problem, YamlSource } from './yaml-source.js';

/** A vehicle with its place in the file. */
export interface LocatedVehicle {
  /** An invalid field has a placeholder: an empty id, a rate of "0". */
  readonly vehicle: Vehicle;
  readonly path: Path;
}

/** The valid parts of a file, for checks that compare several parts. */
export interface IssuerFile {
  readonly source: YamlSource;
  readonly slug: string | undefined;
  readonly issuer: Partial<Fields<typeof issuerBlock>>;
  readonly sells: Partial<Fields<typeof sellsBlock>>;
  readonly benefits: Partial<Fields<typeof benefitsBlock>>;
  /** The issuer, when all its blocks are valid. */
  readonly profile: IssuerProfile | undefined;
  readonly vehicles: readonly LocatedVehicle[];
}

const TOP_LEVEL = [
  'slug',
  'issuer',
  'quote',
  'sells',
  'benefits',
  'premature_withdrawal',
  'defaults',
  'rate_cards',
];

/** Reads a file of the catalogue and continues after each problem, to report all of them together. */
export function readIssuerFile(
  file: string,
  text: string,
): { readonly issuerFile?: IssuerFile; readonly problems: readonly Problem[] } {
  const source = YamlSource.parse(file, text);
  if (!(source instanceof YamlSource)) return source;
  const reader = new BlockReader(source);
  if (!isRecord(source.content)) {
    reader.refuse([], `must be a map with the keys ${TOP_LEVEL.join(', ')}`);
    return { problems: reader.problems };
  }
  reader.refuseUnknownKeys([], TOP_LEVEL);
  const slug = readSlug(reader, file);
  const issuer = reader.read(['issuer'], issuerBlock);
  const quote =
    reader.valueAt(['quote']) === undefined ? { complete: {} } : reader.read(['quote'], quoteBlock);
  const sells = reader.read(['sells'], sellsBlock);
  const benefits = reader.read(['benefits'], benefitsBlock);
  const withdrawal =
    reader.valueAt(['premature_withdrawal']) === undefined
      ? { complete: null }
      : reader.read(['premature_withdrawal'], withdrawalBlock);
  const hasProfile =
    issuer.complete &&
    quote.complete &&
    sells.complete &&
    benefits.complete &&
    withdrawal.complete !== undefined;
  const profile =
    slug !== undefined && hasProfile
      ? profileOf(slug, {
          issuer: issuer.complete,
          quote: quote.complete,
          sells: sells.complete,
          benefits: benefits.complete,
          withdrawal: withdrawal.complete,
        })
      : undefined;
  const vehicles = readVehicles(reader, issuer.fields.f_issuer_id ?? '');
  return {
    issuerFile: {
      source,
      slug,
      issuer: issuer.fields,
      sells: sells.fields,
      benefits: benefits.fields,
      profile,
      vehicles,
    },
    problems: reader.problems,
  };
}

/** The file must be named by the slug. */
function readSlug(reader: BlockReader, file: string): string | undefined {
  const slug = reader.valueAt(['slug']);
  if (slug === undefined) reader.refuse([], 'slug is missing');
  else if (typeof slug !== 'string' || !/^[a-z][a-z0-9-]{1,39}$/.test(slug)) {
    reader.refuse(['slug'], 'slug: must be 2 to 40 small letters, digits and hyphens');
  } else {
    if (file.replace(/\.ya?ml$/, '') !== slug) {
      reader.refuse(['slug'], `slug: the file of ${slug} must be called ${slug}.yaml`);
    }
    return slug;
  }
  return undefined;
}

interface ProfileBlocks {
  readonly issuer: Fields<typeof issuerBlock>;
  readonly quote: Fields<typeof quoteBlock>;
  readonly sells: Fields<typeof sellsBlock>;
  readonly benefits: Fields<typeof benefitsBlock>;
  readonly withdrawal: Fields<typeof withdrawalBlock> | null;
}

function profileOf(
  slug: string,
  { issuer, quote, sells, benefits, withdrawal }: ProfileBlocks,
): IssuerProfile {
  const written = {
    ...issuer,
    slug,
    quote: resolveSwitches({
      dayCount: quote.day_count,
      fullPeriods: quote.full_periods,
      brokenRule: quote.broken_rule,
      payoutBasis: quote.payout_basis,
      places: quote.places,
      rounding: quote.rounding,
    }),
    'benefits.senior_citizen': benefits.senior_citizen,
    'benefits.women': benefits.women ?? '0',
    'sells.payout_frequencies': sells.payout_frequencies,
    'sells.women_rate': sells.women_rate,
    'sells.tax_saver': sells.tax_saver,
    renewal_options: {
      principal: issuer.renewal_options.Principal,
      noRenewal: issuer.renewal_options['No Renewal'],
      totalAmount: issuer.renewal_options['Total Amount'],
    },
    premature_withdrawal: withdrawal && {
      source: withdrawal.source,
      effectiveFrom: withdrawal.effective_from,
      steps: withdrawal.steps,
    },
  };
  return { issuerId: issuer.f_issuer_id, ...renamed(written, ISSUER_FIELDS) };
}

function renamed<Values extends object, Names extends Readonly<Record<string, keyof Values>>>(
  values: Values,
  names: Names,
): { [Field in keyof Names]: Values[Names[Field]] } {
  const fields = Object.entries(names).map(([field, name]) => [field, values[name]]);
  return Object.fromEntries(fields) as { [Field in keyof Names]: Values[Names[Field]] };
}

function readVehicles(reader: BlockReader, issuerId: string): LocatedVehicle[] {
  const defaults =
    reader.valueAt(['defaults']) === undefined ? {} : reader.read(['defaults'], termsBlock).fields;
  return reader.listAt(['rate_cards']).flatMap((_, index) => {
    const cardPath = ['rate_cards', index];
    const card = reader.read(cardPath, cardBlock).fields;
    const rates = reader.recordAt([...cardPath, 'rates']) ?? {};
    return Object.keys(rates).flatMap((frequency) => {
      const path = [...cardPath, 'rates', frequency];
      if (isPayoutFrequency(frequency))
        return readRows(reader, path, { ...defaults, ...card }, frequency, issuerId);
      reader.refuse(path, `${frequency}: is no payout frequency (${PAYOUT_FREQUENCIES.join(', ')})`);
      return [];
    });
  });
}

function readRows(
  reader: BlockReader,
  path: Path,
  terms: Terms,
  frequency: PayoutFrequency,
  issuerId: string,
): LocatedVehicle[] {
  return reader.listAt(path).flatMap((_, index): LocatedVehicle[] => {
    const rowPath = [...path, index];
    const row: Partial<Row> = { ...USUAL_TERMS, ...terms, ...reader.read(rowPath, rowBlock).fields };
    if (isBounded(row)) return [{ vehicle: vehicleOf(row, frequency, issuerId), path: rowPath }];
    for (const key of ['effective_from', 'amount', 'lock_in_days'] as const) {
      if (row[key] === undefined && !isWrittenFor(reader, rowPath, key)) {
        reader.refuse(rowPath, `${key} is missing: give it here, in the card or in the defaults`);
      }
    }
    return [];
  });
}

/** Whether a term is present in a row, its card or the defaults, valid or not: an invalid one was reported there. */
function isWrittenFor(reader: BlockReader, rowPath: Path, key: string): boolean {
  const row = reader.valueAt(rowPath);
  return (
    !isRecord(row) ||
    [rowPath, rowPath.slice(0, 2), ['defaults']].some((path) => reader.valueAt([...path, key]) !== undefined)
  );
}

type BoundedRow = Partial<Row> & Required<Pick<Row, 'effective_from' | 'amount' | 'lock_in_days' | 'days'>>;

function isBounded(row: Partial<Row>): row is BoundedRow {
  return Boolean(row.effective_from && row.amount && row.days) && row.lock_in_days !== undefined;
}

function vehicleOf(row: BoundedRow, payoutFrequency: PayoutFrequency, issuerId: string): Vehicle {
  const terms = { ...USUAL_TERMS, ...row };
  const written = {
    ...terms,
    issuer: issuerId,
    'payout frequency': payoutFrequency,
    rate: terms.rate ?? '0',
    'days from': terms.days[0],
    'days to': terms.days[1],
    'amount from': terms.amount[0],
    'amount to': terms.amount[1],
    label: terms.label ?? '',
    lock_in_days: String(terms.lock_in_days),
  };
  return { vehicleId: terms.vehicle ?? '', ...renamed(written, VEHICLE_FIELDS) };
}
