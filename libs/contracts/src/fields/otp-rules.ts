import { OtpErrors } from '@fd/errors';
import { type Check, isGiven } from './checks.decorator.js';

/** Rules of a one-time code, which is text: leading zeros matter. */
export const OTP_RULES: readonly Check[] = [
  [OtpErrors.missing, isGiven],
  [OtpErrors.wrongLength, (value) => !isGiven(value) || (typeof value === 'string' && value.length === 6)],
  [
    OtpErrors.notNumeric,
    (value) => typeof value !== 'string' || value.length !== 6 || /^[0-9]{6}$/.test(value),
  ],
];

export const OTP_SCHEMA = { type: String, minLength: 6, maxLength: 6, example: '123456' } as const;
