// Jest globalSetup of tests that talk to a service: starts a PostgreSQL, a Redis and the sandbox for this run. They end with this
// process. A watching Jest keeps them between its runs.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from '../build/build.mjs';
import { endGroupOnDeath, isOk, until } from '../processes/processes.mjs';
import { throwawayInfra } from '../stores/infra.mjs';
import { redisProgram } from '../stores/machine-programs.mjs';
import { freePort } from '../stores/ports.mjs';
import { appFolder } from '../workspace.mjs';

const say = (line) => console.error(line);

async function startSandbox() {
  await build(['sandbox']);
  const port = await freePort();
  const child = spawn(process.execPath, [join(appFolder('sandbox'), 'dist/main.js')], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      PORT: String(port),
      HTTPS_PORT: '0',
      SMTP_PORT: '0',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  const cancelEnd = endGroupOnDeath(child.pid);
  const url = `http://127.0.0.1:${port}`;
  const hasEnded = () => child.exitCode !== null;
  const isReady = () => isOk(`${url}/health/ready`);
  await until(async () => hasEnded() || (await isReady()), { limit: 60_000 });
  if (hasEnded() || !(await isReady())) throw new Error('The sandbox did not start: see above.');
  return { url, child, cancelEnd };
}

/** @param inMemory whether the database may be kept in memory: soaks store more than fits */
async function start({ inMemory }) {
  const [infra, sandbox] = await Promise.all([throwawayInfra('jest', say, { inMemory }), startSandbox()]);
  Object.assign(process.env, {
    FD_TEST_DATABASE_URL: infra.databaseUrl,
    FD_TEST_REDIS_URL: infra.redisUrl,
    FD_TEST_SANDBOX_URL: sandbox.url,
    // for tests that stop a Redis of their own
    FD_TEST_REDIS_PROGRAM: await redisProgram(say),
    // removed at the end, even if a test was interrupted
    TMPDIR: infra.temporary,
  });
  // a test that names no database must not find the developer's
  for (const name of ['DATABASE_URL', 'REDIS_URL']) delete process.env[name];
  return { infra, sandbox };
}

export default async function setup(_globalConfig, { displayName }) {
  globalThis.testStores ??= await start({ inMemory: displayName.name !== 'release' });
}
