/** Valid bodies for the played APIs, with fields that a test sets. */
export const PAN_PATH = '/providers/pan/verifications';
export const aPanVerification = (pan = 'ABCPR1234K') => ({
  pan,
  date_of_birth: '1990-05-23',
  consent: { given: true, purpose: 'KYC' },
});

export const BANK_PATH = '/providers/bank/account-verifications';
export const aBankVerification = (changes: { account_number?: string; ifsc?: string } = {}) => ({
  account_number: '501000121234',
  ifsc: 'HDFC0001234',
  holder_name: 'Asha Kumari Rao',
  ...changes,
});

export const AADHAAR = '234567812346';
export const AADHAAR_PATH = '/providers/aadhaar/otp';
export const anOtpRequest = (aadhaar = AADHAAR) => ({ aadhaar_number: aadhaar, consent: true });

export const aSearch = (pan = 'ABCPR1234K') => ({
  pan,
  date_of_birth: '1990-05-23',
  mobile: '919812345678',
});

export const aRegistration = (account = '501000121234') => ({
  beneficiary_name: 'Asha Rao',
  account_no: account,
  ifsc: 'HDFC0001234',
  customer_ref: 'user-1',
});

export const aLead = (reference = 'lead-1') => ({
  reference,
  amount: '50000',
  tenure_days: 365,
  payout: 'CUMULATIVE',
  source: null,
  campaign: null,
});

const cbs = (body: object) => ({ header: { channel: 'FD', txnRef: 'txn-1' }, body });

export const anEnquiry = (pan = 'ABCPR1234K') =>
  cbs({ panNumber: pan, birthDate: '23-05-1990', mobileNumber: '+919812345678' });

export const anAddition = (account = '501000121234') =>
  cbs({ benName: 'Asha Rao', benAcctNo: account, benIfsc: 'HDFC0001234', custRef: 'user-1' });

export const aStatusQuery = (ackNo: string) => cbs({ ackNo });
