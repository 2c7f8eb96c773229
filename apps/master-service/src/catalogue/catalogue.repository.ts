import { type DataSource, type EntityManager, In, MoreThan } from 'typeorm';
import type { CatalogueDiff } from './import/catalogue-diff.js';
import { IssuerEntity } from './issuer.entity.js';
import type { Issuer } from './issuer.js';
import { RevisionEntity } from './revision.entity.js';
import { VehicleEntity } from './vehicle.entity.js';

/** Key of the advisory lock that lets one import at a time write. */
const IMPORT_LOCK = 7_402;

/** A statement has at most 65,535 parameters, and a vehicle takes 22. */
const ROWS_AT_ONCE = 1_000;

/** Vehicles that are read at once. */
const VEHICLES_AT_ONCE = 2_000;

/** The issuers of one revision. */
export interface StoredCatalogue {
  /** Undefined before the first import. */
  readonly revision: string | undefined;
  readonly issuers: readonly Issuer[];
}

/** Reads revision and issuers as they are together, also while an import is being applied. */
export function readCatalogue(dataSource: DataSource): Promise<StoredCatalogue> {
  return dataSource.transaction('REPEATABLE READ', async (manager) => ({
    revision: await newestRevision(manager),
    issuers: await readIssuers(manager),
  }));
}

/** What a running service looks at every few seconds. */
export interface CatalogueState {
  readonly revision: string | undefined;
  /** Keys that work. */
  readonly keys: readonly { readonly keyHash: string; readonly client: string }[];
}

/** One cheap look: the newest revision's number and the keys, both at the same moment. */
export async function readState(dataSource: DataSource): Promise<CatalogueState> {
  const [state] = await dataSource.query<[{ revision: string | null; keys: CatalogueState['keys'] | null }]>(`
    SELECT (SELECT max(revision_id) FROM catalogue.revisions) AS revision,
           (SELECT json_agg(json_build_object('keyHash', key_hash, 'client', client))
              FROM catalogue.api_keys WHERE revoked_at IS NULL) AS keys`);
  return { revision: state.revision ?? undefined, keys: state.keys ?? [] };
}

/** Runs an import in one transaction; another import waits until it has ended. */
export function whileImporting<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  return dataSource.transaction(async (manager) => {
    await manager.query('SELECT pg_advisory_xact_lock($1)', [IMPORT_LOCK]);
    return work(manager);
  });
}

export async function readIssuers(manager: EntityManager): Promise<Issuer[]> {
  const issuers = await manager.find(IssuerEntity, { order: { slug: 'ASC' } });
  const vehicles = new Map<string, VehicleEntity[]>(issuers.map(({ issuerId }) => [issuerId, []]));
  for await (const vehicle of allVehicles(manager)) vehicles.get(vehicle.issuerId)!.push(vehicle);
  return issuers.map((issuer) => ({ ...issuer, vehicles: vehicles.get(issuer.issuerId)! }));
}

/** By their ids. Page by page: a large catalogue at once would take longer than a statement may, and stop all requests. */
async function* allVehicles(manager: EntityManager): AsyncGenerator<VehicleEntity> {
  let page: VehicleEntity[];
  let last: string | undefined;
  do {
    page = await manager.find(VehicleEntity, {
      where: last === undefined ? {} : { vehicleId: MoreThan(last) },
      order: { vehicleId: 'ASC' },
      take: VEHICLES_AT_ONCE,
    });
    yield* page;
    last = page.at(-1)?.vehicleId;
  } while (page.length === VEHICLES_AT_ONCE);
}

/** Writes what an import changes, with the revision that tells running services to take it up. */
export async function applyDiff(
  manager: EntityManager,
  diff: CatalogueDiff,
  revision: Pick<RevisionEntity, 'checksum' | 'issuerCount' | 'vehicleCount'>,
): Promise<void> {
  // issuers may exchange codes and slugs: only the end state has to be free of repeats
  await manager.query('SET CONSTRAINTS ALL DEFERRED');
  await manager.delete(VehicleEntity, { vehicleId: In([...diff.removedVehicleIds]) });
  // a vehicle may have moved from an issuer that goes to one that stays: then it is written again below
  await manager.delete(IssuerEntity, { issuerId: In([...diff.removedIssuerIds]) });
  await manager.upsert(
    IssuerEntity,
    diff.issuers.map(({ vehicles: _, ...profile }) => profile as IssuerEntity),
    ['issuerId'],
  );
  for (let from = 0; from < diff.vehicles.length; from += ROWS_AT_ONCE) {
    const rows = diff.vehicles.slice(from, from + ROWS_AT_ONCE).map((vehicle) => ({ ...vehicle }));
    await manager.upsert(VehicleEntity, rows, ['vehicleId']);
  }
  await manager.insert(RevisionEntity, { ...revision, changes: [...diff.lines] });
}

async function newestRevision(manager: EntityManager): Promise<string | undefined> {
  const [newest] = await manager.find(RevisionEntity, {
    select: { revisionId: true },
    order: { revisionId: 'DESC' },
    take: 1,
  });
  return newest?.revisionId;
}
