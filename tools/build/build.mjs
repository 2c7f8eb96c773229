// Compiling the services, the libraries that they use, and the console that the sandbox serves.
import { join } from 'node:path';
import { runProgram } from '../processes/commands.mjs';
import { withLock } from '../stores/lock.mjs';
import { appFolder, root, toolEnvironment } from '../workspace.mjs';

/**
 * Compiles what changed since the last build; the console, which takes less than a second, each time. Two compilers at
 * once would write the same files: a second caller waits for the first. What does not compile is an error with the
 * compiler's words.
 */
export async function build(services, { libraries = [], signal } = {}) {
  await withLock(join(root, 'node_modules/.cache/build.lock'), async () => {
    const projects = [
      ...services.map((service) => join(appFolder(service), 'tsconfig.app.json')),
      ...libraries.map((library) => join(root, 'libs', library, 'tsconfig.lib.json')),
    ];
    await Promise.all([
      compile('tsc', ['-b', ...projects], { cwd: root, signal }),
      ...(services.includes('sandbox') ? [buildConsole(signal)] : []),
    ]);
  });
}

const buildConsole = (signal) =>
  compile(join(appFolder('console'), 'node_modules/.bin/vite'), ['build', '--logLevel', 'warn'], {
    cwd: appFolder('console'),
    signal,
  });

async function compile(program, args, options) {
  const { status, output } = await runProgram(program, args, { ...options, env: toolEnvironment() });
  if (status !== 0) throw new Error(`This does not compile:\n${output}`);
}
