import { preset, system } from '../../jest.preset.mjs';

export default {
  ...system(preset(import.meta.dirname)),
  globalSetup: '../../tools/testing/jest-global-setup.mjs',
  globalTeardown: '../../tools/testing/jest-global-teardown.mjs',
};
