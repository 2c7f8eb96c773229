// node tools/build/sbom.mjs: writes a CycloneDX bill of materials of each app into dist.
import { isProgram } from '../files.mjs';
import { pnpm } from '../pnpm.mjs';
import { services } from '../workspace.mjs';

/** Writes dist/fd-SERVICE.cdx.json for each app. Returns the exit code. */
export function writeBills() {
  const apps = services.map((service) => `--filter=@fd/${service}`);
  const format = ['--sbom-format=cyclonedx', '--sbom-spec-version=1.6', '--sbom-type=application'];
  return pnpm([...apps, 'sbom', '--prod', '--lockfile-only', '--split', '--out=dist/%s.cdx.json', ...format]);
}

if (isProgram(import.meta.url)) process.exitCode = writeBills();
