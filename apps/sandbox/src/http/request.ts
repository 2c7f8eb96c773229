import { z } from 'zod';
import { invalidRequest } from './refusal.js';

/**
 * Parses the body of a call. A body that is not JSON arrives here as an empty one.
 * @throws Refusal `invalid_request` that names every problem and no value
 */
export function readBody<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw invalidRequest(`The body must be JSON of the agreed shape. ${problems.join('; ')}`);
}

const idempotencyKey = z.string().min(1).max(255).optional();

/**
 * @param header the header Idempotency-Key; an empty one counts as missing
 * @throws Refusal `invalid_request` for a key that is too long
 */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  const result = idempotencyKey.safeParse(header || undefined);
  if (result.success) return result.data;
  throw invalidRequest('Idempotency-Key: at most 255 characters');
}
