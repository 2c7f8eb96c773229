import { defineErrors } from '../define-errors.js';

/** Personal details. */
export const PersonalDetailsErrors = defineErrors({
  missing: {
    code: 'SVCUSER2601',
    token: 'DETAIL_MISSING',
    text: 'A required detail is missing',
    message: 'Fill in this field.',
    trigger: 'a new user, no gender',
  },
  invalid: {
    code: 'SVCUSER2602',
    token: 'DETAIL_INVALID',
    text: 'A detail has a value that is not accepted',
    message: 'Check this field, or choose one of the values offered.',
    trigger: 'gender "X"',
  },
  pincodeInvalid: {
    code: 'SVCUSER2603',
    token: 'PINCODE_INVALID',
    text: 'Pincode must have 6 digits',
    message: 'Enter a pincode of 6 digits.',
    trigger: 'pincode 12',
  },
  declarationMissing: {
    code: 'SVCUSER2604',
    token: 'DECLARATION_MISSING',
    text: 'A declaration was not accepted',
    message: 'Accept the declaration to go on.',
    trigger: 'a new user, no declarations',
  },
});
