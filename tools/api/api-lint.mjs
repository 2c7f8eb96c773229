// node tools/api/api-lint.mjs, a part of `npm run lint`: checks docs/openapi with the recommended rules of Redocly and the OpenAPI
// rules of Spectral. Warnings fail too. The packages are installed separately from those of the product.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DOCUMENTED_SERVICES, documentPath } from './openapi-documents.mjs';
import { pnpm } from '../pnpm.mjs';
import { root, toolEnvironment } from '../workspace.mjs';

const folder = join(root, 'tools/api/checks');
const env = { ...toolEnvironment(), REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Runs PROGRAM of these packages on the documents. Returns its exit code. */
function lint(program, ...options) {
  const args = ['lint', ...options, ...DOCUMENTED_SERVICES.map(documentPath)];
  return spawnSync(join(folder, 'node_modules/.bin', program), args, { cwd: root, env, stdio: 'inherit' })
    .status;
}

const statuses = [
  pnpm(['--dir', folder, 'install', '--frozen-lockfile', '--silent']),
  lint('redocly', '--config', join(folder, 'redocly.yaml')),
  lint('spectral', '--ruleset', join(folder, 'spectral.yaml'), '--fail-severity', 'hint'),
];
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
