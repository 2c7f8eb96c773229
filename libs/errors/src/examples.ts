import { AadhaarErrors } from './catalogue/aadhaar.js';
import { ApiKeyErrors } from './catalogue/api-key.js';
import { BankErrors } from './catalogue/bank.js';
import { ConsentErrors } from './catalogue/consent.js';
import { EkycErrors } from './catalogue/ekyc.js';
import { EmailErrors } from './catalogue/email.js';
import { EventErrors } from './catalogue/event.js';
import { FactSheetErrors } from './catalogue/fact-sheet.js';
import { GeneralErrors } from './catalogue/general.js';
import { IdempotencyErrors } from './catalogue/idempotency.js';
import { InsightErrors } from './catalogue/insight.js';
import { IssuerErrors } from './catalogue/issuer.js';
import { JourneyErrors } from './catalogue/journey.js';
import { LeadErrors } from './catalogue/lead.js';
import { LockerErrors } from './catalogue/locker.js';
import { LoginErrors } from './catalogue/login.js';
import { MasterErrors } from './catalogue/master.js';
import { NomineeErrors } from './catalogue/nominee.js';
import { OtpErrors } from './catalogue/otp.js';
import { PanErrors } from './catalogue/pan.js';
import { PersonalDetailsErrors } from './catalogue/personal-details.js';
import { QuoteErrors } from './catalogue/quote.js';
import { SessionErrors } from './catalogue/session.js';
import { WebhookErrors } from './catalogue/webhook.js';
import type { ErrorCode } from './catalogue.js';
import type { ExampleCall, Provocation } from './example.js';

const NOBODYS_ID = '0198c0de-0000-7000-8000-000000000000';

const asUser = (call: ExampleCall['call'], body: object) => ({ as: 'user', call, body }) as const;

const register = (phone = '{phone}') => ({ call: 'POST /auth/register', body: { phone } }) as const;

const login = { phone: '{phone}', otp: '123456', partner_url: 'https://app.partner.example', consent: true };
const verify = (body: object) =>
  ({ as: 'anonymous', call: 'POST /auth/api/v2/register/verify', body: { ...login, ...body } }) as const;

const pan = { number: '{pan}', dob: '1990-04-21', consent_checked: true };
const verifyPan = (body: object = {}) => asUser('POST /api/v1/pan-verification', { ...pan, ...body });

const sendAadhaarCode = (aadhaar_number: string) =>
  ({
    call: 'POST /issuer-apis/sahyadri/v1/aadhaar-ekyc/send-otp',
    body: { aadhaar_number, consent_checked: true },
  }) as const;
const verifyAadhaarCode = (otp: string) =>
  ({
    call: 'POST /issuer-apis/sahyadri/v1/aadhaar-ekyc/verify-otp',
    body: { ekyc_request_id: '{ekyc_request_id}', otp },
  }) as const;

const mail = (email: string) => ({ call: 'POST /api/v1/email/send-otp', body: { email } }) as const;
const verifyEmail = (email: string, otp: string) =>
  ({ call: 'POST /api/v1/email/verify-otp', body: { email, otp } }) as const;

const details = (body: object) => asUser('POST /api/v1/personal-details?issuer_code=ARAVFIN', body);

/** All fields that the issuer requires, without declarations. */
const allDetails = {
  gender: 'FEMALE',
  marital_status: 'MARRIED',
  occupation: 'SALARIED',
  annual_income_range: 'FROM_5_TO_10_LAKH',
  source_of_funds: 'SALARY',
  communication_address: {
    line1: '12, Lake Road',
    line2: '',
    city: 'Bengaluru',
    state_code: 'KA',
    pincode: '560001',
  },
  is_pep: false,
  is_tax_resident_india_only: true,
  declarations: [],
};

const account = { account: '501000121111', ifsc: 'HDFC0001234', issuer_code: 'ARAVFIN' };
const bank = (body: object) =>
  ({ as: 'verified user', call: 'POST /api/v1/bank/sync-to-issuer', body: { ...account, ...body } }) as const;

