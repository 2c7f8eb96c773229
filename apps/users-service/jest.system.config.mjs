import { system } from '../../jest.preset.mjs';
import config from './jest.config.mjs';

export default { ...system(config), setupFilesAfterEnv: ['<rootDir>/test/support/end-shared-service.ts'] };
