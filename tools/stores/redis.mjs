// A Redis server for this checkout: the machine's program, with data in a folder of the checkout.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redisProgram } from './machine-programs.mjs';
import { readIfThere } from '../files.mjs';
import { freePort } from './ports.mjs';
import { commandLine, end, isAlive, runProgram, until } from '../processes/processes.mjs';

function places(home) {
  const folder = join(home, 'redis');
  const at = (name) => join(folder, name);
  return { folder, config: at('redis.conf'), pid: at('redis.pid'), log: at('server.log') };
}

const setting = (config, name) => readIfThere(config).match(new RegExp(`^${name} (.*)$`, 'm'))?.[1];

/** The server that runs on the data of HOME, even if a former start left it behind. */
function running(at) {
  const [pid, port] = [readIfThere(at.pid), setting(at.config, 'port')].map(Number);
  if (!pid || !port || !isAlive(pid)) return undefined;
  // the server replaces its command line by its address; where it cannot, the path of its pid file remains
  const command = commandLine(pid);
  return command.includes(`127.0.0.1:${port}`) || command.includes(at.pid) ? { pid, port } : undefined;
}

async function launch(at, program, { durable, preferredPort }) {
  mkdirSync(at.folder, { recursive: true });
  chmodSync(at.folder, 0o700);
  const port = await freePort(preferredPort);
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${setting(at.config, 'requirepass') ?? randomBytes(18).toString('base64url')}`,
    `dir ${JSON.stringify(at.folder)}`,
    'daemonize yes',
    `logfile ${JSON.stringify(at.log)}`,
    'save ""',
    `appendonly ${durable ? 'yes' : 'no'}`,
  ];
  const config = `${lines.join('\n')}\n`;
  writeFileSync(at.config, config, { mode: 0o600 });
  for (const file of [at.pid, at.log]) rmSync(file, { force: true });
  const failure = `${program} did not start`;
  // from standard input: a path with [, * or ? is a pattern for it, and without a match it runs with defaults
  await runProgram(failure, program, ['-', '--pidfile', at.pid], { cwd: '/', input: config });
  // the program returns before its daemon listens
  if (await until(() => running(at), { limit: 10_000 })) return;
  throw new Error(`${failure}: ${readIfThere(at.log) || 'it left no message'}`);
}

/** Runs WORK with a connection to URL. The server has loaded its data then. */
export async function withRedis(url, work) {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null });
  client.on('error', () => {}); // connect() reports it too
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.disconnect();
  }
}

const answers = (url) => withRedis(url, () => true).catch(() => false);

/**
 * Makes sure that a Redis runs on the data below HOME. durable: false stores nothing on disk. SAY gets a line when an
 * installation takes long. Returns its pid, port, url and whether it was running already.
 */
export async function startRedis(home, { durable = true, preferredPort, say = () => {} } = {}) {
  const at = places(home);
  const reused = Boolean(running(at));
  if (!reused) await launch(at, await redisProgram(say), { durable, preferredPort });
  const url = `redis://:${setting(at.config, 'requirepass')}@127.0.0.1:${setting(at.config, 'port')}`;
  // its command line is empty for a moment while a program replaces itself by the server
  const pid = Number(readIfThere(at.pid));
  const ready = await until(() => !pid || !isAlive(pid) || answers(url), { limit: 60_000 });
  if (!ready || !running(at)) throw new Error(`Redis does not answer: see ${at.log}`);
  return { ...running(at), reused, url };
}

/** Ends the Redis of HOME after it has written its data. Returns whether one ran. */
export async function stopRedis(home) {
  const server = running(places(home));
  if (server) await end(server.pid, 'SIGTERM', 20_000);
  return Boolean(server);
}
