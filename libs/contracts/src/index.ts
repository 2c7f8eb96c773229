export { Checks, isGiven, isRecord, type Check } from './fields/checks.decorator.js';
export { isAadhaar } from './values/aadhaar.js';
export { isAccountNumber, maskAccountNumber } from './values/account-number.js';
export { indiaDateOf, isCalendarDate } from './values/calendar-date.js';
export { canonicalHash, canonicalJson } from './canonical-json.js';
export { emailKey, isEmailAddress, maskEmail, tidyEmail } from './values/email.js';
export { isHttpUrl } from './values/http-url.js';
export { isIfsc } from './values/ifsc.js';
export { formatRupees, parseRupees, type Paise } from './values/money.js';
export { isPan, maskPan } from './values/pan.js';
export { hasNameCharacters, isPersonName, NAME_PATTERN, tidyName } from './values/person-name.js';
export { isPhone, maskPhone } from './values/phone.js';
export { parseRelationship, type Relationship } from './values/relationship.js';
export {
  ComparedIssuer,
  ComparedQuote,
  ComparePayload,
  CompareRequest,
  UnavailableIssuer,
} from './master/compare.js';
export {
  type Compounding,
  COMPOUNDINGS,
  ISSUER_TYPES,
  type IssuerType,
  isPayoutFrequency,
  PAYOUT_FREQUENCIES,
  type PayoutFrequency,
  PRODUCT_TYPES,
  type ProductType,
} from './master/deposit-terms.js';
export {
  type DeclarationForm,
  FACT_SHEET_FORMAT,
  type FactSheetLanguage,
  FactSheet,
  FactSheetDeposit,
  FactSheetInsurance,
  FactSheetIssuer,
  FactSheetNomination,
  FactSheetRequest,
  FactSheetRule,
  FactSheetTax,
  FactSheetWithdrawal,
  TdsOfYear,
  type TdsReason,
  WithdrawalExample,
  WithdrawalStep,
} from './master/fact-sheet.js';
export {
  IssuerData,
  IssuerDetailPayload,
  RenewalOptionFlags,
  VehiclePayload,
} from './master/issuer-detail.js';
export { IssuerListItem, IssuersPayload } from './master/issuers.js';
export {
  MaturityQuote,
  MaturityQuoteRequest,
  PayoutEntry,
  PayoutOfYear,
  RateApplied,
} from './master/maturity-quote.js';
export { ErrorCodeItem, errorCodesPayload, ErrorCodesPayload } from './error-codes.js';
export {
  AadhaarSendOtpPayload,
  AadhaarSendOtpRequest,
  AadhaarVerifyOtpRequest,
  CheckStatusRequest,
  type EkycStatus,
  EkycStatusPayload,
  isReturnAddress,
  LockerSessionPayload,
  LockerSessionRequest,
} from './users/ekyc.js';
export { CheckEtbPayload, CheckEtbRequest } from './users/existing-customer.js';
export {
  KycContextPayload,
  KycContextRequest,
  KycDeclaration,
  LeadPayload,
  OpenLeadRequest,
} from './users/lead.js';
export {
  JOURNEY_STEPS,
  JourneyCall,
  JourneyPayload,
  JourneyRequest,
  type JourneyStepName,
  JourneyStepView,
} from './users/journey.js';
export {
  BankSyncQuery,
  BankSyncRequest,
  BankVerificationPayload,
  BankVerificationQuery,
  isNameWithoutDigits,
  isPrintable,
  NameMatchView,
} from './users/bank.js';
export {
  isAccepted,
  LoginPayload,
  RegisterPayload,
  RegisterRequest,
  SessionUser,
  TokenPayload,
  VerifyOtpRequest,
} from './users/login.js';
export { type BlockerCode, BookingBlocker, BookingCheckPayload, BookingCheckQuery } from './users/booking.js';
export {
  EmailOtpPayload,
  SendEmailOtpRequest,
  VerifiedEmailPayload,
  VerifyEmailOtpRequest,
} from './users/email.js';
export {
  INSIGHT_EVENTS,
  INSIGHT_SUBJECTS,
  InsightEventInput,
  type InsightEventName,
  type InsightSubject,
  MAX_EVENTS,
  MAX_PROPERTIES,
  TrackInsightsPayload,
  TrackInsightsRequest,
} from './users/insights.js';
export {
  ChangedNomineePayload,
  CreateNomineesQuery,
  CreateNomineesRequest,
  GuardianInput,
  GuardianView,
  MAX_NOMINEES,
  NOMINATION_TYPES,
  NominationPayload,
  type NominationType,
  NomineeAddressInput,
  NomineeInput,
  NomineesPayload,
  NomineeView,
  type NomineeWarning,
  RemovedNomineePayload,
  SkipDeclaration,
  UpdateNomineeRequest,
} from './users/nominee.js';
export {
  ConsentNotice,
  ConsentNoticesPayload,
  ConsentNoticesQuery,
  ConsentsPayload,
  GiveConsentRequest,
  GivenConsent,
  type NoticeLanguage,
  WithdrawnConsent,
} from './users/consents.js';
export {
  type AadhaarSeedingStatus,
  PanPendingPayload,
  PanVerificationPayload,
  PanVerificationQuery,
  PanVerificationRequest,
} from './users/pan.js';
export {
  AcceptedDeclaration,
  DeclarationInput,
  DeclarationText,
  DetailOption,
  DetailOptions,
  PersonalAddress,
  PersonalAddressInput,
  PersonalDetailsOptionsPayload,
  PersonalDetailsPayload,
  PersonalDetailsQuery,
  PersonalDetailsRequest,
} from './users/personal-details.js';
export { ProfileBank, UserProfilePayload } from './users/profile.js';
export {
  LogoutPayload,
  LogoutRequest,
  RefreshTokenRequest,
  UserSession,
  UserSessionsPayload,
} from './users/session.js';
