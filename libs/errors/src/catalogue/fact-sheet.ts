import { defineErrors } from '../define-errors.js';

/** Parameters of a fact sheet beyond those of a quote. */
export const FactSheetErrors = defineErrors({
  financialYearInvalid: {
    code: 'SVCMAS2301',
    token: 'FINANCIAL_YEAR_INVALID',
    text: 'financial_year must be two years that follow each other, such as 2026-27',
    message: 'Choose a financial year.',
    actor: 'FRONTEND',
    trigger: 'financial_year 2026',
  },
  financialYearOutside: {
    code: 'SVCMAS2302',
    token: 'FINANCIAL_YEAR_OUTSIDE',
    text: 'The deposit earns no interest in financial_year',
    message: 'Choose a financial year in which the deposit earns interest.',
    trigger: 'financial_year 2019-20',
  },
  declarationFormUnknown: {
    code: 'SVCMAS2303',
    token: 'DECLARATION_FORM_UNKNOWN',
    text: 'declaration_form must be 15G, 15H or 121',
    message: 'Choose the form that you have handed in.',
    actor: 'FRONTEND',
    trigger: 'declaration_form 16',
  },
  declarationFormNotAccepted: {
    code: 'SVCMAS2304',
    token: 'DECLARATION_FORM_NOT_ACCEPTED',
    text: 'declaration_form is not accepted in these years',
    message: 'This form is not accepted in the years of your deposit.',
    trigger: 'declaration_form 15H for a deposit of today: Form 121 has replaced it',
  },
  languageUnknown: {
    code: 'SVCMAS2305',
    token: 'LANGUAGE_UNKNOWN',
    text: 'lang must be en or hi',
    message: 'Choose a language.',
    actor: 'FRONTEND',
    trigger: 'lang fr',
  },
  formatUnknown: {
    code: 'SVCMAS2306',
    token: 'FORMAT_UNKNOWN',
    text: 'format must be json or html',
    message: 'Choose a format.',
    actor: 'FRONTEND',
    trigger: 'format pdf',
  },
  lawUnknown: {
    code: 'SVCMAS2307',
    token: 'LAW_UNKNOWN',
    text: 'No law is on record for this date',
    message: 'We have no tax and deposit rules for this date.',
    actor: 'OPERATOR',
    trigger: 'none: a date before the first one on record',
  },
});
