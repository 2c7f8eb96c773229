export { browserProgram } from '../../../../tools/deployment/chromium.mjs';
