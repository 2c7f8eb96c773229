export { browserProgram } from '../../../tools/deployment/machine-programs.mjs';
