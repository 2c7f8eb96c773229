import { system } from '../../jest.preset.mjs';
import config from './jest.config.mjs';

export default {
  ...system(config),
  // the journeys in the browser go through both services
  globalSetup: '../../tools/testing/jest-global-setup.mjs',
  globalTeardown: '../../tools/testing/jest-global-teardown.mjs',
};
