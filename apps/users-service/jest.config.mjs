import { preset } from '../../jest.preset.mjs';

const shared = preset(import.meta.dirname);

export default {
  ...shared,
  reporters: [
    ...shared.reporters,
    ['../../tools/jest-error-codes-reporter.mjs', { prefixes: ['SVCUSER', 'SVCINV'] }],
  ],
  // much of the time goes by in waiting; with more, the deadlines of the service are missed for want of a processor
  maxWorkers: 2,
  // each file leaves its compiled modules behind
  workerIdleMemoryLimit: '1GB',
  // a PostgreSQL and a Redis for this run, unless it has been given them, and a sandbox
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};
