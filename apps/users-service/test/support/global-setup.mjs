// Stores as for every project, and one sandbox: the outside world of all tests of this run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import startStores from '../../../../tools/jest-global-setup.mjs';

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function untilReady(url, child) {
  for (;;) {
    if (child.exitCode !== null)
      throw new Error(`the sandbox ended with code ${child.exitCode}: was it built?`);
    const response = await fetch(`${url}/health/ready`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export default async function setup() {
  await startStores();
  const main = fileURLToPath(new URL('../../../sandbox/dist/main.js', import.meta.url));
  const port = await freePort();
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  globalThis.testSandbox = child;
  process.env.FD_TEST_SANDBOX_URL = `http://127.0.0.1:${port}`;
  await untilReady(process.env.FD_TEST_SANDBOX_URL, child);
}
