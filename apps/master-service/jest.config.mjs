import { service } from '../../jest.preset.mjs';

const shared = service(import.meta.dirname);

export default {
  ...shared,
  reporters: [
    ...shared.reporters,
    ['../../tools/testing/jest-error-codes-reporter.mjs', { prefixes: ['SVCMAS'] }],
  ],
  // a PostgreSQL and a Redis for this run, unless it has been given them
  globalSetup: '../../tools/testing/jest-global-setup.mjs',
  globalTeardown: '../../tools/testing/jest-global-teardown.mjs',
};
