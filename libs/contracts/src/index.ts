export { Checks, ifGiven, isGiven, type Check } from './fields/checks.decorator.js';
export { isAccountNumber, maskAccountNumber } from './values/account-number.js';
export { isEmailAddress, maskEmail } from './values/email.js';
export { isHttpUrl } from './values/http-url.js';
export { isIfsc } from './values/ifsc.js';
export { formatRupees, maskRupees, parseRupees, type Paise } from './values/money.js';
export { isPan, maskPan } from './values/pan.js';
export { isNationalNumber, isPhone, maskPhone } from './values/phone.js';
export { ErrorCodeItem, ErrorCodesPayload } from './users/error-codes.js';
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
