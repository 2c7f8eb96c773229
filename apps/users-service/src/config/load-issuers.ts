import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Issuer, issuerFile } from './issuer.js';

const ISSUERS_FOLDER = join(import.meta.dirname, '../../issuers');

/**
 * Reads a folder with one YAML file for each issuer; by default the one of this release.
 * @throws Error naming the file and every problem in it: a service with half an issuer must not start
 */
export function loadIssuers(folder = ISSUERS_FOLDER): readonly Issuer[] {
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
