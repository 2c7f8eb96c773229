import { service } from '../../jest.preset.mjs';

const shared = service(import.meta.dirname);

export default {
  ...shared,
  reporters: [
    ...shared.reporters,
    ['../../tools/testing/jest-error-codes-reporter.mjs', { prefixes: ['SVCUSER', 'SVCINV'] }],
  ],
  // a PostgreSQL and a Redis for this run, unless it has been given them, and a sandbox
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};
