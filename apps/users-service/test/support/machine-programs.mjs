export { haproxyProgram } from '../../../../tools/deployment/machine-programs.mjs';
