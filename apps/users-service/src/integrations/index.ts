export type {
  ExistingCustomer,
  IssuerLead,
  KycContext,
  LeadDesk,
  LeadRequest,
  Registration,
} from './issuers/issuer-api.port.js';
export { IssuerApis } from './issuers/issuer-apis.js';
export { IssuerDirectory } from './issuers/issuer-directory.js';
export { IssuersModule } from './issuers/issuers.module.js';
export { MailModule } from './mail/mail.module.js';
export { type Mail, MAIL_SENDER, type MailSender } from './mail/mail.port.js';
export { ProviderClient } from './providers/provider-client.js';
export { orUnavailable, ProviderClients } from './providers/provider-clients.js';
export { isWithoutEffect } from './providers/provider-effect.js';
export {
  MAX_PROVIDER_TEXT,
  providerId,
  providerLink,
  providerName,
  providerText,
} from './providers/provider-text.js';
export { UNAVAILABLE_ERRORS } from './providers/provider.js';
export { ProvidersModule } from './providers/providers.module.js';
export { Resilience } from './providers/resilience.js';
export { SmsDelivery } from './sms/sms-delivery.service.js';
export { SmsModule } from './sms/sms.module.js';
