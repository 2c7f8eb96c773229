import { system } from '../../jest.preset.mjs';
import config from './jest.config.mjs';

export default {
  ...system(config),
  // console.spec.ts runs those of its folder with one product
  testMatch: ['<rootDir>/test-system/*.spec.ts'],
  // the journeys in the browser go through both services
  globalSetup: '../../tools/testing/jest-global-setup.mjs',
  globalTeardown: '../../tools/testing/jest-global-teardown.mjs',
};