const nominee = { name: 'Meera Joshi', relationship: 'SISTER' };
const nominate = (body: object) => asUser('POST /api/v1/user-nominee', body);
const bookingCheck = 'GET /issuer-apis/aravalli/v1/booking-check';
const checkBookingAfter = (...after: ExampleCall[]) => ({ as: 'user', after, call: bookingCheck }) as const;
const minor = { ...nominee, dob: '2015-04-21' };

const exportOfAnother = {
  as: 'verified user',
  call: 'POST /api/v1/user-data-export',
  body: { number: '{pan}', dob: '1990-04-21' },
} as const;

const AFTER_A_PAUSE = {
  none: 'set CONFIRM_LOGIN_AFTER_DAYS=31, move the clock of the sandbox 32 days forwards, and log in again',
};

const deposit = {
  tenure: '730',
  investment_amount: '100000',
  payout_frequency: 'Maturity',
  senior_citizen: 'false',
  women_citizen: 'false',
  tax_saver: 'false',
  product_type: 'FD',
};
const askAbout = (path: `/${string}`, terms: object) => {
  const query = Object.entries({ ...deposit, ...terms }).map(([name, value]) => `${name}=${String(value)}`);
  return { as: 'catalogue client', call: `GET ${path}?${query.join('&')}` } as const;
};
const quote = (issuer: string, terms: object = {}) =>
  askAbout(`/api/v1/detail/maturity-amount/${issuer}`, terms);
const factSheet = (terms: object) => askAbout('/api/v1/fact-sheet/ARAVFIN', terms);

