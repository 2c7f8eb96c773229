import type { DataSource, EntityManager } from 'typeorm';
import type { Issuer, ListedIssuer } from './catalogue.js';
import { IssuerProfile } from './issuer-profile.entity.js';
import { Revision } from './revision.entity.js';
import { Vehicle } from './vehicle.entity.js';
import { VehicleTable } from './vehicle-table.js';

/** Issuers in a batch, with about two thousand vehicles. */
const ISSUERS_AT_ONCE = 40;

/** The newest revision; undefined before the first import. */
type NewestRevision = Pick<Revision, 'revisionId' | 'checksum'> | undefined;

/** Reads revision and issuers consistently, even during an import. */
export function readCatalogue(
  dataSource: DataSource,
): Promise<{ readonly revision: NewestRevision; readonly issuers: Issuer[] }> {
  return atOneMoment(dataSource, readIssuers);
}

/** Reads as `readCatalogue`, for requests: the vehicles are rows of a table. */
export function readListedCatalogue(
  dataSource: DataSource,
): Promise<{ readonly revision: NewestRevision; readonly issuers: ListedIssuer[] }> {
  return atOneMoment(dataSource, readListedIssuers);
}

function atOneMoment<T>(
  dataSource: DataSource,
  read: (manager: EntityManager) => Promise<T>,
): Promise<{ readonly revision: NewestRevision; readonly issuers: T }> {
  return dataSource.transaction('REPEATABLE READ', async (manager) => {
    const [revision] = await manager.find(Revision, {
      select: { revisionId: true, checksum: true },
      order: { revisionId: 'DESC' },
      take: 1,
    });
    return { revision, issuers: await read(manager) };
  });
}

/** The owner of a key: a partner, for all of its customers. */
export interface ApiClient {
  readonly name: string;
  /** Calls a minute of all its addresses together. */
  readonly callsPerMinute: number;
}

interface CatalogueState {
  /** Of the newest revision; null before the first import. */
  readonly revisionId: string | null;
  readonly checksum: string | null;
  /** Valid keys. */
  readonly keys: readonly (ApiClient & { readonly keyHash: string })[];
}

/** Reads the newest revision and the valid keys, both of the same moment; cheap enough for a poll. */
export async function readState(dataSource: DataSource): Promise<CatalogueState> {
  const [state] = await dataSource.query<[CatalogueState]>(`
    SELECT revision_id AS "revisionId", checksum, keys
      FROM (SELECT coalesce(json_agg(json_build_object(
                     'keyHash', key_hash, 'name', client, 'callsPerMinute', calls_per_minute)), '[]') AS keys
              FROM catalogue.api_keys WHERE revoked_at IS NULL) AS valid
      LEFT JOIN (SELECT revision_id, checksum
                   FROM catalogue.revisions ORDER BY revision_id DESC LIMIT 1) AS newest ON true`);
  return state;
}

export async function readIssuers(manager: EntityManager): Promise<Issuer[]> {
  const issuers = await manager.find(IssuerProfile, { order: { slug: 'ASC' } });
  const vehicles = new Map<string, Vehicle[]>(issuers.map(({ issuerId }) => [issuerId, []]));
  for await (const page of vehiclePages(manager, issuers)) {
    for (const vehicle of page) vehicles.get(vehicle.issuerId)!.push(vehicle);
  }
  return issuers.map((issuer) => ({ ...issuer, vehicles: vehicles.get(issuer.issuerId)! }));
}

async function readListedIssuers(manager: EntityManager): Promise<ListedIssuer[]> {
  const issuers = await manager.find(IssuerProfile, { order: { slug: 'ASC' } });
  const table = new VehicleTable();
  for await (const page of vehiclePages(manager, issuers)) page.forEach((vehicle) => table.add(vehicle));
  table.seal();
  return issuers.map((issuer) => ({ ...issuer, vehicles: table.ofIssuer(issuer.issuerId) }));
}

/**
 * Vehicles by issuer, then by id. Reads some issuers at a time: a large catalogue at once would exceed the statement timeout and
 * block all requests.
 */
async function* vehiclePages(
  manager: EntityManager,
  issuers: readonly IssuerProfile[],
): AsyncGenerator<Vehicle[]> {
  const { columns } = manager.dataSource.getMetadata(Vehicle);
  const fields = columns.map(({ databaseName, propertyName }) => `${databaseName} AS "${propertyName}"`);
  for (let from = 0; from < issuers.length; from += ISSUERS_AT_ONCE) {
    const ids = issuers.slice(from, from + ISSUERS_AT_ONCE).map(({ issuerId }) => issuerId);
    yield await manager.query<Vehicle[]>(
      `SELECT ${fields.join()} FROM catalogue.vehicles
        WHERE issuer_id = ANY ($1::uuid[]) ORDER BY issuer_id, vehicle_id`,
      [ids],
    );
  }
}
