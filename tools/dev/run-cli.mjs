// node tools/dev/run-cli.mjs SERVICE[,SERVICE] COMMAND ARGS...: a service's command line, for the root's npm scripts.
// Installs, compiles and starts databases as needed, without any output on stdout.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Commands that need no database. */
const needNoInfra = new Set(['quote', 'journey:docs', 'catalogue:compare-fineract']);

const note = (line) => process.stderr.write(`${line}\n`);

// before the imports below, whose packages a fresh clone lacks
const bootstrap = fileURLToPath(new URL('../bootstrap.mjs', import.meta.url));
const installed = spawnSync(process.execPath, [bootstrap], { stdio: ['ignore', 2, 2] });
if (installed.status !== 0) process.exit(installed.status ?? 1);

const { build } = await import('../build/build.mjs');
const { developmentEnvironment } = await import('./dev-env.mjs');
const { watchForEnd } = await import('../processes/endings.mjs');
const { developmentInfra } = await import('../stores/infra.mjs');
const { appFolder, given } = await import('../workspace.mjs');

/** Runs the command line of SERVICE in the folder where npm was called. Returns the exit code. */
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
async function main([list, ...args]) {
  const names = list.split(',');
  const { asked } = watchForEnd();
  await build(names, { signal: asked });
  // in production no secret is generated and no database is started
  const isAsItIs = needNoInfra.has(args[0]) || given('NODE_ENV') === 'production';
  const infra = isAsItIs ? undefined : await developmentInfra(`npm run ${args[0]}`, note);
  try {
    for (const service of names) {
      const env = infra ? await developmentEnvironment(service, infra) : process.env;
      const status = await runService(service, args, env, asked);
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
