export { haproxyProgram } from '../../../../tools/deployment/haproxy.mjs';
