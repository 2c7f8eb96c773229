import { defineErrors } from '../define-errors.js';

/** Bearer tokens, refresh tokens and sessions. */
export const SessionErrors = defineErrors({
  tokenMissing: {
    code: 'SVCUSER2101',
    httpStatus: 401,
    token: 'TOKEN_MISSING',
    text: 'Authorization is required',
    message: 'Log in to go on.',
    actor: 'FRONTEND',
    trigger: 'a call without Authorization',
  },
  tokenMalformed: {
    code: 'SVCUSER2102',
    httpStatus: 401,
    token: 'TOKEN_MALFORMED',
    text: 'Authorization is malformed',
    message: 'Log in to go on.',
    actor: 'FRONTEND',
    trigger: 'Authorization: Bearer abc',
  },
  tokenInvalid: {
    code: 'SVCUSER2103',
    httpStatus: 401,
    token: 'TOKEN_INVALID',
    text: 'The token is not valid',
    message: 'Log in again.',
    actor: 'FRONTEND',
    trigger: 'an access token whose signature was changed',
  },
  tokenExpired: {
    code: 'SVCUSER2104',
    httpStatus: 401,
    token: 'TOKEN_EXPIRED',
    text: 'The token has expired',
    message: 'Your session has to be refreshed.',
    actor: 'FRONTEND',
    trigger: 'an access token older than 15 minutes',
  },
  ended: {
    code: 'SVCUSER2105',
    httpStatus: 401,
    token: 'SESSION_REVOKED',
    text: 'The session has ended',
    message: 'You were logged out. Log in again.',
    trigger: 'an access token used after logout',
  },
  refreshTokenInvalid: {
    code: 'SVCUSER2106',
    httpStatus: 401,
    token: 'REFRESH_TOKEN_INVALID',
    text: 'The refresh token is not valid',
    message: 'Log in again.',
    trigger: 'refresh_token "abc"',
  },
  refreshTokenReused: {
    code: 'SVCUSER2107',
    httpStatus: 401,
    token: 'REFRESH_TOKEN_REUSED',
    text: 'The refresh token was used before',
    message: 'For your safety you were logged out. Log in again.',
    trigger: 'a refresh token used again more than 30 seconds after its first use',
  },
  unconfirmed: {
    code: 'SVCUSER2108',
    httpStatus: 403,
    token: 'ACCOUNT_UNCONFIRMED',
    text: 'The account of this phone must be confirmed first',
    message:
      'Confirm by PAN and date of birth that the account of this number is yours. If the number is new to you, start anew.',
    trigger:
      'with CONFIRM_LOGIN_AFTER_DAYS, the first call after so many days without a login; with SEPARATE_PARTNERS, the first call in the app of another partner',
  },
  confirmationWrong: {
    code: 'SVCUSER2109',
    token: 'ACCOUNT_CONFIRMATION_WRONG',
    text: 'PAN or date of birth is not that of the account',
    message: 'This is not the PAN and date of birth of the account. Tries left today: {triesLeft}.',
    trigger: 'an export, or with CONFIRM_LOGIN_AFTER_DAYS a confirmation, with another PAN',
  },
  confirmationsExhausted: {
    code: 'SVCUSER2110',
    httpStatus: 429,
    token: 'ACCOUNT_CONFIRMATIONS_EXHAUSTED',
    text: 'Too many confirmations of the account today',
    message: 'You tried too often. Try again tomorrow. If the number is new to you, you may start anew.',
    trigger: 'a fourth confirmation or export with another PAN or date of birth within a day',
  },
  nothingToConfirm: {
    code: 'SVCUSER2111',
    token: 'ACCOUNT_WITHOUT_PAN',
    text: 'The account has no verified PAN',
    message:
      'There is nothing by which you could confirm the account. Verify your PAN in the app in which you began, or start anew if the number is new to you.',
    trigger: 'with CONFIRM_LOGIN_AFTER_DAYS, an account without a verified PAN',
  },
  confirmed: {
    code: 'SVCUSER2112',
    token: 'ACCOUNT_CONFIRMED',
    text: 'The account of this session is in use',
    message:
      'This account is in use, so nothing can be started anew. If the number is new to you, ask our support.',
    actor: 'FRONTEND',
    trigger: 'starting anew in a usual session',
  },
  unshared: {
    code: 'SVCUSER2113',
    httpStatus: 403,
    token: 'ACCOUNT_NOT_SHARED',
    text: 'The account was begun with another partner and is not shared with this one',
    message: 'You began your account in another app. Agree to use it in this app too.',
    trigger:
      'with SEPARATE_PARTNERS, a call but a look in the app of another partner without the consent PARTNER_SHARING',
  },
  exportTooLarge: {
    code: 'SVCUSER2114',
    token: 'USER_DATA_TOO_LARGE',
    text: 'The data of the user is too large for this call',
    message: 'Your data is too large to be shown here. Ask our support for it.',
    actor: 'OPERATOR',
    trigger: 'an export of more than 4 MiB, such as of very many reported events',
  },
});
