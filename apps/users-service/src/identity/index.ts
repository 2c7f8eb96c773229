export { endConsentsOf } from './consents/ended-consents.js';
export { consentsThrough, partnerForEvents, publishToPartners } from './consents/partner-of-account.js';
export { ConsentsRepository } from './consents/consents.repository.js';
export type { ConsentPurpose } from './consents/notices.table.js';
export { FORMER_ACCOUNTS, type FormerAccounts } from './email/email-verification.service.js';
export { IDENTITY_ENTITIES, IdentityModule } from './identity.module.js';
export { addMailNotice, MAIL_NOTICES, MailNotices } from './notices/mail-notices.service.js';
export { type NoticeKind } from './notices/notice-texts.js';
export { ReturningUsers } from './login/returning-users.service.js';
export { wrongTry } from './otp/otp.policy.js';
export { partnerByUrl, partnersCommand } from './partners.command.js';
export { PartnersRepository } from './partners/partners.repository.js';
export { JwtAuthGuard } from './sessions/jwt-auth.guard.js';
export { signedJwt } from './sessions/signed-jwt.js';
export { UserAccess } from './sessions/user-access.repository.js';
export {
  countRow,
  type CountedRows,
  oldCounted,
  secondsOfFullDay,
  secondsUntilNext,
} from './users/day-budget.js';
export { UserOnHold } from './users/user-on-hold.entity.js';
export { User } from './users/user.entity.js';
export { type KnownUser, UsersRepository } from './users/users.repository.js';
export { IDENTITY_USER_DATA } from './user-data.table.js';
