export { haproxyProgram } from '../../../../tools/stores/machine-programs.mjs';
