// Migrates the schema of a service and loads its development data, once for each version of them.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { hashOf } from '../build/stamps.mjs';
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
      ...['api-keys', 'create', '--client', apiKey.client, '--key', apiKey.key, '--limit', '9999999'],
      ...[...BY, '--if-missing'],
    ],
  ],
  sandbox: () => [],
};

const shown = (arg) => (arg.startsWith(root) ? relative(root, arg) : arg);

/** All that the COMMANDS of SERVICE read: its code with the migrations, its catalogue, and their arguments. */
function inputsOf(service, commands) {
  const folders = ['dist', 'catalogue'].map((name) => join(appFolder(service), name)).filter(existsSync);
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => relative(root, join(folder, name))),
  );
  return `${hashOf(files.filter((file) => !/\.(map|tsbuildinfo)$/.test(file)))} ${JSON.stringify(commands)}`;
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
  const inputs = inputsOf(service, commands);
  if (stamp && readIfThere(stamp) === inputs) return say(`${service}: its database is up to date`);
  for (const args of commands) {
    const title = `${service}: ${args.slice(0, 2).map(shown).join(' ')}`;
    await runProgram(`${title} failed`, process.execPath, [cli, ...args], { env, signal });
    say(title);
  }
  if (stamp) writeFileSync(stamp, inputs);
}
