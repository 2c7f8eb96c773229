export { haproxyProgram, pgbouncerProgram } from '../../../../tools/deployment/machine-programs.mjs';
