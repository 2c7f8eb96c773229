import { preset } from '../../jest.preset.mjs';

export default {
  ...preset(import.meta.dirname),
  // a PostgreSQL and a Redis for this run, unless it has been given them
  globalSetup: '../../tools/jest-global-setup.mjs',
  globalTeardown: '../../tools/jest-global-teardown.mjs',
};
