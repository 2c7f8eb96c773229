import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Webhook } from '../vendor-webhooks.service.js';

/**
 * A webhook of Cashfree, signed with the secret of the client that made the call.
 * @param headers of that call
 */
export const cashfreeWebhook = (
  event_type: string,
  version: string,
  data: object,
  headers: IncomingHttpHeaders,
  now: () => Date,
): Webhook => ({
  provider: 'cashfree',
  body: { event_type, event_time: now().toISOString(), version, data },
  headersFor: (text) => {
    const timestamp = String(now().getTime());
    const signer = createHmac('sha256', String(headers['x-client-secret']));
    const signature = signer.update(`${timestamp}${text}`).digest('base64');
    return { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature };
  },
});
