import { type DataSource, type EntityManager, EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import type { Issuer, IssuerProfile, ListedIssuer, Vehicle } from './catalogue.js';
import { VehicleTable } from './vehicle-table.js';

/** A column for each field; the compiler requires one for a new field. */
type Columns<T> = { readonly [Field in keyof Required<T>]: EntitySchemaColumnOptions };

const text = (name: string) => ({ name, type: 'text' }) as const;
const integer = (name: string) => ({ name, type: 'integer' }) as const;
const flag = (name: string) => ({ name, type: 'boolean' }) as const;
const instant = (name: string) => ({ name, type: 'timestamptz' }) as const;

const ISSUER_COLUMNS: Columns<IssuerProfile> = {
  issuerId: { name: 'issuer_id', type: 'uuid', primary: true },
  number: integer('number'),
  code: text('code'),
  slug: text('slug'),
  name: text('name'),
  description: text('description'),
  issuerType: text('issuer_type'),
  compounding: text('compounding'),
  quoteSwitches: { name: 'quote_switches', type: 'jsonb' },
  seniorBenefit: { name: 'senior_benefit', type: 'numeric' },
  womenBenefit: { name: 'women_benefit', type: 'numeric' },
  payoutFrequencies: { ...text('payout_frequencies'), array: true },
  sellsWomenRate: flag('sells_women_rate'),
  sellsTaxSaver: flag('sells_tax_saver'),
  url: text('url'),
  subLogo: text('sub_logo'),
  crisilRating: text('crisil_rating'),
  icraRating: text('icra_rating'),
  trustedUsers: text('trusted_users'),
  subtag1: text('subtag_1'),
  subtag2: text('subtag_2'),
  bankType: text('bank_type'),
  heroTag: { ...text('hero_tag'), nullable: true },
  faq: { ...text('faq'), nullable: true },
  utmUrl: { ...text('utm_url'), nullable: true },
  pgSetting: { ...text('pg_setting'), nullable: true },
  bankDisabledAt: { ...instant('bank_disabled_at'), nullable: true },
  deletedAt: { ...instant('deleted_at'), nullable: true },
  upcomingBankDate: { ...instant('upcoming_bank_date'), nullable: true },
  baselineIssuerRank: { ...integer('baseline_issuer_rank'), nullable: true },
  activeIssuerRank: integer('active_issuer_rank'),
  isRangeRequired: flag('is_range_required'),
  isUpcomingBank: flag('is_upcoming_bank'),
  enableOurPg: flag('enable_our_pg'),
  enableEasySplit: flag('enable_easy_split'),
  isNomineeRequired: flag('is_nominee_required'),
  isLive: flag('is_live'),
  renewalOptions: { name: 'renewal_options', type: 'jsonb' },
  prematureWithdrawal: { name: 'premature_withdrawal', type: 'jsonb', nullable: true },
};

const VEHICLE_COLUMNS: Columns<Vehicle> = {
  vehicleId: { name: 'vehicle_id', type: 'uuid', primary: true },
  issuerId: { name: 'issuer_id', type: 'uuid' },
  productId: text('product_id'),
  productType: text('product_type'),
  details: text('details'),
  issuerCommission: text('issuer_commission'),
  selfCommission: text('self_commission'),
  rank: { ...integer('rank'), nullable: true },
  payoutFrequency: text('payout_frequency'),
  rate: { name: 'rate', type: 'numeric' },
  minTenure: integer('min_tenure'),
  maxTenure: integer('max_tenure'),
  minInvestment: integer('min_investment'),
  maxInvestment: integer('max_investment'),
  tenureLabel: text('tenure_label'),
  isSeniorOnly: flag('is_senior_only'),
  isWomenOnly: flag('is_women_only'),
  isTaxSaver: flag('is_tax_saver'),
  hasEarlyWithdrawal: flag('has_early_withdrawal'),
  isVisible: flag('is_visible'),
  lockInPeriod: text('lock_in_period'),
  effectiveAt: instant('effective_at'),
  ineffectiveAt: { ...instant('ineffective_at'), nullable: true },
};

/** An applied import. Services compare the newest one with their copy. */
export interface Revision {
  /** A bigint, which the driver returns as text. */
  readonly revisionId: string;
  readonly checksum: string;
  readonly issuerCount: number;
  readonly vehicleCount: number;
  /** The difference that the import printed, stored for audits. */
  readonly changes: readonly string[];
  readonly appliedAt: Date;
}

const REVISION_COLUMNS: Columns<Revision> = {
  revisionId: { name: 'revision_id', type: 'bigint', primary: true, generated: 'increment' },
  checksum: text('checksum'),
  issuerCount: integer('issuer_count'),
  vehicleCount: integer('vehicle_count'),
  changes: { ...text('changes'), array: true },
  appliedAt: { ...instant('applied_at'), default: () => 'now()' },
};

export const ISSUERS = new EntitySchema<IssuerProfile>({ name: 'issuers', columns: ISSUER_COLUMNS });
export const VEHICLES = new EntitySchema<Vehicle>({ name: 'vehicles', columns: VEHICLE_COLUMNS });
export const REVISIONS = new EntitySchema<Revision>({ name: 'revisions', columns: REVISION_COLUMNS });

/** Issuers in a batch, with about two thousand vehicles. */
const ISSUERS_AT_ONCE = 40;

/** Number of a revision; undefined before the first import. */
type RevisionId = string | undefined;

/** Reads revision and issuers consistently, even during an import. */
export function readCatalogue(
  dataSource: DataSource,
): Promise<{ readonly revision: RevisionId; readonly issuers: Issuer[] }> {
  return atOneMoment(dataSource, readIssuers);
}

/** Reads as `readCatalogue`, for requests: the vehicles are rows of a table. */
export function readListedCatalogue(
  dataSource: DataSource,
): Promise<{ readonly revision: RevisionId; readonly issuers: ListedIssuer[] }> {
  return atOneMoment(dataSource, readListedIssuers);
}

function atOneMoment<T>(
  dataSource: DataSource,
  read: (manager: EntityManager) => Promise<T>,
): Promise<{ readonly revision: RevisionId; readonly issuers: T }> {
  return dataSource.transaction('REPEATABLE READ', async (manager) => {
    const [newest] = await manager.find(REVISIONS, {
      select: { revisionId: true },
      order: { revisionId: 'DESC' },
      take: 1,
    });
    return { revision: newest?.revisionId, issuers: await read(manager) };
  });
}

/** The owner of a key: a partner, for all of its customers. */
export interface ApiClient {
  readonly name: string;
  /** Calls a minute of all its addresses together. */
  readonly callsPerMinute: number;
}

interface CatalogueState {
  /** Null before the first import. */
  readonly revision: string | null;
  /** Valid keys. */
  readonly keys: readonly (ApiClient & { readonly keyHash: string })[];
}

/** Reads the number of the newest revision and the valid keys, both of the same moment; cheap enough for a poll. */
export async function readState(dataSource: DataSource): Promise<CatalogueState> {
  const [state] = await dataSource.query<[CatalogueState]>(`
    SELECT (SELECT max(revision_id) FROM catalogue.revisions) AS revision,
           (SELECT coalesce(json_agg(json_build_object(
                     'keyHash', key_hash, 'name', client, 'callsPerMinute', calls_per_minute)), '[]')
              FROM catalogue.api_keys WHERE revoked_at IS NULL) AS keys`);
  return state;
}

export async function readIssuers(manager: EntityManager): Promise<Issuer[]> {
  const issuers = await manager.find(ISSUERS, { order: { slug: 'ASC' } });
  const vehicles = new Map<string, Vehicle[]>(issuers.map(({ issuerId }) => [issuerId, []]));
  for await (const page of vehiclePages(manager, issuers)) {
    for (const vehicle of page) vehicles.get(vehicle.issuerId)!.push(vehicle);
  }
  return issuers.map((issuer) => ({ ...issuer, vehicles: vehicles.get(issuer.issuerId)! }));
}

async function readListedIssuers(manager: EntityManager): Promise<ListedIssuer[]> {
  const issuers = await manager.find(ISSUERS, { order: { slug: 'ASC' } });
  const table = new VehicleTable();
  for await (const page of vehiclePages(manager, issuers)) page.forEach((vehicle) => table.add(vehicle));
  table.seal();
  return issuers.map((issuer) => ({ ...issuer, vehicles: table.ofIssuer(issuer.issuerId) }));
}

const VEHICLE_FIELDS = Object.entries(VEHICLE_COLUMNS).map(([field, { name }]) => `${name} AS "${field}"`);

/**
 * Vehicles by issuer, then by id. Reads some issuers at a time: a large catalogue at once would exceed the statement timeout and
 * block all requests.
 */
async function* vehiclePages(
  manager: EntityManager,
  issuers: readonly IssuerProfile[],
): AsyncGenerator<Vehicle[]> {
  for (let from = 0; from < issuers.length; from += ISSUERS_AT_ONCE) {
    const ids = issuers.slice(from, from + ISSUERS_AT_ONCE).map(({ issuerId }) => issuerId);
    yield await manager.query<Vehicle[]>(
      `SELECT ${VEHICLE_FIELDS.join()} FROM catalogue.vehicles
        WHERE issuer_id = ANY ($1::uuid[]) ORDER BY issuer_id, vehicle_id`,
      [ids],
    );
  }
}
