// Migrates the schema of a service and loads its development data.
import { join, relative } from 'node:path';
import { runProgram } from '../processes/processes.mjs';
import { developmentPartners } from './dev-env.mjs';
import { apiKey } from './sandbox-data.mjs';
import { appFolder, root } from '../workspace.mjs';

const BY = ['--by', 'start-script', '--reason', 'DEVELOPMENT'];

/** The commands of each service in their order; each is idempotent. */
const steps = {
  'users-service': () => [
    ['migrate'],
    ...developmentPartners().map(({ name, url, publicKey, redirectOrigins }) => [
      ...['partners', 'create', '--name', name, '--url', url, '--public-key', publicKey],
      ...redirectOrigins.flatMap((origin) => ['--redirect-origin', origin]),
      ...BY,
      '--if-missing',
    ]),
  ],
  'master-service': () => [
    ['migrate'],
    ['catalogue:import', join(appFolder('master-service'), 'catalogue'), '--apply', ...BY],
    [
      'api-keys',
      'create',
      '--client',
      apiKey.client,
      '--key',
      apiKey.key,
      '--limit',
      '9999999',
      ...BY,
      '--if-missing',
    ],
  ],
  sandbox: () => [],
};

const shown = (arg) => (arg.startsWith(root) ? relative(root, arg) : arg);

/** Runs the commands of SERVICE. @throws Error with the output of the first that fails */
export async function prepare(service, env, { signal, say = () => {} } = {}) {
  const cli = join(appFolder(service), 'dist/cli.js');
  for (const args of steps[service]()) {
    const title = `${service}: ${args.slice(0, 2).map(shown).join(' ')}`;
    await runProgram(`${title} failed`, process.execPath, [cli, ...args], { env, signal });
    say(title);
  }
}
