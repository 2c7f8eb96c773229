// Jest globalTeardown: ends what jest-global-setup.mjs started.
export default async function teardown() {
  await globalThis.releaseTestInfra?.();
}
