// For specs: a checkout in the temporary folder with these tools and stubs of the services.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTo } from '../files.mjs';
import { freePort } from '../stores/ports.mjs';
import { until } from '../processes/processes.mjs';
import { PORTS, root, services } from '../workspace.mjs';

/** Listens, is ready, logs one line of each kind, and ends on SIGTERM. */
const MAIN = `
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const log = (level, msg) => console.log(JSON.stringify({ level, service: 'stand-in', msg }));
if (process.env.BREAK_AT_BOOT && import.meta.url.includes(process.env.BREAK_AT_BOOT)) {
  console.error('cannot boot: broken on purpose');
  process.exit(3);
}
writeFileSync(new URL('../pid', import.meta.url), String(process.pid));
const server = createServer((request, response) => {
  if (request.url === '/die') process.exit(7);
  response.end(JSON.stringify({ version: 1, jwt: process.env.JWT_KEYS }));
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  log('info', 'quiet line');
  log('warn', 'loud line');
});
process.on('SIGTERM', () => server.close(() => process.exit(0)));
server.on('close', () => server.closeAllConnections());
`;

/** Prints its arguments. */
const CLI = `
if (process.argv.includes('--fail')) {
  console.error('failed on purpose');
  process.exit(9);
}
console.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), database: process.env.DATABASE_URL }));
`;

const TSCONFIG = {
  compilerOptions: {
    ...{ rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/tsconfig.app.tsbuildinfo', composite: true },
    ...{ module: 'nodenext', target: 'es2023', allowJs: true, lib: ['es5'], types: [], noCheck: true },
  },
  include: ['src/*.js'],
};

function makeApp(folder, service) {
  const test = 'node --test --test-reporter=../../tools/testing/node-test-count-reporter.mjs';
  const kinds = ['system', 'release', 'soak'];
  const targets = kinds.map((kind) => [
    kind,
    { command: `${test} stand-in.${kind}.mjs`, options: { cwd: '{projectRoot}' } },
  ]);
  const nx = { name: service, targets: Object.fromEntries(targets) };
  const texts = {
    'package.json': JSON.stringify({ name: `@fd/${service}`, type: 'module', nx }),
    'tsconfig.app.json': JSON.stringify(TSCONFIG),
    'src/main.js': MAIN,
    'src/cli.js': CLI,
  };
  for (const kind of kinds)
    texts[`stand-in.${kind}.mjs`] = "import { it } from 'node:test'; it('passes', () => {});";
  for (const [name, text] of Object.entries(texts)) writeTo(join(folder, name), text);
}

/**
 * Runs PROGRAM. Returns its process (child), its output so far, exited (a promise of its exit code or signal), isOver(),
 * becomes(CONDITION, FAILURE, LIMIT), which waits for CONDITION and else throws FAILURE with the output, and shows(TEXT), which
 * waits for TEXT.
 */
export function recorded(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const run = { child, output: '', stdout: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (run.stdout += text));
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (run.output += text));
  run.exited = once(child, 'close').then(([code, signal]) => code ?? signal);
  run.isOver = () => child.exitCode !== null || child.signalCode !== null;
  run.becomes = async (condition, failure, limit = 60_000) => {
    await until(async () => run.isOver() || (await condition()), { limit });
    if (!(await condition())) throw new Error(`${failure}:\n${run.output}`);
  };
  run.shows = (text) => run.becomes(() => run.output.includes(text), `"${text}" was not shown. It showed`);
  return run;
}

/** Variables that npm and Nx set for the processes that they start, and those that name other stores. */
const NOT_PASSED_ON = /^(DATABASE_URL|REDIS_URL|INIT_CWD|NODE_TEST_CONTEXT|(npm|NX|FD)_.*)$/;

/**
 * Returns the checkout's folder, the ports of its services, their further ports (by setting), tool(name, ...args),
 * toolWith(environment, name, ...args) and remove(), which also ends remaining processes.
 */
export async function makeWorkspace() {
  const folder = mkdtempSync(join(tmpdir(), 'fd-spec-'));
  chmodSync(folder, 0o755);
  const isTool = (source) => !/\.(spec|system|release|soak)\.mjs$/.test(source);
  cpSync(join(root, 'tools'), join(folder, 'tools'), { recursive: true, filter: isTool });
  // output where an installation would write some
  const bootstrap = "export const install = async () => console.error('Stub of the bootstrap')";
  writeTo(join(folder, 'tools/bootstrap.mjs'), bootstrap);
  for (const name of ['package.json', 'nx.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml', '.gitignore'])
    cpSync(join(root, name), join(folder, name));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const service of services) makeApp(join(folder, 'apps', service), service);
  // an empty console
  writeTo(join(folder, 'apps/console/src/main.tsx'), ' ');
  const vite = join(folder, 'apps/console/node_modules/.bin/vite');
  writeTo(vite, '#!/bin/sh\nmkdir -p dist && date > dist/index.html\n');
  chmodSync(vite, 0o755);

  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_PASSED_ON.test(name)));
  const [ports, furtherPorts] = [{}, {}];
  for (const { service, setting, variable } of PORTS) {
    const port = await freePort();
    env[variable] = String(port);
    if (setting === 'PORT') ports[service] = port;
    else furtherPorts[setting] = port;
  }
  const runs = [];
  const toolWith = (settings, name, ...args) => {
    const options = { cwd: folder, env: { ...env, ...settings } };
    const run = recorded(process.execPath, [join(folder, 'tools', name), ...args], options);
    runs.push(run);
    return run;
  };
  const remove = async () => {
    for (const { child, exited, isOver } of runs) {
      if (!isOver()) child.kill('SIGTERM');
      await exited;
    }
    await toolWith({}, 'dev/reset.mjs').exited;
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    folder,
    ports,
    furtherPorts,
    toolWith,
    tool: (name, ...args) => toolWith({}, name, ...args),
    remove,
  };
}
