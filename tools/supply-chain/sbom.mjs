// npm run sbom [-- FOLDER]: writes what each service consists of in production, as CycloneDX 1.6 JSON, one file each
// (default: dist). From the lockfile, with the hash of every package; no network.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pnpm } from '../pnpm.mjs';

const APPS = ['users-service', 'master-service'];

function main([folder = 'dist']) {
  const target = resolve(process.env.INIT_CWD ?? process.cwd(), folder);
  mkdirSync(target, { recursive: true });
  for (const app of APPS) {
    const file = join(target, `${app}.cdx.json`);
    const what = ['--filter', `@fd/${app}`, 'sbom', '--prod', '--lockfile-only', '--out', file];
    const how = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--sbom-type', 'application'];
    const status = pnpm([...what, ...how]);
    if (status !== 0) return status;
    console.log(file);
  }
  return 0;
}

process.exitCode = main(process.argv.slice(2));
