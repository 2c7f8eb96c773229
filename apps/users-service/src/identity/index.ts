export { isCovered } from './consents/consents.fragments.js';
export { ConsentsRepository } from './consents/consents.repository.js';
export { IDENTITY_ENTITIES } from './identity.entities.js';
export { IdentityModule } from './identity.module.js';
export { wrongTry } from './otp/otp.policy.js';
export { partnersCommand } from './partners/partners.command.js';
export { PartnersRepository } from './partners/partners.repository.js';
export { JwtAuthGuard } from './sessions/jwt-auth.guard.js';
export { signedJwt } from './sessions/signed-jwt.js';
export { UserAccess } from './sessions/user-access.repository.js';
export {
  countRow,
  type CountedRows,
  fullDay,
  LOCK_USER,
  oldCounted,
  secondsUntilNext,
} from './users/day-budget.js';
export { User } from './users/user.entity.js';
export { PHONE_INDEX, UsersRepository } from './users/users.repository.js';
