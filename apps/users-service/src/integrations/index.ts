export { doctorCommand } from './doctor/doctor.command.js';
export type { VendorsOf } from './doctor/doctor.command.js';
export {
  type CheckedVendor,
  checkedVendor,
  CheckFault,
  type CheckValues,
  isRefused,
  unknownIdCheck,
  type VendorCheck,
} from './doctor/vendor-check.js';
export { INTEGRATIONS_ENTITIES, IntegrationsModule } from './integrations.module.js';
export type {
  ExistingCustomer,
  IssuerLead,
  KycContext,
  LeadApi,
  LeadRequest,
  Registration,
} from './issuers/issuer-api.port.js';
export { IssuerApis } from './issuers/issuer-apis.js';
export { issuerVendors } from './issuers/issuer-vendors.js';
export { type Mail, MAIL_SENDER, type MailSender } from './mail/mail.port.js';
export { mailVendors } from './mail/mail-vendors.js';
export { ProviderClient, ProviderClients } from './providers/provider-client.js';
export { ownFormat, type ProviderEndpoint } from './providers/http-exchange.js';
export { isFree, isWithoutEffect, orUnavailable, ProviderList } from './providers/provider-failures.js';
export {
  optionalName,
  providerId,
  providerLink,
  providerName,
  providerText,
} from './providers/provider-text.js';
export { smsVendors } from './sms/adapters/sms-adapters.js';
export { SmsDelivery } from './sms/sms-delivery.service.js';
export { Webhooks } from './webhooks/webhooks.service.js';
export { endpointOf } from './vendors/endpoint-of.js';
