#!/usr/bin/env node
// The bin `fd` of package.json, fd COMMAND ARGS...: the commands of both services, with the words of `node dist/cli.js` in their
// images; without a command, the lists of both. Installs, compiles and starts databases as needed, without any output of its own on
// stdout.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { install } from '../bootstrap.mjs';
import { build } from '../build/build.mjs';
import { developmentEnvironment } from './dev-env.mjs';
import { watchForEnd } from '../processes/endings.mjs';
import { developmentInfra } from '../stores/infra.mjs';
import { appFolder, given } from '../workspace.mjs';

const SERVICES = ['users-service', 'master-service'];
const NEED_NO_DATABASE = ['catalogue:compare-fineract', 'quote', 'journey:docs'];

const note = (line) => process.stderr.write(`${line}\n`);
const cliOf = (service) => join(appFolder(service), 'dist/cli.js');

const has = (service, command) =>
  spawnSync(process.execPath, [cliOf(service), command, '--help']).status === 0;

/** Runs the command line of SERVICE in the folder where it was called. Returns the exit code. */
async function runService(service, args, env, signal) {
  const child = spawn(process.execPath, [cliOf(service), ...args], {
    cwd: process.env.INIT_CWD ?? process.cwd(),
    env,
    stdio: 'inherit',
    signal,
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** Runs COMMAND on each service that has it until one fails. Returns the exit code. */
async function main([command = '--help', ...args]) {
  await install();
  const { asked } = watchForEnd();
  await build(SERVICES, { signal: asked });
  const services = SERVICES.filter((service) => has(service, command));
  if (services.length === 0) {
    note(`"${command}" is not a command: npx fd lists them.`);
    return 2;
  }
  const isHelp = [command, ...args].includes('--help');
  // in production no secret is generated and no database is started
  const isAsItIs = isHelp || NEED_NO_DATABASE.includes(command) || given('NODE_ENV') === 'production';
  const infra = isAsItIs ? undefined : await developmentInfra(`fd ${command}`, note);
  try {
    for (const service of services) {
      const env = infra ? await developmentEnvironment(service, infra) : process.env;
      const status = await runService(service, [command, ...args], env, asked);
      if (status !== 0) return status;
    }
    return 0;
  } finally {
    await infra?.release();
  }
}

process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  note(error.message);
  return 1;
});
