// Compiling the services, the libraries that they use, and the console that the sandbox serves.
import { join } from 'node:path';
import { runProgram } from '../processes/processes.mjs';
import { withLock } from '../stores/lock.mjs';
import { appFolder, root, toolEnvironment } from '../workspace.mjs';
import { buildConsole } from './console.mjs';

/**
 * Compiles what changed since the last build. Two compilers at once would write the same files, so a second caller waits
 * for the first. A compile error is thrown with the compiler's messages.
 */
export async function build(services, { signal } = {}) {
  const projects = services.map((service) => join(appFolder(service), 'tsconfig.app.json'));
  const options = { cwd: root, signal, env: toolEnvironment() };
  await withLock(join(root, 'node_modules/.cache/build.lock'), () =>
    Promise.all([
      runProgram('This does not compile', 'tsc', ['-b', ...projects], options),
      services.includes('sandbox') && buildConsole({ signal }),
    ]),
  );
}
