import { preset } from '../../jest.preset.mjs';

const shared = preset(import.meta.dirname);

export default {
  ...shared,
  testMatch: [...shared.testMatch, '<rootDir>/test-system/**/*.e2e.spec.ts'],
  // the system test walks through the services: a PostgreSQL and a Redis for this run
  globalSetup: '../../tools/testing/jest-global-setup.mjs',
  globalTeardown: '../../tools/testing/jest-global-teardown.mjs',
};
