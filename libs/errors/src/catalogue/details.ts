import type { CatalogueArea } from '../entry.js';

/** Personal details. */
export const detailsErrors = {
  SVCUSER2601: {
    httpStatus: 400,
    token: 'DETAIL_MISSING',
    text: 'A required detail is missing',
    message: 'Fill in this field.',
    actor: 'CUSTOMER',
    retryable: false,
    trigger: 'a new user, no gender',
  },
  SVCUSER2602: {
    httpStatus: 400,
    token: 'DETAIL_INVALID',
    text: 'A detail has a value that is not accepted',
    message: 'Check this field, or choose one of the values offered.',
    actor: 'CUSTOMER',
    retryable: false,
    trigger: 'gender "X"',
  },
  SVCUSER2603: {
    httpStatus: 400,
    token: 'PINCODE_INVALID',
    text: 'Pincode must have 6 digits',
    message: 'Enter a pincode of 6 digits.',
    actor: 'CUSTOMER',
    retryable: false,
    trigger: 'pincode 12',
  },
  SVCUSER2604: {
    httpStatus: 400,
    token: 'DECLARATION_MISSING',
    text: 'A declaration was not accepted',
    message: 'Accept the declaration to go on.',
    actor: 'CUSTOMER',
    retryable: false,
    trigger: 'a new user, no declarations',
  },
} as const satisfies CatalogueArea;
