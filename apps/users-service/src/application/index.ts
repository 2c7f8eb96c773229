export { ApplicationModule } from './application.module.js';