/** How to provoke each code against the sandbox; a test makes the calls. */
export const EXAMPLES: Readonly<Record<ErrorCode, Provocation>> = {
  [LoginErrors.phoneInvalid.code]: { as: 'anonymous', ...register('9999900001') },
  [LoginErrors.phoneMalformed.code]: { as: 'anonymous', ...register('91999') },
  [OtpErrors.wrongLength.code]: verify({ otp: '12345' }),
  [LoginErrors.partnerUnknown.code]: verify({ partner_url: 'https://nobody.example' }),
  [LoginErrors.tooManySends.code]: { as: 'anonymous', ...register(), times: 6 },
  [LoginErrors.sendsSuspended.code]: {
    none: 'the limits for a network and a number range are off unless they are set',
  },
  [LoginErrors.smsUnavailable.code]: { as: 'anonymous', ...register('919876540503') },
  [LoginErrors.otpWrong.code]: { ...verify({ otp: '654321' }), after: [register()] },
  [LoginErrors.otpExpired.code]: verify({}),
  [LoginErrors.tooManyTries.code]: { ...verify({ otp: '654321' }), after: [register()], times: 6 },
  [OtpErrors.notNumeric.code]: verify({ otp: '12a456' }),
  [OtpErrors.missing.code]: verify({ otp: undefined }),
  [LoginErrors.consentRequired.code]: verify({ consent: false }),
  [LoginErrors.partnerUrlInvalid.code]: verify({ partner_url: 'partner' }),
  [LoginErrors.userBlocked.code]: { none: 'an operator blocks the user: npx fd users block' },

  [SessionErrors.tokenMissing.code]: { as: 'anonymous', call: 'GET /api/v1/user-profile' },
  [SessionErrors.tokenMalformed.code]: {
    as: 'anonymous',
    call: 'GET /api/v1/user-profile',
    headers: { authorization: 'Bearer abc' },
  },
  [SessionErrors.tokenInvalid.code]: { none: 'change a letter in the last part of an access token' },
  [SessionErrors.tokenExpired.code]: {
    none: 'move the clock of the sandbox 16 minutes forwards, with `POST /api/clock` there',
  },
  [SessionErrors.ended.code]: {
    as: 'user',
    after: [{ call: 'POST /auth/api/v2/logout', body: {} }],
    call: 'GET /api/v1/user-profile',
  },
  [SessionErrors.refreshTokenInvalid.code]: {
    as: 'anonymous',
    call: 'POST /auth/api/v2/token/refresh',
    body: { refresh_token: 'abc' },
  },
  [SessionErrors.refreshTokenReused.code]: {
    none: 'refresh the tokens, move the clock of the sandbox 31 seconds forwards, then use the old refresh token again',
  },
  [SessionErrors.unconfirmed.code]: AFTER_A_PAUSE,
  [SessionErrors.confirmationWrong.code]: exportOfAnother,
  [SessionErrors.confirmationsExhausted.code]: { ...exportOfAnother, times: 4 },
  [SessionErrors.nothingToConfirm.code]: AFTER_A_PAUSE,
  [SessionErrors.confirmed.code]: asUser('POST /api/v1/account-confirmation/start-anew', {
    start_anew: true,
  }),
  [SessionErrors.unshared.code]: {
    none: 'set SEPARATE_PARTNERS=true, and log in with the URL of another partner than at first',
  },
  [SessionErrors.exportTooLarge.code]: {
    none: 'it takes some 10,000 reported events of one user',
  },

  [PanErrors.belongsToAnotherUser.code]: {
    none: 'two users are needed: verify a PAN, log in with another phone and verify it again',
  },
  [PanErrors.missing.code]: verifyPan({ number: undefined }),
  [PanErrors.wrongLength.code]: verifyPan({ number: 'ABCDE1234' }),
  [PanErrors.malformed.code]: verifyPan({ number: 'abcde1234f' }),
  [PanErrors.notFound.code]: verifyPan({ number: 'ABCPR0404K' }),
  [PanErrors.notValid.code]: verifyPan({ number: 'ABCPR0410K' }),
  [PanErrors.registryUnavailable.code]: verifyPan({ number: 'ABCPR0503K' }),
  [PanErrors.tooManyLookups.code]: { none: 'it takes eleven PANs within a day' },
  [PanErrors.pending.code]: verifyPan({ number: 'ABCPR0202K' }),
  [PanErrors.birthDateMissing.code]: verifyPan({ dob: undefined }),
  [PanErrors.birthDateInvalid.code]: verifyPan({ dob: '2001-02-30' }),
  [PanErrors.birthDateInFuture.code]: verifyPan({ dob: '2999-01-01' }),
  [PanErrors.birthDateDiffers.code]: verifyPan({ number: 'ABCPR0406K' }),
  [PanErrors.anotherPanVerified.code]: { ...verifyPan(), as: 'verified user' },
  [PanErrors.notOfPerson.code]: checkBookingAfter(verifyPan({ number: '{pan of a company}' })),
  [PanErrors.inoperative.code]: checkBookingAfter(verifyPan({ number: '{pan 0401}' })),
  [PanErrors.applicantMinor.code]: checkBookingAfter(verifyPan({ dob: '2015-04-21' })),
  [ConsentErrors.missing.code]: verifyPan({ consent_checked: undefined }),
  [ConsentErrors.refused.code]: verifyPan({ consent_checked: false }),
  [ConsentErrors.notBoolean.code]: verifyPan({ consent_checked: 'true' }),
  [ConsentErrors.withdrawn.code]: { none: 'withdraw a consent of the list, then give a bank account' },
  [ConsentErrors.purposeUnknown.code]: asUser('POST /api/v1/consents', {
    purpose: 'NOTHING',
    notice_version: '2026-11',
  }),
  [ConsentErrors.noticeOutdated.code]: asUser('POST /api/v1/consents', {
    purpose: 'CKYC',
    notice_version: '2020-01',
  }),
  [ConsentErrors.languageUnknown.code]: { as: 'anonymous', call: 'GET /api/v1/consent-notices?lang=fr' },
  [ConsentErrors.factSheetHashInvalid.code]: {
    as: 'user',
    call: 'GET /issuer-apis/aravalli/v1/booking-check?fact_sheet_hash=abc',
  },
  [ConsentErrors.factSheetSignatureInvalid.code]: {
    as: 'user',
    call: 'GET /issuer-apis/aravalli/v1/booking-check?fact_sheet_signature=abc',
  },
  [ConsentErrors.factSheetNotShown.code]: {
    none: 'set FACT_SHEET_REQUIRED=aravalli, then check a booking',
  },

  [IssuerErrors.flowUnsupported.code]: asUser('POST /issuer-apis/aravalli/v2/check-etb', { flowId: 'XX' }),
  [IssuerErrors.unavailable.code]: {
    as: 'user',
    after: [verifyPan({ number: '{pan 0603}' })],
    call: 'POST /issuer-apis/aravalli/v2/check-etb',
    body: {},
  },
  [EkycErrors.unavailable.code]: { as: 'user', ...sendAadhaarCode('234567805032') },
  [EkycErrors.alreadyVerified.code]: {
    none: 'the eKYC has to be verified first, on its page or with a code',
  },
  [EkycErrors.redirectionUrlInvalid.code]: asUser('POST /issuer-apis/aravalli/v3/check-status', {
    redirection_url: 'http://app.example',
  }),
  [AadhaarErrors.numberInvalid.code]: { as: 'user', ...sendAadhaarCode('123412341234') },
  [AadhaarErrors.noMobileLinked.code]: { as: 'user', ...sendAadhaarCode('234567804229') },
  [AadhaarErrors.otpTooSoon.code]: { as: 'user', ...sendAadhaarCode('{aadhaar}'), times: 2 },
  [AadhaarErrors.otpWrong.code]: {
    as: 'user',
    after: [sendAadhaarCode('{aadhaar}')],
    ...verifyAadhaarCode('000000'),
  },
  [AadhaarErrors.otpExpired.code]: {
    as: 'user',
    after: [sendAadhaarCode('234567804083')],
    ...verifyAadhaarCode('{code}'),
  },
  [AadhaarErrors.holderDiffers.code]: {
    as: 'verified user',
    after: [sendAadhaarCode('234567804272')],
    ...verifyAadhaarCode('{code}'),
  },
  [AadhaarErrors.switchedOff.code]: { none: 'only with the setting EKYC_METHODS' },
  [LockerErrors.consentDenied.code]: {
    none: 'choose deny on the page of a locker session, then ask for the session',
  },
  [LockerErrors.noAadhaar.code]: {
    none: 'choose no Aadhaar on the page of a locker session, then ask for the session',
  },
  [LockerErrors.sessionExpired.code]: {
    none: 'choose expired on the page of a locker session, then ask for the session',
  },
  [LockerErrors.holderDiffers.code]: {
    none: 'choose another person on the page of a locker session, then ask for the session',
  },
  [LeadErrors.unknown.code]: asUser('POST /issuer-apis/sahyadri/v1/kyc-context', { lead_id: NOBODYS_ID }),
  [LeadErrors.expired.code]: {
    none: 'move the clock of the sandbox 8 days forwards with `POST /api/clock` there, and log in again',
  },
  [JourneyErrors.stepNotOffered.code]: asUser('POST /issuer-apis/aravalli/v1/lead', {}),

  [EmailErrors.invalid.code]: { as: 'user', ...mail('nobody') },
  [EmailErrors.otpWrong.code]: { as: 'user', after: [mail('{email}')], ...verifyEmail('{email}', '654321') },
  [EmailErrors.otpExpired.code]: { as: 'user', ...verifyEmail('{email}', '123456') },
  [EmailErrors.tooManyOtps.code]: { as: 'user', ...mail('{email}'), times: 6 },
  [EmailErrors.belongsToAnotherUser.code]: {
    none: 'two users are needed: verify an address, log in with another phone and verify it again',
  },
  [EmailErrors.mailUnavailable.code]: { as: 'user', ...mail('asha.0503@example.com') },

  [PersonalDetailsErrors.missing.code]: details({}),
  [PersonalDetailsErrors.invalid.code]: details({ gender: 'X' }),
  [PersonalDetailsErrors.pincodeInvalid.code]: details({
    ...allDetails,
    communication_address: { ...allDetails.communication_address, pincode: '12' },
  }),
  [PersonalDetailsErrors.declarationMissing.code]: details(allDetails),

  [BankErrors.fieldMissing.code]: bank({ ifsc: undefined }),
  [BankErrors.accountInvalid.code]: bank({ account: '12345678' }),
  [BankErrors.ifscInvalid.code]: bank({ ifsc: 'ABCD1234567' }),
  [BankErrors.fullNameInvalid.code]: bank({ account_holder_full_name: 'A5HA' }),
  [BankErrors.firstNameInvalid.code]: bank({ account_holder_first_name: 'As#a' }),
  [BankErrors.holderDiffers.code]: bank({ account: '501000121055' }),
  [BankErrors.beneficiaryInvalid.code]: bank({ account: '501000121454' }),
  [GeneralErrors.tooManyRequests.code]: {
    none: 'more than 30 bank calls in a minute are needed, or 3000 calls of any kind',
  },
  [BankErrors.accountBlocked.code]: bank({ account: '501000120423' }),
  [BankErrors.unavailable.code]: bank({ account: '501000120503' }),
  [BankErrors.pending.code]: bank({ account: '501000120202' }),

  [NomineeErrors.nameInvalid.code]: nominate({ relationship: 'SISTER' }),
  [NomineeErrors.relationshipInvalid.code]: nominate({ ...nominee, relationship: 'PET' }),
  [NomineeErrors.birthDateInvalid.code]: nominate({ ...nominee, dob: '2999-01-01' }),
  [NomineeErrors.guardianMissing.code]: nominate({ ...nominee, dob: '2020-01-01' }),
  [NomineeErrors.guardianInvalid.code]: nominate({
    ...nominee,
    dob: '2020-01-01',
    guardian: { name: 'Ravi Joshi', relationship: 'FATHER', dob: '2015-01-01' },
  }),
  [NomineeErrors.tooMany.code]: nominate({
    nominees: ['Asha', 'Bina', 'Charu', 'Devi', 'Esha'].map((name) => ({
      ...nominee,
      name,
      share_percentage: 20,
    })),
  }),
  [NomineeErrors.sharesExceeded.code]: nominate({
    nominees: ['Asha', 'Bina'].map((name) => ({ ...nominee, name, share_percentage: 60 })),
  }),
  [NomineeErrors.required.code]: asUser('POST /api/v1/user-nominee?issuer_code=SAHCAP', {
    skip_nominee: true,
    declaration_accepted: true,
  }),
  [NomineeErrors.sharesIncomplete.code]: checkBookingAfter(nominate({ ...nominee, share_percentage: 60 })),
  [NomineeErrors.guardianAgeUnknown.code]: checkBookingAfter(
    nominate({ ...minor, guardian: { name: 'Asha Joshi', relationship: 'MOTHER' } }),
  ),
  [NomineeErrors.guardianIsNominee.code]: checkBookingAfter(
    nominate({ ...minor, guardian: { name: nominee.name, relationship: 'MOTHER', dob: '1980-04-21' } }),
  ),
  [NomineeErrors.tooManyForIssuer.code]: checkBookingAfter(
    nominate({ nominees: ['Asha', 'Bina'].map((name) => ({ ...nominee, name, share_percentage: 50 })) }),
  ),
  [NomineeErrors.isApplicant.code]: checkBookingAfter(
    verifyPan(),
    nominate({ name: '{full_name}', relationship: 'OTHER' }),
  ),
  [JourneyErrors.stepMissing.code]: { as: 'user', call: bookingCheck },

  [InsightErrors.personalDataRefused.code]: asUser('POST /api/v1/insights-tracking', {
    event_id: '{uuid}',
    event_name: 'FD_SELECTED',
    occurred_at: '{now}',
    properties: { note: '919999900001' },
  }),
  [GeneralErrors.requestUnreadable.code]: {
    ...asUser('POST /auth/api/v2/logout', { all_devices: false }),
    headers: { 'content-encoding': 'gzip' },
  },
  [GeneralErrors.routeUnknown.code]: { as: 'user', call: 'GET /nothing' },
  [IssuerErrors.unknown.code]: asUser('POST /issuer-apis/nobody/v2/check-etb', {}),
  [GeneralErrors.recordUnknown.code]: { as: 'user', call: `DELETE /api/v1/user-sessions/${NOBODYS_ID}` },
  [GeneralErrors.fieldInvalid.code]: asUser('POST /auth/api/v2/logout', { all_devices: 'yes' }),
  [JourneyErrors.stepLocked.code]: {
    none: 'only with the setting STRICT_JOURNEY, and then by a step before its turn',
  },
  [WebhookErrors.notGenuine.code]: { as: 'anonymous', call: 'POST /api/v1/webhooks/cashfree', body: {} },
  [IdempotencyErrors.callRunning.code]: { none: 'two calls with one Idempotency-Key have to meet' },
  [IdempotencyErrors.keyReused.code]: {
    as: 'user',
    after: [{ ...mail('nobody'), headers: { 'idempotency-key': 'one-key' } }],
    ...mail('somebody'),
    headers: { 'idempotency-key': 'one-key' },
  },
  [EventErrors.keyInvalid.code]: { as: 'anonymous', call: 'GET /partner/v1/events' },
  [EventErrors.cursorUnknown.code]: { none: 'the key of a backend is needed (events add-key)' },
  [GeneralErrors.internal.code]: { none: 'it is a defect' },
  [GeneralErrors.unavailable.code]: { none: 'PostgreSQL or Redis has to be down, or the service too busy' },

  [QuoteErrors.frequencyNotOffered.code]: quote('NILHFC', { payout_frequency: 'Yearly' }),
  [QuoteErrors.productTypeUnsupported.code]: quote('ARAVFIN', { product_type: 'RD' }),
  [ApiKeyErrors.missing.code]: { as: 'anonymous', call: 'GET /api/v1/issuers' },
  [ApiKeyErrors.invalid.code]: { as: 'anonymous', call: 'GET /api/v1/issuers', headers: { apikey: 'wrong' } },
  [MasterErrors.tooManyRequests.code]: {
    none: 'more calls in a minute are needed than RATE_LIMIT_PER_MINUTE allows an address, or its limit a key',
  },
  [QuoteErrors.tenureInvalid.code]: quote('ARAVFIN', { tenure: 'abc' }),
  [QuoteErrors.tenureOutOfRange.code]: quote('ARAVFIN', { tenure: '1' }),
  [QuoteErrors.amountInvalid.code]: quote('ARAVFIN', { investment_amount: 'abc' }),
  [QuoteErrors.amountOutOfRange.code]: quote('ARAVFIN', { investment_amount: '1' }),
  [QuoteErrors.frequencyUnknown.code]: quote('ARAVFIN', { payout_frequency: 'Weekly' }),
  [QuoteErrors.flagInvalid.code]: quote('ARAVFIN', { senior_citizen: 'maybe' }),
  [QuoteErrors.womenRateNotOffered.code]: quote('NILHFC', { women_citizen: 'true' }),
  [QuoteErrors.taxSaverNotOffered.code]: quote('ARAVFIN', { tax_saver: 'true' }),
  [QuoteErrors.noProduct.code]: quote('KAVSFB', { tax_saver: 'true', tenure: '400' }),
  [MasterErrors.issuerUnknown.code]: quote('NOBODY'),
  [MasterErrors.issuerIdInvalid.code]: { as: 'catalogue client', call: 'GET /detail/abc' },
  [FactSheetErrors.financialYearInvalid.code]: factSheet({ financial_year: '2026' }),
  [FactSheetErrors.financialYearOutside.code]: factSheet({ financial_year: '2019-20' }),
  [FactSheetErrors.declarationFormUnknown.code]: factSheet({ declaration_form: '16' }),
  [FactSheetErrors.declarationFormNotAccepted.code]: factSheet({ declaration_form: '15H' }),
  [FactSheetErrors.languageUnknown.code]: factSheet({ lang: 'fr' }),
  [FactSheetErrors.formatUnknown.code]: factSheet({ format: 'pdf' }),
  [FactSheetErrors.lawUnknown.code]: { none: 'the clock has to be before the first date on record' },
  [MasterErrors.requestUnreadable.code]: { as: 'catalogue client', call: 'GET /detail/%E0%A4%A' },
  [MasterErrors.routeUnknown.code]: { as: 'catalogue client', call: 'GET /nothing' },
  [MasterErrors.internal.code]: { none: 'it is a defect' },
  [MasterErrors.unavailable.code]: { none: 'PostgreSQL has to be down when the service starts' },
};

/** All codes in the order of the examples. */
export const ERROR_CODES = Object.keys(EXAMPLES) as ErrorCode[];
