import { once } from 'node:events';
import stopStores from '../../../../tools/jest-global-teardown.mjs';

export default async function teardown() {
  const child = globalThis.testSandbox;
  if (child && child.exitCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await stopStores();
}
