export { pgbouncerProgram } from '../../../../tools/deployment/machine-programs.mjs';
