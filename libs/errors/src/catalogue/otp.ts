import { defineErrors } from '../define-errors.js';

/** The form of a one-time code of any channel. */
export const OtpErrors = defineErrors({
  wrongLength: {
    code: 'SVCUSER1010',
    token: 'OTP_LENGTH',
    text: 'OTP must be 6 characters long',
    message: 'The code has 6 digits.',
    trigger: 'otp 12345',
  },
  notNumeric: {
    code: 'SVCUSER2014',
    token: 'OTP_NOT_NUMERIC',
    text: 'OTP must contain digits only',
    message: 'The code has digits only.',
    trigger: 'otp 12a456',
  },
  missing: {
    code: 'SVCUSER2015',
    token: 'OTP_MISSING',
    text: 'OTP is required',
    message: 'Enter the code.',
    trigger: 'no otp',
  },
});
