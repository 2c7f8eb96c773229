import { soak } from '../../jest.preset.mjs';
import config from './jest.config.mjs';

export default { ...soak(config), setupFilesAfterEnv: ['<rootDir>/test/support/end-shared-service.ts'] };
