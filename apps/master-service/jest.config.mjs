import { preset } from '../../jest.preset.mjs';

const shared = preset(import.meta.dirname);

export default {
  ...shared,
  reporters: [...shared.reporters, ['../../tools/jest-error-codes-reporter.mjs', { prefixes: ['SVCMAS'] }]],
  // a PostgreSQL and a Redis for this run, unless it has been given them
  globalSetup: '../../tools/jest-global-setup.mjs',
  globalTeardown: '../../tools/jest-global-teardown.mjs',
};
