// A measured server: its process, and its processor time and memory from /proc (Linux).
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { end, endGroupOnDeath, until } from '../tools/processes/processes.mjs';
import { freePort } from '../tools/stores/ports.mjs';
import { appFolder, root } from '../tools/workspace.mjs';

const PAGE_BYTES = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));
const START_LIMIT_MS = 60_000;

/** The Node.js of the image, if it is installed, independent of the Node.js that runs the benchmark. */
const imageNode = join(root, 'node_modules/.bin/node');
const node = existsSync(imageNode) ? imageNode : process.execPath;
export const nodeVersion = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();

/** Options of the image for Node.js and the C library, so that services are measured as in production. */
const image = readFileSync(join(root, 'docker/Dockerfile'), 'utf8');
const [, imageCommand] = /^CMD (\[.+\])$/m.exec(image);
const IMAGE_NODE_ARGS = JSON.parse(imageCommand).slice(1, -1);
const [, MALLOC_ARENA_MAX] = /MALLOC_ARENA_MAX=(\d+)/.exec(image);

/** The file of a server of the benchmark. */
export const script = (name) => fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url));

const answersAt = async (url) => {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await answer.arrayBuffer();
    return answer.status < 500;
  } catch {
    return false;
  }
};

/**
 * Starts SCRIPT with Node.js and ENV on a free port. Resolves when READY (a path) answers. Logs to a file in FOLDER, like a
 * container. Returns name, url, log, readyAfterMs, cpuSeconds(), memoryBytes() and stop().
 */
export async function startServer(name, script, { args = [], env, folder, ready = '/', nodeArgs = [] }) {
  const port = await freePort();
  const logFile = join(folder, `${name}.log`);
  const log = openSync(logFile, 'w');
  const startedAt = performance.now();
  const child = spawn(node, [...nodeArgs, script, ...args], {
    env: { PATH: process.env.PATH, ...env, HOST: '127.0.0.1', PORT: String(port) },
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const cancelEnd = endGroupOnDeath(child.pid);
  const url = `http://127.0.0.1:${port}`;
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  const isReady = await until(async () => isGone() || (await answersAt(url + ready)), {
    limit: START_LIMIT_MS,
    every: 5,
  });
  if (!isReady || isGone())
    throw new Error(`${name} does not start:\n${readFileSync(logFile, 'utf8').slice(-3_000)}`);
  const processFile = (path) => readFileSync(`/proc/${child.pid}/${path}`, 'utf8');
  const nanoseconds = (thread) => Number(processFile(`task/${thread}/schedstat`).split(' ')[0]);
  return {
    name,
    url,
    logFile,
    readyAfterMs: performance.now() - startedAt,
    // of all threads; `stat` is too coarse, since a slice of a bare route takes few of its ticks
    cpuSeconds: () =>
      readdirSync(`/proc/${child.pid}/task`).reduce((sum, thread) => sum + nanoseconds(thread), 0) / 1e9,
    memoryBytes: () => Number(processFile('statm').split(' ')[1]) * PAGE_BYTES,
    stop: async () => {
      await end(child.pid, 'SIGTERM', 40_000);
      await cancelEnd();
    },
  };
}

/** Starts the built SERVICE; see startServer(). */
export const startService = (service, { name = service, nodeArgs = [], env, ...options }) =>
  startServer(name, join(appFolder(service), 'dist/main.js'), {
    ready: '/health/ready',
    nodeArgs: [...IMAGE_NODE_ARGS, ...nodeArgs],
    env: { ...env, MALLOC_ARENA_MAX },
    ...options,
  });

/** Combines SERVERS: round robin, total processor time, and memory of the largest. */
export const together = (name, servers) => ({
  name,
  url: servers[0].url,
  urls: servers.map(({ url }) => url),
  cpuSeconds: () => servers.reduce((sum, server) => sum + server.cpuSeconds(), 0),
  memoryBytes: () => Math.max(...servers.map((server) => server.memoryBytes())),
  stop: () => Promise.all(servers.map((server) => server.stop())),
});
