import { service } from '../../jest.preset.mjs';

export default {
  ...service(import.meta.dirname),
  // a PostgreSQL and a Redis for this run, unless it has been given them
  globalSetup: '../../tools/testing/jest-global-setup.mjs',
  globalTeardown: '../../tools/testing/jest-global-teardown.mjs',
};
