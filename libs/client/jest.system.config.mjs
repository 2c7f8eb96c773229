import { system } from '../../jest.preset.mjs';
import config from './jest.config.mjs';

export default system(config);
