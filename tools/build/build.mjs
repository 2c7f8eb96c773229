// Compiling the services, the libraries that they use, and the console that the sandbox serves.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../processes/processes.mjs';
import { withLock } from '../stores/lock.mjs';
import { appFolder, root, toolEnvironment } from '../workspace.mjs';

/**
 * Whether a source of the console is newer than its build. A build empties the folder, from which a running sandbox
 * serves each request, so an unneeded one would break an open page.
 */
function isConsoleOutdated() {
  const folder = appFolder('console');
  const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ['index.html', 'package.json', 'vite.config.mjs', 'src'].map((name) => join(folder, name));
  const below = readdirSync(join(folder, 'src'), { recursive: true }).map((name) =>
    join(folder, 'src', name),
  );
  const newest = Math.max(...[...sources, ...below, join(root, 'pnpm-lock.yaml')].map(changedAt));
  return changedAt(join(folder, 'dist/index.html')) <= newest;
}

/**
 * Compiles what changed since the last build. Two compilers at once would write the same files, so a second caller waits
 * for the first. A compile error is thrown with the compiler's messages.
 */
export async function build(services, { signal } = {}) {
  const compile = (program, args, cwd) =>
    runProgram('This does not compile', program, args, { cwd, signal, env: toolEnvironment() });
  const projects = services.map((service) => join(appFolder(service), 'tsconfig.app.json'));
  const vite = join(appFolder('console'), 'node_modules/.bin/vite');
  await withLock(join(root, 'node_modules/.cache/build.lock'), () =>
    Promise.all([
      compile('tsc', ['-b', ...projects], root),
      services.includes('sandbox') &&
        isConsoleOutdated() &&
        compile(vite, ['build', '--logLevel', 'warn'], appFolder('console')),
    ]),
  );
}
