// Compiling the services, the libraries that they use, and the console that the sandbox serves.
import { join } from 'node:path';
import { runProgram } from '../processes/processes.mjs';
import { withLock } from '../stores/lock.mjs';
import { appFolder, root, toolEnvironment } from '../workspace.mjs';

/**
 * Compiles what changed since the last build; the console, which takes less than a second, each time. Two compilers at
 * once would write the same files, so a second caller waits for the first. A compile error is thrown with the
 * compiler's messages.
 */
export async function build(services, { signal } = {}) {
  const compile = (program, args, cwd) =>
    runProgram('This does not compile', program, args, { cwd, signal, env: toolEnvironment() });
  const projects = services.map((service) => join(appFolder(service), 'tsconfig.app.json'));
  const vite = join(appFolder('console'), 'node_modules/.bin/vite');
  await withLock(join(root, 'node_modules/.cache/build.lock'), () =>
    Promise.all([
      compile('tsc', ['-b', ...projects], root),
      services.includes('sandbox') && compile(vite, ['build', '--logLevel', 'warn'], appFolder('console')),
    ]),
  );
}
