// A server under measurement: its process, and what it takes of processor and memory (Linux tells, in /proc).
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { end, groupWill, until } from '../tools/processes/processes.mjs';
import { freePort } from '../tools/stores/ports.mjs';
import { appFolder, root } from '../tools/workspace.mjs';

const PAGE_BYTES = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));
const START_LIMIT_MS = 60_000;

/** The Node.js of the image where the install brings it, whatever runs the benchmark itself. */
const imageNode = join(root, 'node_modules/.bin/node');
const node = existsSync(imageNode) ? imageNode : process.execPath;
export const nodeVersion = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();

/** What the image gives Node.js before the script, and the C library: services are measured as they run in production. */
const image = readFileSync(join(root, 'docker/Dockerfile'), 'utf8');
const [, imageCommand] = /^CMD (\[.+\])$/m.exec(image);
const IMAGE_NODE_ARGS = JSON.parse(imageCommand).slice(1, -1);
const [, MALLOC_ARENA_MAX] = /MALLOC_ARENA_MAX=(\d+)/.exec(image);

/** The file of a server that only the benchmark has. */
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
 * Starts SCRIPT of Node.js with ENV on a free port and resolves once READY (a path) answers. Its log goes to a file of
 * FOLDER, as a container's does. Returns name, url, log, readyAfterMs, cpuSeconds(), memoryBytes() and stop().
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
  const callOffWill = groupWill(child.pid);
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
    // of all threads, finer than the ticks of `stat`: a slice of a bare route takes few of them
    cpuSeconds: () =>
      readdirSync(`/proc/${child.pid}/task`).reduce((sum, thread) => sum + nanoseconds(thread), 0) / 1e9,
    memoryBytes: () => Number(processFile('statm').split(' ')[1]) * PAGE_BYTES,
    stop: async () => {
      await end(child.pid, 'SIGTERM', 40_000);
      await callOffWill();
    },
  };
}

/** Starts the built SERVICE, as startServer() does. */
export const startService = (service, { name = service, nodeArgs = [], env, ...options }) =>
  startServer(name, join(appFolder(service), 'dist/main.js'), {
    ready: '/health/ready',
    nodeArgs: [...IMAGE_NODE_ARGS, ...nodeArgs],
    env: { ...env, MALLOC_ARENA_MAX },
    ...options,
  });

/** SERVERS as one: loads ask them in turn; their processor time together, and the memory of the largest. */
export const together = (name, servers) => ({
  name,
  url: servers[0].url,
  urls: servers.map(({ url }) => url),
  cpuSeconds: () => servers.reduce((sum, server) => sum + server.cpuSeconds(), 0),
  memoryBytes: () => Math.max(...servers.map((server) => server.memoryBytes())),
  stop: () => Promise.all(servers.map((server) => server.stop())),
});
