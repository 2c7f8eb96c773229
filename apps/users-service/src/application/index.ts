export { APPLICATION_ENTITIES, ApplicationModule } from './application.module.js';
export { usersCommand } from './support/users.command.js';
export { journeyDocsCommand } from './booking/journey-docs.command.js';
