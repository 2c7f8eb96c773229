export { ConfigModule } from './config.module.js';
export {
  type EkycMethod,
  type FindingEffect,
  type Issuer,
  type IssuerApiFormat,
  ISSUERS,
} from './issuers.js';
export {
  AuditConfig,
  type BankProviderSettings,
  type EkycProviderSettings,
  type Endpoint,
  EventsConfig,
  FactSheetConfig,
  type FineractAccount,
  type IssuerSettings,
  JourneyConfig,
  type LockerProviderSettings,
  LoginConfig,
  MailConfig,
  OtpConfig,
  type PanProviderSettings,
  PiiConfig,
  type ProviderAddress,
  type ProviderName,
  ProvidersConfig,
  type SetuAccount,
  SmsConfig,
  type SmsProviderSettings,
  TokensConfig,
  type VendorAccount,
  type VerificationProviderSettings,
} from './slices.js';
export {
  isPanelText,
  isRegistered,
  renderedSms,
  SMS_TEXTS,
  type SmsTemplateId,
  type SmsVariables,
} from './sms-templates.js';
export { environment, keysConfig, piiConfig, type UsersConfig, usersConfig } from './users-config.js';
