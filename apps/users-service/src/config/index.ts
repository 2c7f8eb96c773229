export { ConfigModule, USERS_CONFIG } from './config.module.js';
export type { EkycMethod, Issuer, IssuerApiFormat } from './issuer.js';
export { loadIssuers } from './load-issuers.js';
export type { OtpTestRule } from './otp-test-rules.js';
export type { MailConfig, ProviderAddress, ProviderKind } from './provider-settings.js';
export type { NamedKey } from './secrets.js';
export {
  auditKeysConfig,
  databaseConfig,
  environment,
  piiKeysConfig,
  type SmsProviderConfig,
  type UsersConfig,
  usersConfig,
} from './users-config.js';
