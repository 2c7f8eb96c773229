import { z } from 'zod';
import { SmsRefusal } from './sms-refusal.js';

/** Ten segments of 153 characters, the most that phones join. */
const MAX_TEXT = 1_530;

const sms = z.object({
  to: z.string().regex(/^\+?[1-9][0-9]{9,14}$/, 'must be a phone number with its country code'),
  template_id: z.string().min(1).max(100),
  text: z.string().min(1).max(MAX_TEXT),
});

export type SmsRequest = z.output<typeof sms>;

const idempotencyKey = z.string().min(1).max(255).optional();

/** @throws SmsRefusal for a body that is no message; what could not be parsed arrives here as an empty one */
export function parseSmsRequest(body: unknown): SmsRequest {
  const result = sms.safeParse(body);
  if (result.success) return { ...result.data, to: result.data.to.replace('+', '') };
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw new SmsRefusal(
    422,
    'invalid_request',
    `The body must be JSON with to, template_id and text. ${problems.join('; ')}`,
  );
}

/** @throws SmsRefusal for a key that is too long to be kept */
export function parseIdempotencyKey(header: string | undefined): string | undefined {
  const result = idempotencyKey.safeParse(header || undefined);
  if (result.success) return result.data;
  throw new SmsRefusal(422, 'invalid_request', 'Idempotency-Key: at most 255 characters');
}
