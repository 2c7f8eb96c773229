import { defineErrors } from '../define-errors.js';

/** Bank account and its registration with the issuer. */
export const BankErrors = defineErrors({
  ifscInvalid: {
    code: 'SVCUSER1024',
    token: 'IFSC_INVALID',
    text: 'IFSC is malformed',
    message: 'Check the IFSC: 4 letters, a zero, 6 letters or digits.',
    trigger: 'ifsc ABCD1234567',
  },
  holderDiffers: {
    code: 'SVCUSER1055',
    token: 'ACCOUNT_HOLDER_MISMATCH',
    text: 'Account holder name does not match',
    message: "The name of the account holder differs from your PAN, or from the bank's records.",
    trigger: 'an account ending in 1055',
  },
  fieldMissing: {
    code: 'SVCUSER1196',
    token: 'BANK_FIELD_MISSING',
    text: 'A bank account field is required',
    message: 'Enter your account number and IFSC.',
    trigger: 'no ifsc',
  },
  accountInvalid: {
    code: 'SVCUSER1197',
    token: 'ACCOUNT_LENGTH',
    text: 'Account number must have 9 to 18 digits',
    message: 'An account number has 9 to 18 digits.',
    trigger: 'account 12345678',
  },
  firstNameInvalid: {
    code: 'SVCUSER1199',
    token: 'FIRST_NAME_INVALID',
    text: 'First name has characters that are not allowed',
    message: 'A first name has letters only.',
    trigger: 'account_holder_first_name "As#a"',
  },
  fullNameInvalid: {
    code: 'SVCUSER1234',
    token: 'FULL_NAME_INVALID',
    text: 'Full name must not contain digits',
    message: 'A name has no digits.',
    trigger: 'account_holder_full_name "A5HA"',
  },
  beneficiaryInvalid: {
    code: 'SVCUSER1454',
    token: 'BENEFICIARY_INVALID',
    text: 'The issuer reports an invalid beneficiary',
    message: 'The issuer does not accept this account. Use another one.',
    trigger: 'an account ending in 1454',
  },
  accountBlocked: {
    code: 'SVCUSER2752',
    token: 'ACCOUNT_BLOCKED',
    text: 'The account is frozen or closed',
    message: 'This account is frozen, closed or cannot be verified. Use another one.',
    trigger: 'an account ending in 0423, 0424, 0407 or 0409',
  },
  unavailable: {
    code: 'SVCUSER2753',
    httpStatus: 503,
    token: 'BANK_UNAVAILABLE',
    text: 'The bank is not available',
    message: 'Your bank cannot be reached. Try again in a moment.',
    actor: 'PROVIDER',
    trigger: 'an account ending in 0503 or 0504',
  },
  pending: {
    code: 'SVCUSER2754',
    httpStatus: 202,
    token: 'BANK_PENDING',
    text: 'The verification is still running',
    message: 'Your bank is still checking. This may take a moment.',
    actor: 'PROVIDER',
    trigger: 'an account ending in 0202',
  },
});
