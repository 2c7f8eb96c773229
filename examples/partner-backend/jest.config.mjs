import { testsIn } from '../../jest.config.mjs';

export default testsIn(import.meta.dirname);
