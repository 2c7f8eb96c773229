// For specs: runs programs, and the tools of this checkout with data and ports of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../stores/ports.mjs';
import { until } from '../processes/processes.mjs';
import { PORTS, root } from '../workspace.mjs';

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
  run.shows = (text, limit) =>
    run.becomes(() => run.output.includes(text), `"${text}" was not shown. It showed`, limit);
  return run;
}

/** Variables that npm and Nx set for the processes that they start, and those that name other stores. */
const NOT_PASSED_ON = /^(DATABASE_URL|REDIS_URL|INIT_CWD|NODE_TEST_CONTEXT|(npm|NX|FD)_.*)$/;

/**
 * Returns data (the folder of the tools' data), ports (by variable), toolWith(environment, name, ...args),
 * tool(name, ...args), endAll(), which ends remaining processes, and remove(), which ends them too.
 */
export async function makeWorkspace() {
  const folder = mkdtempSync(join(tmpdir(), 'fd-spec-'));
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  const ports = {};
  for (const { variable } of PORTS) {
    let port;
    do port = String(await freePort());
    while (Object.values(ports).includes(port));
    ports[variable] = port;
  }
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_PASSED_ON.test(name));
  const env = { ...Object.fromEntries(inherited), ...ports, FD_DATA_FOLDER: data };
  const runs = [];
  const toolWith = (settings, name, ...args) => {
    const options = { cwd: root, env: { ...env, ...settings } };
    const run = recorded(process.execPath, [join(root, 'tools', name), ...args], options);
    runs.push(run);
    return run;
  };
  const endAll = async () => {
    for (const { child, exited, isOver } of runs) {
      if (!isOver()) child.kill('SIGTERM');
      await exited;
    }
  };
  const remove = async () => {
    await endAll();
    await toolWith({}, 'dev/reset.mjs').exited;
    rmSync(folder, { recursive: true, force: true });
  };
  return { data, ports, toolWith, tool: (name, ...args) => toolWith({}, name, ...args), endAll, remove };
}
