export { axeViolations, complaintsOf, startBrowser } from './browser.js';
export { pressuresOn } from './pressure.js';
export { type Product, startProduct } from './product.js';
