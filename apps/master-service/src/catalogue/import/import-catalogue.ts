import type { DataSource } from 'typeorm';
import { applyDiff, readCatalogue, readIssuers, whileImporting } from '../catalogue.repository.js';
import type { Issuer } from '../issuer.js';
import { type CatalogueDiff, checksumOf, diffCatalogues } from './catalogue-diff.js';

/** What an import would change, compared with what the database holds now. */
export async function previewImport(
  dataSource: DataSource,
  issuers: readonly Issuer[],
): Promise<CatalogueDiff> {
  const { issuers: stored } = await readCatalogue(dataSource);
  return diffCatalogues(stored, issuers);
}

/**
 * Makes the database hold exactly these issuers: all of the difference in one transaction, or nothing. When there
 * is no difference nothing is written at all, so running services are not bothered.
 */
export function applyImport(dataSource: DataSource, issuers: readonly Issuer[]): Promise<CatalogueDiff> {
  return whileImporting(dataSource, async (manager) => {
    const diff = diffCatalogues(await readIssuers(manager), issuers);
    if (diff.lines.length > 0) {
      await applyDiff(manager, diff, {
        checksum: checksumOf(issuers),
        issuerCount: issuers.length,
        vehicleCount: issuers.reduce((sum, { vehicles }) => sum + vehicles.length, 0),
      });
    }
    return diff;
  });
}
