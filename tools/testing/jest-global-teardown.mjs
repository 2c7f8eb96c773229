// Jest globalTeardown: ends the servers that jest-global-setup.mjs started.
export default async function teardown() {
  await globalThis.releaseTestInfra?.();
}
