// node tools/build/sbom.mjs: writes a CycloneDX bill of materials of each app into dist.
import { pnpm } from '../pnpm.mjs';
import { services } from '../workspace.mjs';

const apps = services.flatMap((service) => ['--filter', `@fd/${service}`]);
const format = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--sbom-type', 'application'];
const options = ['--prod', '--lockfile-only', '--split', '--out', 'dist/%s.cdx.json', ...format];
process.exitCode = pnpm([...apps, 'sbom', ...options]);
