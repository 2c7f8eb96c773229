// npm run check [-- --online] [--since REVISION]: what CI checks beside lint, types and tests: secrets in files, rules about
// dependencies (--online: their advisories too), breaking API changes since REVISION (see api-breaking.mjs), generated files.
// The exit code is that of the first failed check.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { install } from './bootstrap.mjs';
import { listedFiles } from './files.mjs';
import { root, toolEnvironment } from './workspace.mjs';

const { online, since } = parseArgs({
  options: { online: { type: 'boolean' }, since: { type: 'string' } },
}).values;

await install();

const checks = {
  Secrets: ['secretlint', '--no-glob', ...listedFiles()],
  'Supply chain': ['node', 'tools/supply-chain/supply-chain.mjs', ...(online ? [] : ['--offline'])],
  'Changes that break clients': ['node', 'tools/api/api-breaking.mjs', ...(since ? [since] : [])],
  'Generated files': ['node', 'tools/api/docs.mjs', '--check'],
};
for (const [title, [program, ...args]] of Object.entries(checks)) {
  console.log(`\n${title}`);
  const { status } = spawnSync(program, args, { cwd: root, env: toolEnvironment(), stdio: 'inherit' });
  process.exitCode ||= status ?? 1;
}
