import type { ErrorCode } from './catalogue.js';
import type { Provocation } from './example.js';

const NOBODYS_ID = '0198c0de-0000-7000-8000-000000000000';

const register = (phone = '{phone}') => ({ call: 'POST /auth/register', body: { phone } }) as const;

const login = { phone: '{phone}', otp: '123456', partner_url: 'https://app.partner.example', consent: true };
const verify = (body: object) =>
  ({ as: 'nobody', call: 'POST /auth/api/v2/register/verify', body: { ...login, ...body } }) as const;

const pan = { number: '{pan}', dob: '1990-04-21', consent_checked: true };
const verifyPan = (body: object = {}) =>
  ({ as: 'user', call: 'POST /api/v1/pan-verification', body: { ...pan, ...body } }) as const;

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

const details = (body: object) =>
  ({ as: 'user', call: 'POST /api/v1/personal-details?issuer_code=ARAVFIN', body }) as const;

/** All that the issuer asks for, but no declaration. */
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
const nominate = (body: object) => ({ as: 'user', call: 'POST /api/v1/user-nominee', body }) as const;
const bookingCheck = 'GET /issuer-apis/aravalli/v1/booking-check';

const deposit = {
  tenure: '730',
  investment_amount: '100000',
  payout_frequency: 'Maturity',
  senior_citizen: 'false',
  women_citizen: 'false',
  tax_saver: 'false',
  product_type: 'FD',
};
const quote = (issuer: string, terms: object = {}) => {
  const query = Object.entries({ ...deposit, ...terms }).map(([name, value]) => `${name}=${String(value)}`);
  return {
    as: 'catalogue client',
    call: `GET /api/v1/detail/maturity-amount/${issuer}?${query.join('&')}`,
  } as const;
};

