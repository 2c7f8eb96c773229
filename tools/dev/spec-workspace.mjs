// For specs: a checkout in the temporary folder with these tools and stubs of the services.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../stores/ports.mjs';
import { until } from '../processes/processes.mjs';
import { PORTS, root, services } from '../workspace.mjs';

/** Listens, is ready, logs one line of each kind, and ends on SIGTERM. */
const mainSource = `
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
  response.end(JSON.stringify({ version: 1, database: process.env.DATABASE_URL, jwt: process.env.JWT_KEYS,
    smtp: process.env.SMTP_PORT, mail: process.env.MAIL_SMTP_URL,
    clock: process.env.CLOCK_URL, clockFile: process.env.CLOCK_FILE }));
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  log('info', 'quiet line');
  log('warn', 'loud line');
});
process.on('SIGTERM', () => server.close(() => process.exit(0)));
server.on('close', () => server.closeAllConnections());
`;

/** Prints its arguments. */
const cliSource = `
if (process.argv.includes('--fail')) {
  console.error('failed on purpose');
  process.exit(9);
}
console.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), database: process.env.DATABASE_URL }));
`;

const tsconfig = {
  compilerOptions: {
    ...{ rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/tsconfig.app.tsbuildinfo', composite: true },
    ...{ module: 'nodenext', target: 'es2023', allowJs: true, lib: ['es5'], types: [], noCheck: true },
  },
  include: ['src/*.js'],
};

const testCommand = 'node --test --test-reporter=../../tools/testing/node-test-count-reporter.mjs';

function makeApp(folder, service) {
  mkdirSync(join(folder, 'src'), { recursive: true });
  const target = (file) => ({ command: `${testCommand} ${file}`, options: { cwd: '{projectRoot}' } });
  const targets = { system: target('stand-in.system.mjs'), soak: target('stand-in.soak.mjs') };
  const description = { name: `@fd/${service}`, type: 'module', nx: { name: service, targets } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(description));
  for (const name of ['stand-in.system.mjs', 'stand-in.soak.mjs'])
    writeFileSync(join(folder, name), "import { it } from 'node:test'; it('passes', () => {});");
  writeFileSync(join(folder, 'tsconfig.app.json'), JSON.stringify(tsconfig));
  writeFileSync(join(folder, 'src/main.js'), mainSource);
  writeFileSync(join(folder, 'src/cli.js'), cliSource);
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

/**
 * Returns the checkout's folder, the ports of its services, their further ports (by setting), tool(name, ...args),
 * toolWith(environment, name, ...args) and remove(), which also ends remaining processes.
 */
export async function makeWorkspace() {
  const folder = mkdtempSync(join(tmpdir(), 'fd-spec-'));
  chmodSync(folder, 0o755);
  cpSync(join(root, 'tools'), join(folder, 'tools'), {
    recursive: true,
    filter: (source) => !/\.(spec|system|soak)\.mjs$/.test(source),
  });
  // output where an installation would write some
  const stub = "export const install = async () => console.error('Stub of the bootstrap');";
  writeFileSync(join(folder, 'tools/bootstrap.mjs'), stub);
  for (const name of ['package.json', 'nx.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml', '.gitignore']) {
    cpSync(join(root, name), join(folder, name));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const env = { ...process.env };
  // npm and Nx set variables for the processes that they start
  const ours = /^(DATABASE_URL|REDIS_URL|INIT_CWD|NODE_TEST_CONTEXT|(npm|NX|FD)_.*)$/;
  for (const name of Object.keys(env).filter((name) => ours.test(name))) delete env[name];
  const ports = {};
  const furtherPorts = {};
  for (const service of services) makeApp(join(folder, 'apps', service), service);
  for (const { service, setting, variable } of PORTS) {
    const port = await freePort();
    env[variable] = String(port);
    if (setting === 'PORT') ports[service] = port;
    else furtherPorts[setting] = port;
  }
  // an empty console
  mkdirSync(join(folder, 'apps/console/src'), { recursive: true });
  const programs = join(folder, 'apps/console/node_modules/.bin');
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(programs, 'vite'), '#!/bin/sh\nmkdir -p dist && date > dist/index.html\n', {
    mode: 0o755,
  });
  const runs = [];
  const toolWith = (settings, name, ...args) => {
    const options = { cwd: folder, env: { ...env, ...settings } };
    const run = recorded(process.execPath, [join(folder, 'tools', name), ...args], options);
    runs.push(run);
    return run;
  };
  return {
    folder,
    ports,
    furtherPorts,
    toolWith,
    tool: (name, ...args) => toolWith({}, name, ...args),
    remove: async () => {
      for (const { child, exited, isOver } of runs) {
        if (!isOver()) child.kill('SIGTERM');
        await exited;
      }
      await toolWith({}, 'dev/reset.mjs').exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
