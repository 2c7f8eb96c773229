export { Checks, ifGiven, isGiven, type Check } from './fields/checks.decorator.js';
export { isAccountNumber, maskAccountNumber } from './values/account-number.js';
export { isEmailAddress, maskEmail } from './values/email.js';
export { isHttpUrl } from './values/http-url.js';
export { isIfsc } from './values/ifsc.js';
export { formatRupees, maskRupees, parseRupees, type Paise } from './values/money.js';
export { isPan, maskPan } from './values/pan.js';
export { isNationalNumber, isPhone, maskPhone } from './values/phone.js';
export {
  ComparedIssuer,
  ComparedQuote,
  ComparePayload,
  CompareRequest,
  UnavailableIssuer,
} from './master/compare.js';
export type { Flag } from './master/deposit-query.decorator.js';
export {
  type Compounding,
  COMPOUNDINGS,
  ISSUER_TYPES,
  type IssuerType,
  isPayoutFrequency,
  PAYOUT_FREQUENCIES,
  PAYOUT_TERMS,
  type PayoutFrequency,
  type PayoutTerm,
  PRODUCT_TYPES,
  type ProductType,
} from './master/deposit-terms.js';
export { readAmount } from './master/investment-amount.js';
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
  LoginPayload,
  RegisterPayload,
  RegisterRequest,
  SessionUser,
  TokenPayload,
  VerifyOtpRequest,
} from './users/login.js';
export { ProfileBank, UserProfilePayload } from './users/profile.js';
export {
  LogoutPayload,
  LogoutRequest,
  RefreshTokenRequest,
  UserSession,
  UserSessionsPayload,
} from './users/session.js';
