import stopStores from '../../../../tools/testing/jest-global-teardown.mjs';
import { end } from '../../../../tools/processes/processes.mjs';

export default async function teardown() {
  const { child, cancelEnd } = globalThis.testSandbox ?? {};
  if (child) {
    await end(child.pid);
    await cancelEnd();
  }
  await stopStores();
}