/** How each code is provoked against the sandbox. A test makes the calls. */
export const EXAMPLES: Readonly<Record<ErrorCode, Provocation>> = {
  SVCUSER1208: { as: 'nobody', ...register('9999900001') },
  SVCUSER1003: { as: 'nobody', ...register('91999') },
  SVCUSER1010: verify({ otp: '12345' }),
  SVCUSER1085: verify({ partner_url: 'https://nobody.example' }),
  SVCUSER2001: { as: 'nobody', ...register(), times: 6 },
  SVCUSER2002: { none: 'the limits for a network and a number range are off unless they are set' },
  SVCUSER2003: { as: 'nobody', ...register('919876540503') },
  SVCUSER2010: { ...verify({ otp: '654321' }), after: [register()] },
  SVCUSER2011: verify({}),
  SVCUSER2013: { ...verify({ otp: '654321' }), after: [register()], times: 6 },
  SVCUSER2014: verify({ otp: '12a456' }),
  SVCUSER2015: verify({ otp: undefined }),
  SVCUSER2016: verify({ consent: false }),
  SVCUSER2017: verify({ partner_url: 'partner' }),

  SVCUSER2101: { as: 'nobody', call: 'GET /api/v1/user-profile' },
  SVCUSER2102: { as: 'nobody', call: 'GET /api/v1/user-profile', headers: { authorization: 'Bearer abc' } },
  SVCUSER2103: { none: 'change a letter in the last part of an access token' },
  SVCUSER2104: { none: 'wait 15 minutes: for that long an access token is valid' },
  SVCUSER2105: {
    as: 'user',
    after: [{ call: 'POST /auth/api/v2/logout', body: {} }],
    call: 'GET /api/v1/user-profile',
  },
  SVCUSER2106: { as: 'nobody', call: 'POST /auth/api/v2/token/refresh', body: { refresh_token: 'abc' } },
  SVCUSER2107: { none: 'wait 30 seconds after a refresh, then use the old refresh token again' },

  SVCUSER1036: { none: 'two users are needed: verify a PAN, log in with another phone and verify it again' },
  SVCUSER2201: verifyPan({ number: undefined }),
  SVCUSER2202: verifyPan({ number: 'ABCDE1234' }),
  SVCUSER2203: verifyPan({ number: 'abcde1234f' }),
  SVCUSER2205: verifyPan({ number: 'ABCPR0404K' }),
  SVCUSER2206: verifyPan({ number: 'ABCPR0410K' }),
  SVCUSER2208: verifyPan({ number: 'ABCPR0503K' }),
  SVCUSER2209: { none: 'eleven PANs that nobody has verified are needed within a day' },
  SVCUSER2211: verifyPan({ dob: undefined }),
  SVCUSER2212: verifyPan({ dob: '2001-02-30' }),
  SVCUSER2213: verifyPan({ dob: '2999-01-01' }),
  SVCUSER2215: verifyPan({ number: 'ABCPR0406K' }),
  SVCUSER2216: { ...verifyPan(), as: 'verified user' },
  SVCUSER2301: verifyPan({ consent_checked: undefined }),
  SVCUSER2302: verifyPan({ consent_checked: false }),
  SVCUSER2303: verifyPan({ consent_checked: 'true' }),

  SVCUSER2402: { as: 'user', call: 'POST /issuer-apis/aravalli/v2/check-etb', body: { flowId: 'XX' } },
  SVCUSER2403: {
    as: 'user',
    after: [verifyPan({ number: '{pan 0603}' })],
    call: 'POST /issuer-apis/aravalli/v2/check-etb',
    body: {},
  },
  SVCUSER2404: { as: 'user', ...sendAadhaarCode('234567805032') },
  SVCUSER2405: { none: 'the eKYC has to be verified first, on its page or with a code' },
  SVCUSER2411: {
    as: 'user',
    call: 'POST /issuer-apis/aravalli/v3/check-status',
    body: { redirection_url: 'http://app.example' },
  },
  SVCUSER2421: { as: 'user', ...sendAadhaarCode('123412341234') },
  SVCUSER2422: { as: 'user', ...sendAadhaarCode('234567804229') },
  SVCUSER2423: { as: 'user', ...sendAadhaarCode('{aadhaar}'), times: 2 },
  SVCUSER2424: { as: 'user', after: [sendAadhaarCode('{aadhaar}')], ...verifyAadhaarCode('000000') },
  SVCUSER2426: { as: 'user', after: [sendAadhaarCode('234567804083')], ...verifyAadhaarCode('{code}') },
  SVCUSER2427: {
    as: 'verified user',
    after: [sendAadhaarCode('234567804272')],
    ...verifyAadhaarCode('{code}'),
  },
  SVCUSER2431: { none: 'choose deny on the page of a locker session, then ask for the session' },
  SVCUSER2432: { none: 'choose no Aadhaar on the page of a locker session, then ask for the session' },
  SVCUSER2433: { none: 'choose expired on the page of a locker session, then ask for the session' },
  SVCUSER2434: { none: 'choose another person on the page of a locker session, then ask for the session' },
  SVCUSER2441: {
    as: 'user',
    call: 'POST /issuer-apis/sahyadri/v1/kyc-context',
    body: { lead_id: NOBODYS_ID },
  },
  SVCUSER2442: { none: 'wait 7 days: for that long a lead is open' },
  SVCUSER2443: { as: 'user', call: 'POST /issuer-apis/aravalli/v1/lead', body: {} },

  SVCUSER2501: { as: 'user', ...mail('nobody') },
  SVCUSER2503: { as: 'user', after: [mail('{email}')], ...verifyEmail('{email}', '654321') },
  SVCUSER2504: { as: 'user', ...verifyEmail('{email}', '123456') },
  SVCUSER2505: { as: 'user', ...mail('{email}'), times: 6 },
  SVCUSER2507: {
    none: 'two users are needed: verify an address, log in with another phone and verify it again',
  },
  SVCUSER2508: { as: 'user', ...mail('asha.0503@example.com') },

  SVCUSER2601: details({}),
  SVCUSER2602: details({ gender: 'X' }),
  SVCUSER2603: details({
    ...allDetails,
    communication_address: { ...allDetails.communication_address, pincode: '12' },
  }),
  SVCUSER2604: details(allDetails),

  SVCUSER1196: bank({ ifsc: undefined }),
  SVCUSER1197: bank({ account: '12345678' }),
  SVCUSER1024: bank({ ifsc: 'ABCD1234567' }),
  SVCUSER1234: bank({ account_holder_full_name: 'A5HA' }),
  SVCUSER1199: bank({ account_holder_first_name: 'As#a' }),
  SVCUSER1055: bank({ account: '501000121055' }),
  SVCUSER1454: bank({ account: '501000121454' }),
  SVCUSER1517: { none: 'more than 30 bank calls in a minute are needed, or 3000 calls of any kind' },
  SVCUSER2752: bank({ account: '501000120423' }),
  SVCUSER2753: bank({ account: '501000120503' }),
  SVCUSER2754: bank({ account: '501000120202' }),

  SVCUSER2701: nominate({ relationship: 'SISTER' }),
  SVCUSER2702: nominate({ ...nominee, relationship: 'PET' }),
  SVCUSER2703: nominate({ ...nominee, dob: '2999-01-01' }),
  SVCUSER2704: nominate({ ...nominee, dob: '2020-01-01' }),
  SVCUSER2705: nominate({
    ...nominee,
    dob: '2020-01-01',
    guardian: { name: 'Ravi Joshi', relationship: 'FATHER', dob: '2015-01-01' },
  }),
  SVCUSER2706: nominate({
    nominees: ['Asha', 'Bina', 'Charu', 'Devi', 'Esha'].map((name) => ({
      ...nominee,
      name,
      share_percentage: 20,
    })),
  }),
  SVCUSER2707: nominate({
    nominees: ['Asha', 'Bina'].map((name) => ({ ...nominee, name, share_percentage: 60 })),
  }),
  SVCUSER2710: {
    as: 'user',
    call: 'POST /api/v1/user-nominee?issuer_code=SAHCAP',
    body: { skip_nominee: true, declaration_accepted: true },
  },
  SVCUSER2711: { as: 'user', after: [nominate({ ...nominee, share_percentage: 60 })], call: bookingCheck },
  SVCINV165: {
    as: 'user',
    after: [verifyPan(), nominate({ name: '{full_name}', relationship: 'OTHER' })],
    call: bookingCheck,
  },
  SVCINV2001: { as: 'user', call: bookingCheck },

  SVCUSER2802: {
    as: 'user',
    call: 'POST /api/v1/insights-tracking',
    body: {
      event_id: '{uuid}',
      event_name: 'FD_SELECTED',
      occurred_at: '{now}',
      properties: { note: '919999900001' },
    },
  },
  SVCUSER2901: { as: 'user', call: 'GET /nothing' },
  SVCUSER2902: { as: 'user', call: 'POST /issuer-apis/nobody/v2/check-etb', body: {} },
  SVCUSER2903: { as: 'user', call: `DELETE /api/v1/user-sessions/${NOBODYS_ID}` },
  SVCUSER2904: { as: 'user', call: 'POST /auth/api/v2/logout', body: { all_devices: 'yes' } },
  SVCUSER2905: { none: 'only with the setting STRICT_JOURNEY, and then by a step before its turn' },
  SVCUSER2911: { none: 'two calls with one Idempotency-Key have to meet' },
  SVCUSER2912: {
    as: 'user',
    after: [{ ...mail('nobody'), headers: { 'idempotency-key': 'one-key' } }],
    ...mail('somebody'),
    headers: { 'idempotency-key': 'one-key' },
  },
  SVCUSER2990: { none: 'it is a defect' },
  SVCUSER2991: { none: 'PostgreSQL or Redis has to be away, or the service too busy' },

  SVCMAS005: quote('NILHFC', { payout_frequency: 'Yearly' }),
  SVCMAS0109: quote('ARAVFIN', { product_type: 'RD' }),
  SVCMAS2001: { as: 'nobody', call: 'GET /api/v1/issuers' },
  SVCMAS2002: { as: 'nobody', call: 'GET /api/v1/issuers', headers: { apikey: 'wrong' } },
  SVCMAS2003: { none: 'more calls in a minute are needed than the setting RATE_LIMIT_PER_MINUTE allows' },
  SVCMAS2101: quote('ARAVFIN', { tenure: 'abc' }),
  SVCMAS2102: quote('ARAVFIN', { tenure: '1' }),
  SVCMAS2103: quote('ARAVFIN', { investment_amount: 'abc' }),
  SVCMAS2104: quote('ARAVFIN', { investment_amount: '1' }),
  SVCMAS2105: quote('ARAVFIN', { payout_frequency: 'Weekly' }),
  SVCMAS2106: quote('ARAVFIN', { senior_citizen: 'maybe' }),
  SVCMAS2107: quote('NILHFC', { women_citizen: 'true' }),
  SVCMAS2108: quote('ARAVFIN', { tax_saver: 'true' }),
  SVCMAS2109: quote('KAVSFB', { tax_saver: 'true', tenure: '400' }),
  SVCMAS2201: quote('NOBODY'),
  SVCMAS2202: { as: 'catalogue client', call: 'GET /detail/abc' },
  SVCMAS2901: { as: 'catalogue client', call: 'GET /nothing' },
  SVCMAS2990: { none: 'it is a defect' },
  SVCMAS2991: { none: 'PostgreSQL has to be away when the service starts' },
};
