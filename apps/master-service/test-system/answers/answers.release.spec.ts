import { describeRecordedAnswers } from '@fd/fuzzing';
import { ISSUERS } from '../../test/support/issuers.js';
import { startBuilt } from './built-service.js';
import { callLists } from './call-lists.js';

describeRecordedAnswers({
  app: 'master-service',
  folder: import.meta.dirname,
  lists: callLists,
  start: startBuilt,
  // of the usual day; the other times are the catalogue's
  form: { times: /\b2026-06-10T[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, fixedIds: /^6f1c2a34-/ },
  pools: {
    issuer_code: Object.values(ISSUERS).map(({ code }) => code),
    issuer_uuid: Object.values(ISSUERS).map(({ id }) => id),
    tenure: ['365', '730', '1825'],
    amount: ['5000', '100000'],
    investment_amount: ['5000', '100000'],
    product_type: ['FD'],
    financial_year: ['2026-27', '2027-28'],
    declaration_form: ['121'],
    lang: ['en', 'hi'],
    format: ['json', 'html'],
  },
});
