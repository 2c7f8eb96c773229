export { pgbouncerProgram } from '../../../../tools/stores/machine-programs.mjs';
