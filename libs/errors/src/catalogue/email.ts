import type { CatalogueArea } from '../entry.js';

/** Email verification. */
export const emailErrors = {
  SVCUSER2501: {
    httpStatus: 400,
    token: 'EMAIL_INVALID',
    text: 'Email address is not valid',
    message: 'Enter a valid email address.',
    actor: 'CUSTOMER',
    retryable: false,
    trigger: 'email "nobody", or one whose part before the @ ends in 0505',
  },
  SVCUSER2503: {
    httpStatus: 400,
    token: 'EMAIL_OTP_WRONG',
    text: 'The code is wrong',
    message: 'The code is wrong. Tries left: {triesLeft}.',
    actor: 'CUSTOMER',
    retryable: false,
    trigger: 'otp 654321 after send-otp',
  },
  SVCUSER2504: {
    httpStatus: 400,
    token: 'EMAIL_OTP_EXPIRED',
    text: 'The code is not valid any more',
    message: 'The code has expired or was used. Ask for a new one.',
    actor: 'CUSTOMER',
    retryable: false,
    trigger: 'an email whose part before the @ ends in 0408, or a code used before',
  },
  SVCUSER2505: {
    httpStatus: 429,
    token: 'EMAIL_OTP_EXHAUSTED',
    text: 'Too many codes or wrong tries',
    message: 'Too many tries. Try again in {retryAfterSeconds} seconds.',
    actor: 'CUSTOMER',
    retryable: true,
    trigger: 'the sixth send to one address within 15 minutes',
  },
  SVCUSER2507: {
    httpStatus: 400,
    token: 'EMAIL_TAKEN',
    text: 'Email address belongs to another user',
    message: 'This email address belongs to another account.',
    actor: 'CUSTOMER',
    retryable: false,
    trigger: 'one address verified by a second user',
  },
  SVCUSER2508: {
    httpStatus: 503,
    token: 'MAIL_UNAVAILABLE',
    text: 'The mail could not be sent',
    message: 'We could not send the mail. Try again in a moment; this try was not counted.',
    actor: 'PROVIDER',
    retryable: true,
    trigger: 'an email whose part before the @ ends in 0503 or 0504',
  },
} as const satisfies CatalogueArea;
