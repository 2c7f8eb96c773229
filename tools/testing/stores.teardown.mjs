// Jest globalTeardown: ends what stores.setup.mjs started, unless Jest watches and runs again.
import { end } from '../processes/processes.mjs';

export default async function teardown({ watch, watchAll }) {
  if (watch || watchAll) return;
  const { infra, sandbox } = globalThis.testStores ?? {};
  if (!infra) return;
  await end(sandbox.child.pid);
  await sandbox.cancelEnd();
  await infra.release();
}
