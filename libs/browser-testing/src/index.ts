export { axeViolations, complaintsOf, startBrowser } from './browser.js';
export { type Product, startProduct } from './product.js';
