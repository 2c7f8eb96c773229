export { browserProgram } from '../../../../tools/chromium.mjs';
