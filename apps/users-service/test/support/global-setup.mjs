// Starts the stores, as for every project, and one sandbox for all tests of this run.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import startStores from '../../../../tools/testing/jest-global-setup.mjs';
import { freePort } from '../../../../tools/stores/ports.mjs';
import { endGroupOnDeath, until } from '../../../../tools/processes/processes.mjs';

const main = fileURLToPath(new URL('../../../sandbox/dist/main.js', import.meta.url));

export default async function setup() {
  await startStores();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [main], {
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
  // a killed test run must not leave the sandbox running
  globalThis.testSandbox = { child, cancelEnd: endGroupOnDeath(child.pid) };
  process.env.FD_TEST_SANDBOX_URL = url;
  const isReady = async () => (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok === true;
  const hasEnded = () => child.exitCode !== null;
  await until(async () => hasEnded() || (await isReady()), { limit: 30_000 });
  if (hasEnded() || !(await isReady())) throw new Error('the sandbox did not start: was it built?');
}
