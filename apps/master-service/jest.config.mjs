import { service } from '../../jest.preset.mjs';

export default {
  ...service(import.meta.dirname),
  // starts a PostgreSQL and a Redis for this run, unless they are given
  globalSetup: '../../tools/testing/jest-global-setup.mjs',
  globalTeardown: '../../tools/testing/jest-global-teardown.mjs',
};
