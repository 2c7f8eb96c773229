// Migrates the schema of a service and loads its development data, once for each version of them.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { hashOf } from '../build/stamps.mjs';
import { readIfThere } from '../files.mjs';
import { runProgram } from '../processes/processes.mjs';
import { developmentPartners } from './dev-env.mjs';
import { eventsSet, keepEventSecrets } from './partner-events.mjs';
import { apiKey } from './sandbox-data.mjs';
import { appFolder, root } from '../workspace.mjs';

const BY = ['--by', 'start-script', '--reason', 'DEVELOPMENT'];

/** The commands of each service in their order; each is idempotent. Without HASEVENTS the sample partner gets no events. */
const steps = {
  'users-service': (hasEvents) => [
    ['migrate'],
    ...developmentPartners().map(({ name, url, publicKey, redirectOrigins }) => [
      ...['partners', 'create', '--name', name, '--url', url, '--public-key', publicKey],
      ...redirectOrigins.flatMap((origin) => ['--redirect-origin', origin]),
      ...BY,
      '--if-missing',
    ]),
    ...(hasEvents ? [[...eventsSet(), ...BY]] : []),
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
export async function prepare(service, env, { stamps, signal, say = () => {}, hasEvents = true } = {}) {
  const commands = steps[service](hasEvents);
  if (commands.length === 0) return;
  const cli = join(appFolder(service), 'dist/cli.js');
  const stamp = stamps && join(stamps, `${service}.prepared`);
  const inputs = inputsOf(service, commands);
  const hasSecrets = service !== 'users-service' || existsSync(env.PARTNER_EVENTS_FILE);
  if (stamp && readIfThere(stamp) === inputs && hasSecrets)
    return say(`${service}: its database is up to date`);
  const run = async (args) => {
    const title = `${service}: ${args.slice(0, 2).map(shown).join(' ')}`;
    const output = await runProgram(`${title} failed`, process.execPath, [cli, ...args], { env, signal });
    say(title);
    return output;
  };
  for (const args of commands) {
    const output = await run(args);
    if (args[0] === 'events') await keepSecrets(env, output, run, { signal, say });
  }
  if (stamp) writeFileSync(stamp, inputs);
}

/** A refusal says what an operator must do; everything but the events of the sandbox works without. */
async function keepSecrets(env, output, run, { signal, say }) {
  try {
    await keepEventSecrets(env.PARTNER_EVENTS_FILE, output, (args) => run([...args, ...BY]));
  } catch (error) {
    if (signal?.aborted) throw error;
    say(`${error.message}\nUntil then the sandbox can neither verify nor read events.`);
  }
}
