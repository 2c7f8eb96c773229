#!/usr/bin/env node
// The bin `fd` of package.json, fd COMMAND ARGS...: the commands of both services, with the words of `node dist/cli.js` in their
// images. Installs, compiles and starts databases as needed, without any output of its own on stdout.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { install } from '../bootstrap.mjs';
import { build } from '../build/build.mjs';
import { developmentEnvironment } from './dev-env.mjs';
import { watchForEnd } from '../processes/endings.mjs';
import { developmentInfra } from '../stores/infra.mjs';
import { appFolder, given } from '../workspace.mjs';

const USERS = ['users-service'];
const MASTER = ['master-service'];

/** The services that have each command, what it does, and whether it needs no database. A test compares the names. */
const COMMANDS = {
  migrate: { services: [...USERS, ...MASTER], text: 'applies the migrations of both services' },
  'catalogue:import': { services: MASTER, text: 'checks a catalogue folder, shows or applies its changes' },
  'catalogue:compare-fineract': {
    services: MASTER,
    text: "compares a catalogue file with the issuer's Apache Fineract",
    isAlone: true,
  },
  quote: { services: MASTER, text: 'prints the quotes of a file of inputs, as JSON', isAlone: true },
  'api-keys': { services: MASTER, text: 'creates, lists, limits and revokes keys of catalogue clients' },
  partners: { services: USERS, text: 'registers, lists, disables and enables partners' },
  users: { services: USERS, text: 'finds, shows, blocks, exports and erases users' },
  pan: { services: USERS, text: 'releases a PAN, so that its holder can verify it' },
  bank: { services: USERS, text: 'decides on bank accounts whose names match in part' },
  calls: { services: USERS, text: 'lists, repeats and gives up open calls to providers' },
  doctor: { services: USERS, text: 'checks each configured vendor' },
  audit: { services: USERS, text: 'verifies, lists and exports the audit trail' },
  maintenance: { services: USERS, text: 'creates the next partitions and drops expired ones' },
  'pii:rotate': { services: USERS, text: 'encrypts all personal data with the first key of PII_KEYS' },
  'journey:docs': { services: USERS, text: 'prints docs/journey.md, unformatted', isAlone: true },
};

const lines = Object.entries(COMMANDS).map(([name, { text }]) => `  ${name.padEnd(28)}${text}`);
const usage = `Usage: fd COMMAND ARGS...   (fd COMMAND --help: its arguments)\n\n${lines.join('\n')}\n`;

const note = (line) => process.stderr.write(`${line}\n`);

/** Runs the command line of SERVICE in the folder where it was called. Returns the exit code. */
async function runService(service, args, env, signal) {
  const child = spawn(process.execPath, [`${appFolder(service)}/dist/cli.js`, ...args], {
    cwd: process.env.INIT_CWD ?? process.cwd(),
    env,
    stdio: 'inherit',
    signal,
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** Runs ARGS on one service after the other until one fails. Returns the exit code. */
async function runCommand({ services, isAlone }, args) {
  await install();
  const { asked } = watchForEnd();
  await build(services, { signal: asked });
  const isHelp = args.includes('--help');
  // in production no secret is generated and no database is started
  const isAsItIs = isAlone || isHelp || given('NODE_ENV') === 'production';
  const infra = isAsItIs ? undefined : await developmentInfra(`fd ${args[0]}`, note);
  try {
    for (const service of isHelp ? services.slice(0, 1) : services) {
      const env = infra ? await developmentEnvironment(service, infra) : process.env;
      const status = await runService(service, args, env, asked);
      if (status !== 0) return status;
    }
    return 0;
  } finally {
    await infra?.release();
  }
}

async function main(args) {
  const [name = '--help'] = args;
  if (Object.hasOwn(COMMANDS, name)) return runCommand(COMMANDS[name], args);
  if (name === '--help') process.stdout.write(usage);
  else note(`"${name}" is not a command.\n\n${usage}`);
  return name === '--help' ? 0 : 2;
}

process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  note(error.message);
  return 1;
});
