export { haproxyProgram } from '../../../../tools/haproxy.mjs';
