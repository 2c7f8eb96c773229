import { Any, type DataSource, type EntityManager } from 'typeorm';
import type { Issuer } from '../catalogue.js';
import { readIssuers } from '../catalogue.repository.js';
import { IssuerProfile } from '../issuer-profile.entity.js';
import { Revision } from '../revision.entity.js';
import { Vehicle } from '../vehicle.entity.js';
import { type CatalogueDiff, checksumOf, diffCatalogues } from './catalogue-diff.js';

/** Key of the advisory lock that serialises imports. */
const IMPORT_LOCK = 7_402;

/** A statement has at most 65,535 parameters; an issuer needs 39, a vehicle 23. */
const ROWS_AT_ONCE = 1_000;

interface AppliedImport extends CatalogueDiff {
  /** Undefined without a difference. */
  readonly revisionId?: string;
}

/**
 * Replaces the issuers in the database in one transaction. Without a difference it writes nothing, so services do not reload.
 * Another import waits.
 */
export function applyImport(dataSource: DataSource, issuers: readonly Issuer[]): Promise<AppliedImport> {
  return dataSource.transaction(async (manager) => {
    await manager.query('SELECT pg_advisory_xact_lock($1)', [IMPORT_LOCK]);
    const diff = diffCatalogues(await readIssuers(manager), issuers);
    if (diff.lines.length === 0) return diff;
    const revisionId = await applyDiff(manager, diff, {
      checksum: checksumOf(issuers),
      issuerCount: issuers.length,
      vehicleCount: issuers.reduce((sum, { vehicles }) => sum + vehicles.length, 0),
    });
    return { ...diff, revisionId };
  });
}

/** Writes the changes of an import, with the revision that makes services reload. Returns its id. */
async function applyDiff(
  manager: EntityManager,
  diff: CatalogueDiff,
  revision: Pick<Revision, 'checksum' | 'issuerCount' | 'vehicleCount'>,
): Promise<string> {
  // issuers may exchange codes and slugs: they must be unique only at the end
  await manager.query('SET CONSTRAINTS ALL DEFERRED');
  await manager.delete(Vehicle, { vehicleId: Any(diff.removedVehicleIds) });
  // a vehicle may have moved from a removed issuer to another one: then it is written again below
  await manager.delete(IssuerProfile, { issuerId: Any(diff.removedIssuerIds) });
  const profiles = diff.issuers.map(({ vehicles: _, ...profile }) => profile);
  for (let from = 0; from < profiles.length; from += ROWS_AT_ONCE) {
    await manager.upsert(IssuerProfile, profiles.slice(from, from + ROWS_AT_ONCE), ['issuerId']);
  }
  for (let from = 0; from < diff.vehicles.length; from += ROWS_AT_ONCE) {
    await manager.upsert(Vehicle, diff.vehicles.slice(from, from + ROWS_AT_ONCE), ['vehicleId']);
  }
  const { identifiers } = await manager.insert(Revision, { ...revision, changes: [...diff.lines] });
  return String(identifiers[0]!['revisionId']);
}
