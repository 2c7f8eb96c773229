import { defineErrors } from '../define-errors.js';

/** Events that frontends report. */
export const InsightErrors = defineErrors({
  personalDataRefused: {
    code: 'SVCUSER2802',
    token: 'EVENT_PROPERTY_REFUSED',
    text: 'An event property looks like personal data',
    message: 'Events must not carry personal data.',
    actor: 'FRONTEND',
    trigger: 'an event property holding a phone number',
  },
});
