import { readdirSync } from 'node:fs';
import { errorOf } from './catalogue.js';
import { ERROR_CODES } from './examples.js';
import * as library from './index.js';

/** The published list; append only. A changed or removed line breaks clients that branch on it. */
const PUBLISHED: readonly (readonly [code: string, httpStatus: number, token: string])[] = [
  ['SVCUSER1208', 400, 'PHONE_INVALID'],
  ['SVCUSER1003', 400, 'PHONE_MALFORMED'],
  ['SVCUSER1010', 400, 'OTP_LENGTH'],
  ['SVCUSER1085', 400, 'PARTNER_UNKNOWN'],
  ['SVCUSER2001', 429, 'OTP_SENDS_EXHAUSTED'],
  ['SVCUSER2002', 429, 'OTP_SENDS_SUSPENDED'],
  ['SVCUSER2003', 503, 'SMS_UNAVAILABLE'],
  ['SVCUSER2010', 400, 'OTP_WRONG'],
  ['SVCUSER2011', 400, 'OTP_EXPIRED'],
  ['SVCUSER2013', 429, 'OTP_TRIES_EXHAUSTED'],
  ['SVCUSER2014', 400, 'OTP_NOT_NUMERIC'],
  ['SVCUSER2015', 400, 'OTP_MISSING'],
  ['SVCUSER2016', 400, 'CONSENT_REQUIRED'],
  ['SVCUSER2017', 400, 'PARTNER_URL_INVALID'],
  ['SVCUSER2018', 403, 'USER_BLOCKED'],
  ['SVCUSER2101', 401, 'TOKEN_MISSING'],
  ['SVCUSER2102', 401, 'TOKEN_MALFORMED'],
  ['SVCUSER2103', 401, 'TOKEN_INVALID'],
  ['SVCUSER2104', 401, 'TOKEN_EXPIRED'],
  ['SVCUSER2105', 401, 'SESSION_REVOKED'],
  ['SVCUSER2106', 401, 'REFRESH_TOKEN_INVALID'],
  ['SVCUSER2107', 401, 'REFRESH_TOKEN_REUSED'],
  ['SVCUSER2108', 403, 'ACCOUNT_UNCONFIRMED'],
  ['SVCUSER2109', 400, 'ACCOUNT_CONFIRMATION_WRONG'],
  ['SVCUSER2110', 429, 'ACCOUNT_CONFIRMATIONS_EXHAUSTED'],
  ['SVCUSER2111', 400, 'ACCOUNT_WITHOUT_PAN'],
  ['SVCUSER2112', 400, 'ACCOUNT_CONFIRMED'],
  ['SVCUSER2113', 403, 'ACCOUNT_NOT_SHARED'],
  ['SVCUSER2114', 400, 'USER_DATA_TOO_LARGE'],
  ['SVCUSER1036', 400, 'PAN_DUPLICATE'],
  ['SVCUSER2201', 400, 'PAN_MISSING'],
  ['SVCUSER2202', 400, 'PAN_LENGTH'],
  ['SVCUSER2203', 400, 'PAN_PATTERN'],
  ['SVCUSER2205', 400, 'PAN_NOT_FOUND'],
  ['SVCUSER2206', 400, 'PAN_NOT_VALID'],
  ['SVCUSER2208', 503, 'PAN_REGISTRY_UNAVAILABLE'],
  ['SVCUSER2209', 429, 'PAN_LOOKUPS_EXHAUSTED'],
  ['SVCUSER2210', 202, 'PAN_PENDING'],
  ['SVCUSER2211', 400, 'DOB_MISSING'],
  ['SVCUSER2212', 400, 'DOB_INVALID'],
  ['SVCUSER2213', 400, 'DOB_FUTURE'],
  ['SVCUSER2215', 400, 'DOB_MISMATCH'],
  ['SVCUSER2216', 400, 'PAN_DIFFERS'],
  ['SVCUSER2217', 400, 'PAN_NOT_OF_PERSON'],
  ['SVCUSER2218', 400, 'PAN_INOPERATIVE'],
  ['SVCUSER2219', 400, 'APPLICANT_MINOR'],
  ['SVCUSER2301', 400, 'CONSENT_MISSING'],
  ['SVCUSER2302', 400, 'CONSENT_REFUSED'],
  ['SVCUSER2303', 400, 'CONSENT_NOT_BOOLEAN'],
  ['SVCUSER2304', 400, 'CONSENT_WITHDRAWN'],
  ['SVCUSER2305', 400, 'CONSENT_PURPOSE_UNKNOWN'],
  ['SVCUSER2306', 400, 'CONSENT_NOTICE_OUTDATED'],
  ['SVCUSER2307', 400, 'NOTICE_LANGUAGE_UNKNOWN'],
  ['SVCUSER2308', 400, 'FACT_SHEET_HASH_INVALID'],
  ['SVCUSER2309', 400, 'FACT_SHEET_SIGNATURE_INVALID'],
  ['SVCUSER2310', 400, 'FACT_SHEET_NOT_SHOWN'],
  ['SVCUSER2402', 400, 'FLOW_UNSUPPORTED'],
  ['SVCUSER2403', 503, 'ISSUER_UNAVAILABLE'],
  ['SVCUSER2404', 503, 'EKYC_UNAVAILABLE'],
  ['SVCUSER2405', 400, 'EKYC_VERIFIED'],
  ['SVCUSER2411', 400, 'REDIRECTION_URL_INVALID'],
  ['SVCUSER2421', 400, 'AADHAAR_INVALID'],
  ['SVCUSER2422', 400, 'AADHAAR_NO_MOBILE'],
  ['SVCUSER2423', 429, 'AADHAAR_OTP_TOO_SOON'],
  ['SVCUSER2424', 400, 'AADHAAR_OTP_WRONG'],
  ['SVCUSER2426', 400, 'AADHAAR_OTP_EXPIRED'],
  ['SVCUSER2427', 400, 'AADHAAR_MISMATCH'],
  ['SVCUSER2428', 404, 'AADHAAR_OTP_SWITCHED_OFF'],
  ['SVCUSER2431', 400, 'LOCKER_CONSENT_DENIED'],
  ['SVCUSER2432', 400, 'LOCKER_NO_AADHAAR'],
  ['SVCUSER2433', 400, 'LOCKER_EXPIRED'],
  ['SVCUSER2434', 400, 'LOCKER_MISMATCH'],
  ['SVCUSER2441', 400, 'LEAD_UNKNOWN'],
  ['SVCUSER2442', 400, 'LEAD_EXPIRED'],
  ['SVCUSER2443', 404, 'STEP_NOT_OFFERED'],
  ['SVCUSER2501', 400, 'EMAIL_INVALID'],
  ['SVCUSER2503', 400, 'EMAIL_OTP_WRONG'],
  ['SVCUSER2504', 400, 'EMAIL_OTP_EXPIRED'],
  ['SVCUSER2505', 429, 'EMAIL_OTP_EXHAUSTED'],
  ['SVCUSER2507', 400, 'EMAIL_TAKEN'],
  ['SVCUSER2508', 503, 'MAIL_UNAVAILABLE'],
  ['SVCUSER2601', 400, 'DETAIL_MISSING'],
  ['SVCUSER2602', 400, 'DETAIL_INVALID'],
  ['SVCUSER2603', 400, 'PINCODE_INVALID'],
  ['SVCUSER2604', 400, 'DECLARATION_MISSING'],
  ['SVCUSER1196', 400, 'BANK_FIELD_MISSING'],
  ['SVCUSER1197', 400, 'ACCOUNT_LENGTH'],
  ['SVCUSER1024', 400, 'IFSC_INVALID'],
  ['SVCUSER1234', 400, 'FULL_NAME_INVALID'],
  ['SVCUSER1199', 400, 'FIRST_NAME_INVALID'],
  ['SVCUSER1055', 400, 'ACCOUNT_HOLDER_MISMATCH'],
  ['SVCUSER1454', 400, 'BENEFICIARY_INVALID'],
  ['SVCUSER1517', 429, 'RATE_LIMITED'],
  ['SVCUSER2752', 400, 'ACCOUNT_BLOCKED'],
  ['SVCUSER2753', 503, 'BANK_UNAVAILABLE'],
  ['SVCUSER2754', 202, 'BANK_PENDING'],
  ['SVCUSER2701', 400, 'NOMINEE_NAME_INVALID'],
  ['SVCUSER2702', 400, 'NOMINEE_RELATIONSHIP_INVALID'],
  ['SVCUSER2703', 400, 'NOMINEE_DOB_INVALID'],
  ['SVCUSER2704', 400, 'GUARDIAN_MISSING'],
  ['SVCUSER2705', 400, 'GUARDIAN_INVALID'],
  ['SVCUSER2706', 400, 'NOMINEES_TOO_MANY'],
  ['SVCUSER2707', 400, 'NOMINEE_SHARES_EXCEEDED'],
  ['SVCUSER2710', 400, 'NOMINEE_REQUIRED'],
  ['SVCUSER2711', 400, 'NOMINEE_SHARES_INCOMPLETE'],
  ['SVCUSER2712', 400, 'GUARDIAN_AGE_UNKNOWN'],
  ['SVCUSER2713', 400, 'GUARDIAN_IS_NOMINEE'],
  ['SVCUSER2714', 400, 'NOMINEES_TOO_MANY_FOR_ISSUER'],
  ['SVCINV165', 400, 'NOMINEE_IS_APPLICANT'],
  ['SVCINV2001', 400, 'STEP_MISSING'],
  ['SVCUSER2802', 400, 'EVENT_PROPERTY_REFUSED'],
  ['SVCUSER2900', 400, 'REQUEST_UNREADABLE'],
  ['SVCUSER2901', 404, 'ROUTE_UNKNOWN'],
  ['SVCUSER2902', 404, 'ISSUER_UNKNOWN'],
  ['SVCUSER2903', 404, 'RECORD_UNKNOWN'],
  ['SVCUSER2904', 400, 'FIELD_INVALID'],
  ['SVCUSER2905', 409, 'STEP_LOCKED'],
  ['SVCUSER2906', 401, 'WEBHOOK_NOT_GENUINE'],
  ['SVCUSER2911', 409, 'IDEMPOTENT_CALL_RUNNING'],
  ['SVCUSER2912', 422, 'IDEMPOTENCY_KEY_REUSED'],
  ['SVCUSER2921', 401, 'BACKEND_KEY_INVALID'],
  ['SVCUSER2922', 400, 'EVENT_CURSOR_UNKNOWN'],
  ['SVCUSER2990', 500, 'INTERNAL'],
  ['SVCUSER2991', 503, 'TEMPORARILY_UNAVAILABLE'],
  ['SVCMAS005', 400, 'FREQUENCY_NOT_OFFERED'],
  ['SVCMAS0109', 400, 'PRODUCT_TYPE_UNSUPPORTED'],
  ['SVCMAS2001', 401, 'API_KEY_MISSING'],
  ['SVCMAS2002', 401, 'API_KEY_INVALID'],
  ['SVCMAS2003', 429, 'RATE_LIMITED'],
  ['SVCMAS2101', 400, 'TENURE_INVALID'],
  ['SVCMAS2102', 400, 'TENURE_OUT_OF_RANGE'],
  ['SVCMAS2103', 400, 'AMOUNT_INVALID'],
  ['SVCMAS2104', 400, 'AMOUNT_OUT_OF_RANGE'],
  ['SVCMAS2105', 400, 'FREQUENCY_UNKNOWN'],
  ['SVCMAS2106', 400, 'FLAG_INVALID'],
  ['SVCMAS2107', 400, 'WOMEN_RATE_NOT_OFFERED'],
  ['SVCMAS2108', 400, 'TAX_SAVER_NOT_OFFERED'],
  ['SVCMAS2109', 400, 'NO_PRODUCT'],
  ['SVCMAS2201', 404, 'ISSUER_UNKNOWN'],
  ['SVCMAS2202', 400, 'ISSUER_ID_INVALID'],
  ['SVCMAS2301', 400, 'FINANCIAL_YEAR_INVALID'],
  ['SVCMAS2302', 400, 'FINANCIAL_YEAR_OUTSIDE'],
  ['SVCMAS2303', 400, 'DECLARATION_FORM_UNKNOWN'],
  ['SVCMAS2304', 400, 'DECLARATION_FORM_NOT_ACCEPTED'],
  ['SVCMAS2305', 400, 'LANGUAGE_UNKNOWN'],
  ['SVCMAS2306', 400, 'FORMAT_UNKNOWN'],
  ['SVCMAS2307', 400, 'LAW_UNKNOWN'],
  ['SVCMAS2900', 400, 'REQUEST_UNREADABLE'],
  ['SVCMAS2901', 404, 'ROUTE_UNKNOWN'],
  ['SVCMAS2990', 500, 'INTERNAL'],
  ['SVCMAS2991', 503, 'TEMPORARILY_UNAVAILABLE'],
];

