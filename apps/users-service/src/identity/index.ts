export { giveConsent, withdrawnPurposes } from './consents/consents.queries.js';
export { ConsentsRepository } from './consents/consents.repository.js';
export { IdentityModule } from './identity.module.js';
export { Partner } from './partners/partner.entity.js';
export { partnersCommand } from './partners/partners.command.js';
export { PartnersRepository } from './partners/partners.repository.js';
export { SessionGuard } from './sessions/session.guard.js';
export { type CountedRows, DAY_SECONDS, fullDay, LOCK_USER, secondsUntilNext } from './users/day-budget.js';
export { UsersRepository } from './users/users.repository.js';
