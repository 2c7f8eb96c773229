// All projects in one run, which keeps both processors busy to its end.
import { runSettings } from './jest.preset.mjs';

export default {
  ...runSettings,
  projects: ['<rootDir>/apps/*', '<rootDir>/libs/*'],
  reporters: [...runSettings.reporters, '<rootDir>/tools/testing/jest-error-codes-reporter.mjs'],
  testSequencer: '<rootDir>/tools/testing/longest-first.sequencer.mjs',
};
