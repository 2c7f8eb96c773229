import { describeRecordedAnswers } from '@fd/fuzzing';
import { ISSUER_CODES, ISSUER_SLUGS } from '../../test/support/issuers.js';
import { callLists } from './call-lists.js';
import { startBuilt } from './built-service.js';

describeRecordedAnswers({
  app: 'users-service',
  folder: import.meta.dirname,
  lists: callLists,
  start: startBuilt,
  form: { times: /\b20(?:2[6-9]|[3-9]\d)-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?/g },
  pools: {
    issuer_slug: ISSUER_SLUGS,
    issuer_code: Object.values(ISSUER_CODES),
    partner_url: ['https://app.partner.example'],
    otp: ['123456', '000000'],
    ifsc: ['HDFC0001234'],
  },
});
