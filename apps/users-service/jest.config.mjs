import { preset } from '../../jest.preset.mjs';

const shared = preset(import.meta.dirname);

export default {
  ...shared,
  reporters: [
    ...shared.reporters,
    ['../../tools/testing/jest-error-codes-reporter.mjs', { prefixes: ['SVCUSER', 'SVCINV'] }],
  ],
  // each file leaves its compiled modules behind
  workerIdleMemoryLimit: '1GB',
  // a PostgreSQL and a Redis for this run, unless it has been given them, and a sandbox
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};
