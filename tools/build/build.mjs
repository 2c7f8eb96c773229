// Compiling the services, the libraries that they use, and the sandbox's console.
import { join } from 'node:path';
import { buildConsole } from './build-console.mjs';
import { runProgram } from '../processes/commands.mjs';
import { withLock } from '../stores/lock.mjs';
import { appFolder, root, toolEnvironment } from '../workspace.mjs';

/**
 * Compiles what changed since the last build. Two compilers at once would write the same files: a second caller
 * waits for the first. What does not compile is an error with the compiler's words.
 */
export async function build(services, { signal } = {}) {
  await withLock(join(root, 'node_modules/.cache/build.lock'), async () => {
    const projects = services.map((service) => join(appFolder(service), 'tsconfig.app.json'));
    const options = { cwd: root, env: toolEnvironment(), signal };
    const { status, output } = await runProgram('tsc', ['-b', ...projects], options);
    if (status !== 0) throw new Error(`This does not compile:\n${output}`);
    if (services.includes('sandbox')) await buildConsole({ signal });
  });
}