/** Texts that the published interface fixes. */
const PUBLISHED_TEXTS = {
  SVCUSER1208: 'enter a valid mobile number',
  SVCUSER1003: 'Invalid phone number',
  SVCUSER1010: 'OTP must be 6 characters long',
  SVCUSER1085: 'partner public key not found',
  SVCUSER1036: 'Duplicate Pan found',
} as const;

/** The groups by name, as other projects import them. */
const GROUPS = Object.entries(library).flatMap(([name, group]) =>
  name.endsWith('Errors') ? [Object.values(group as Record<string, library.ErrorDefinition>)] : [],
);

describe('the error catalogue', () => {
  it('reads the code of a newer release as one that another replica can answer', () => {
    expect(errorOf('SVCUSER2999' as (typeof ERROR_CODES)[number])).toBe(library.GeneralErrors.unavailable);
  });

  it('keeps every published code with its status and token', () => {
    expect(ERROR_CODES.map((code) => [code, errorOf(code).httpStatus, errorOf(code).token])).toEqual(
      PUBLISHED,
    );
  });

  it('exports the group of every area and names no code twice', () => {
    expect(GROUPS).toHaveLength(readdirSync(`${import.meta.dirname}/catalogue`).length);
    const codes = GROUPS.flatMap((group) => group.map(({ code }) => code));
    expect(codes.toSorted()).toEqual(ERROR_CODES.toSorted());
  });

  it('keeps the exact texts of the interface', () => {
    for (const [code, text] of Object.entries(PUBLISHED_TEXTS)) {
      expect(errorOf(code as keyof typeof PUBLISHED_TEXTS).text).toBe(text);
    }
  });

  it('does not use two codes without a published meaning', () => {
    expect(ERROR_CODES).not.toEqual(expect.arrayContaining(['SVCUSER1023']));
    expect(ERROR_CODES).not.toEqual(expect.arrayContaining(['SVCUSER1220']));
  });

  it.each(ERROR_CODES.map((code) => [errorOf(code).text, code] as const))(
    'completes every field of the entry: %s',
    (_, code) => {
      const error = errorOf(code);
      expect(error.code).toBe(code);
      expect(error.token).toMatch(/^[A-Z][A-Z0-9_]+$/);
      expect(error.text.length).toBeGreaterThan(3);
      expect(error.message).toMatch(/[.]$/);
      expect(error.trigger.length).toBeGreaterThan(3);
      // a refusal that may succeed later needs a status that says so
      expect(error.retryable).toBe([202, 409, 429, 503].includes(error.httpStatus));
    },
  );
});
