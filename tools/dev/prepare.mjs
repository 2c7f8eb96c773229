// Migrates the schema of a service and loads its development data, once for each version of them.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readIfThere } from '../files.mjs';
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

const filesIn = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !/\.(map|tsbuildinfo)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
    : [];

/** Digest of all that the COMMANDS of SERVICE read: its code with the migrations, its catalogue, and their arguments. */
function digestOf(service, commands) {
  const hash = createHash('sha256').update(JSON.stringify(commands));
  for (const folder of ['dist', 'catalogue'])
    for (const file of filesIn(join(appFolder(service), folder)))
      hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

/**
 * Runs the commands of SERVICE. With STAMPS, the folder of a database that only we change, leaves them out if they have run
 * before, unchanged.
 * @throws Error with the output of the first that fails
 */
export async function prepare(service, env, { stamps, signal, say = () => {} } = {}) {
  const commands = steps[service]();
  if (commands.length === 0) return;
  const cli = join(appFolder(service), 'dist/cli.js');
  const stamp = stamps && join(stamps, `${service}.prepared`);
  const digest = digestOf(service, commands);
  if (stamp && readIfThere(stamp) === digest) return say(`${service}: its database is up to date`);
  for (const args of commands) {
    const title = `${service}: ${args.slice(0, 2).map(shown).join(' ')}`;
    await runProgram(`${title} failed`, process.execPath, [cli, ...args], { env, signal });
    say(title);
  }
  if (stamp) writeFileSync(stamp, digest);
}
