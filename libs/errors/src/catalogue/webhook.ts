import { defineErrors } from '../define-errors.js';

/** Webhooks of vendors. */
export const WebhookErrors = defineErrors({
  notGenuine: {
    code: 'SVCUSER2906',
    httpStatus: 401,
    token: 'WEBHOOK_NOT_GENUINE',
    text: 'The signature of the webhook is not valid',
    message: 'This webhook cannot be accepted.',
    actor: 'OPERATOR',
    trigger: 'POST /api/v1/webhooks/cashfree without a signature',
  },
});
