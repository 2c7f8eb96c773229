export { Checks, isGiven, isPrintableLine, isRecord, type Check } from './fields.decorator.js';
export { isAadhaar } from './values/aadhaar.js';
export { isPincode, PINCODE_PATTERN } from './values/address.js';
export { isAccountNumber, isIfsc, maskAccountNumber } from './values/bank-account.js';
export { indiaDateOf, isCalendarDate } from './values/calendar-date.js';
export { canonicalHash, canonicalJson } from './canonical-json.js';
export { emailKey, isEmailAddress, maskEmail, tidyEmail } from './values/email.js';
export { isHttpUrl } from './values/http-url.js';
export { formatRupees, parseRupees, type Paise, toRupees } from './values/money.js';
export { isPan, maskPan } from './values/pan.js';
export { hasNameCharacters, isPersonName, NAME_PATTERN, tidyName } from './values/person-name.js';
export { isPhone, maskPhone } from './values/phone.js';
export { parseRelationship, type Relationship } from './values/relationship.js';
export { type DatedRule, type LawText, ruleInForce } from './law/dated-rule.js';
export { NOMINATION_RULES } from './law/nomination.law.js';
export * from './master/compare.js';
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
export * from './master/fact-sheet.js';
export { isSignedFactSheet, signFactSheet } from './master/fact-sheet-signature.js';
export * from './master/issuer-detail.js';
export * from './master/issuers.js';
export * from './master/maturity-quote.js';
export { ErrorCodeItem, errorCodesPayload, ErrorCodesPayload } from './error-codes.js';
export * from './users/ekyc.js';
export * from './users/existing-customer.js';
export * from './users/lead.js';
export * from './users/journey.js';
export * from './users/bank.js';
export * from './users/login.js';
export * from './users/booking.js';
export * from './users/confirmation.js';
export * from './users/email.js';
export * from './users/insights.js';
export * from './users/nominee.js';
export * from './users/consents.js';
export * from './users/events.js';
export * from './users/pan.js';
export * from './users/personal-details.js';
export * from './users/profile.js';
export * from './users/session.js';
export * from './users/user-data-export.js';
