import { defineErrors } from '../define-errors.js';

/** Leads at the issuer. */
export const LeadErrors = defineErrors({
  unknown: {
    code: 'SVCUSER2441',
    token: 'LEAD_UNKNOWN',
    text: 'The lead is not known',
    message: 'Start again.',
    actor: 'FRONTEND',
    trigger: 'an unknown lead_id',
  },
  expired: {
    code: 'SVCUSER2442',
    token: 'LEAD_EXPIRED',
    text: 'The lead has expired',
    message: 'This took too long. Start again.',
    trigger: 'a lead_id more than 7 days old',
  },
});
