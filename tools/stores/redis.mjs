// A Redis server for this checkout: the machine's program, with data in a folder of the checkout.
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redisProgram } from './machine-programs.mjs';
import { readIfThere } from '../files.mjs';
import { withFreePort } from './ports.mjs';
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

async function launch(at, program, { durable, port }) {
  mkdirSync(at.folder, { recursive: true });
  chmodSync(at.folder, 0o700);
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
  // from standard input: a path with [, * or ? is a pattern for it, and without a match it runs with defaults
  const args = ['-', '--pidfile', at.pid];
  await runProgram(`${program} did not start`, program, args, { cwd: '/', input: config });
  await requireAnswer(at);
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

const urlOf = (at) => `redis://:${setting(at.config, 'requirepass')}@127.0.0.1:${setting(at.config, 'port')}`;

const answers = (url) => withRedis(url, () => true).catch(() => false);

/** Waits until the Redis of AT, whose program returns before it listens, answers. @throws Error with its log if it ends or is silent */
async function requireAnswer(at) {
  // without its port it ends before it writes its number
  const hasEnded = () =>
    /Failed listening/.test(readIfThere(at.log)) ||
    (existsSync(at.pid) && !isAlive(Number(readIfThere(at.pid))));
  // its command line is empty for a moment while a program replaces itself by the server
  const isReady = async () => running(at) && (await answers(urlOf(at)));
  const isOver = await until(async () => hasEnded() || (await isReady()), { limit: 60_000 });
  if (!isOver || !running(at))
    throw new Error(`Redis does not answer: ${readIfThere(at.log) || 'it left no message'}`);
}

/**
 * Makes sure that a Redis runs on the data below HOME. durable: false stores nothing on disk. SAY gets a line when an
 * installation takes long. Returns its pid, port, url and whether it was running already.
 */
export async function startRedis(home, { durable = true, preferredPort, say = () => {} } = {}) {
  const at = places(home);
  const reused = Boolean(running(at));
  if (reused) await requireAnswer(at);
  else {
    const program = await redisProgram(say);
    await withFreePort(preferredPort, (port) => launch(at, program, { durable, port }));
  }
  return { ...running(at), reused, url: urlOf(at) };
}

/** Ends the Redis of HOME after it has written its data. Returns whether one ran. */
export async function stopRedis(home) {
  const server = running(places(home));
  if (server) await end(server.pid, 'SIGTERM', 20_000);
  return Boolean(server);
}
