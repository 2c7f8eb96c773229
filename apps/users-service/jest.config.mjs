import { service } from '../../jest.preset.mjs';

const shared = service(import.meta.dirname);

export default {
  ...shared,
  // one more than the machines that run this have cores, since the specs wait for providers, stores and clocks
  maxWorkers: 3,
  reporters: [
    ...shared.reporters,
    ['../../tools/testing/jest-error-codes-reporter.mjs', { prefixes: ['SVCUSER', 'SVCINV'] }],
  ],
  // a PostgreSQL and a Redis for this run, unless it has been given them, and a sandbox
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};
