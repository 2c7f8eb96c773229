export { AppError, type AppErrorOptions, type ErrorParams, messageOf, type Refusal } from './app-error.js';
export { AadhaarErrors } from './catalogue/aadhaar.js';
export { ApiKeyErrors } from './catalogue/api-key.js';
export { BankErrors } from './catalogue/bank.js';
export { ConsentErrors } from './catalogue/consent.js';
export { EkycErrors } from './catalogue/ekyc.js';
export { EmailErrors } from './catalogue/email.js';
export { EventErrors } from './catalogue/event.js';
export { FactSheetErrors } from './catalogue/fact-sheet.js';
export { GeneralErrors } from './catalogue/general.js';
export { IdempotencyErrors } from './catalogue/idempotency.js';
export { InsightErrors } from './catalogue/insight.js';
export { IssuerErrors } from './catalogue/issuer.js';
export { JourneyErrors } from './catalogue/journey.js';
export { LeadErrors } from './catalogue/lead.js';
export { LockerErrors } from './catalogue/locker.js';
export { LoginErrors } from './catalogue/login.js';
export { MasterErrors } from './catalogue/master.js';
export { NomineeErrors } from './catalogue/nominee.js';
export { OtpErrors } from './catalogue/otp.js';
export { PanErrors } from './catalogue/pan.js';
export { PersonalDetailsErrors } from './catalogue/personal-details.js';
export { QuoteErrors } from './catalogue/quote.js';
export { SessionErrors } from './catalogue/session.js';
export { WebhookErrors } from './catalogue/webhook.js';
export { type ErrorCode, errorOf } from './catalogue.js';
export type { Actor, CatalogueEntry, ErrorDefinition, ValidationRule } from './define-errors.js';
export { type Example, type ExampleCall, PLACEHOLDERS, type Provocation } from './example.js';
export { ERROR_CODES, EXAMPLES } from './examples.js';
export { isError, reasonOf } from './is-error.js';
export { readAll, readEach, refuse } from './read-all.js';
export {
  type FailureReason,
  PROVIDER_FAILURES,
  ProviderError,
  type ProviderFailure,
} from './provider-error.js';
