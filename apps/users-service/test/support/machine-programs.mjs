export {
  haproxyProgram,
  opensslProgram,
  pgbouncerProgram,
} from '../../../../tools/deployment/machine-programs.mjs';
