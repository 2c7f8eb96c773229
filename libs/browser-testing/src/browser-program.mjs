export { browserProgram } from '../../../tools/stores/machine-programs.mjs';
