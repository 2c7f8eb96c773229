import { defineErrors } from '../define-errors.js';

/** Nominees, their guardians and shares. */
export const NomineeErrors = defineErrors({
  nameInvalid: {
    code: 'SVCUSER2701',
    token: 'NOMINEE_NAME_INVALID',
    text: 'Nominee name is missing or not valid',
    message: 'Enter the name of your nominee.',
    trigger: 'no name',
  },
  relationshipInvalid: {
    code: 'SVCUSER2702',
    token: 'NOMINEE_RELATIONSHIP_INVALID',
    text: 'Nominee relationship is missing or not offered',
    message: 'Choose how your nominee is related to you.',
    trigger: 'relationship "PET"',
  },
  birthDateInvalid: {
    code: 'SVCUSER2703',
    token: 'NOMINEE_DOB_INVALID',
    text: 'Nominee date of birth is not valid',
    message: 'Enter the date of birth of your nominee.',
    trigger: 'dob 2999-01-01',
  },
  guardianMissing: {
    code: 'SVCUSER2704',
    token: 'GUARDIAN_MISSING',
    text: 'A minor nominee needs a guardian',
    message: 'Your nominee is under 18: name a guardian.',
    trigger: 'a nominee under 18 without guardian',
  },
  guardianInvalid: {
    code: 'SVCUSER2705',
    token: 'GUARDIAN_INVALID',
    text: 'The guardian is not valid',
    message: 'Check the details of the guardian.',
    trigger: 'a guardian under 18',
  },
  tooMany: {
    code: 'SVCUSER2706',
    token: 'NOMINEES_TOO_MANY',
    text: 'At most 4 nominees',
    message: 'You can name up to 4 nominees.',
    trigger: 'a fifth nominee',
  },
  sharesExceeded: {
    code: 'SVCUSER2707',
    token: 'NOMINEE_SHARES_EXCEEDED',
    text: 'Shares add up to more than 100',
    message: 'The shares add up to more than 100.',
    trigger: 'two nominees of 60 each',
  },
  required: {
    code: 'SVCUSER2710',
    token: 'NOMINEE_REQUIRED',
    text: 'This issuer requires a nominee',
    message: 'This issuer needs a nominee.',
    trigger: 'skip_nominee for sahyadri',
  },
  sharesIncomplete: {
    code: 'SVCUSER2711',
    token: 'NOMINEE_SHARES_INCOMPLETE',
    text: 'Shares add up to less than 100',
    message: 'The shares of your nominees must add up to 100.',
    trigger: 'one nominee of 60, then the booking check',
  },
  isApplicant: {
    code: 'SVCINV165',
    token: 'NOMINEE_IS_APPLICANT',
    text: "Nominee name is the applicant's name",
    message: 'Your nominee must be another person.',
    trigger: 'a nominee named like the PAN holder, then the booking check',
  },
});
