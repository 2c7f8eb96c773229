// npm run secrets [-- FILE ...]: looks for keys, passwords and tokens in the files given, or in all tracked files.
// Exit code 0: none found; 1: found, each with its place, its value masked.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from '../workspace.mjs';

/**
 * A long list of hashes that are public by nature, and slow to look through; and examples that look like what they stand
 * for, of which a test says that everybody can tell them from it.
 */
const NOT_LOOKED_AT = new Set(['pnpm-lock.yaml', 'docker/example.env']);

/** What is committed, or about to be. */
function trackedFiles() {
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (listed.status !== 0) throw new Error('git does not tell which files are tracked here');
  return listed.stdout.split('\0').filter((file) => file !== '' && !NOT_LOOKED_AT.has(file));
}

function main(files) {
  const packageFile = createRequire(import.meta.url).resolve('secretlint/package.json');
  const looked = files.length > 0 ? files : trackedFiles();
  const cli = join(dirname(packageFile), 'bin/secretlint.js');
  const config = join(root, '.secretlintrc.json');
  const { status } = spawnSync(
    process.execPath,
    [cli, '--secretlintrc', config, '--maskSecrets', '--no-glob', ...looked],
    { cwd: files.length > 0 ? process.cwd() : root, stdio: 'inherit' },
  );
  if (status === 0) console.log(`no secret in ${looked.length} files`);
  return status ?? 1;
}

process.exitCode = main(process.argv.slice(2));
