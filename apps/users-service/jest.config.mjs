import { service } from '../../jest.preset.mjs';

export default {
  ...service(import.meta.dirname),
  // a PostgreSQL and a Redis for this run, unless it has been given them, and a sandbox
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};
