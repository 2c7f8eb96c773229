// npm run check [-- --online] [--since REVISION]: what CI checks beside lint, types and tests: secrets in files, rules about
// dependencies (--online: their advisories too), breaking API changes since REVISION (see api-breaking.mjs), generated files.
// The exit code is that of the first failed check.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from './bootstrap.mjs';
import { root, toolEnvironment } from './workspace.mjs';

const { online, since } = parseArgs({
  options: { online: { type: 'boolean' }, since: { type: 'string' } },
}).values;

await install();

const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
const tracked = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0');

const checks = {
  Secrets: ['secretlint', '--no-glob', ...tracked.filter((path) => path && existsSync(join(root, path)))],
  'Supply chain': ['node', 'tools/supply-chain/supply-chain.mjs', ...(online ? [] : ['--offline'])],
  'Changes that break clients': ['node', 'tools/api/api-breaking.mjs', ...(since ? [since] : [])],
  'Generated files': ['node', 'tools/api/docs.mjs', '--check'],
};
for (const [title, [program, ...args]] of Object.entries(checks)) {
  console.log(`\n${title}`);
  const { status } = spawnSync(program, args, { cwd: root, env: toolEnvironment(), stdio: 'inherit' });
  process.exitCode ||= status ?? 1;
}
