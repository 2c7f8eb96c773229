import { validate as isUuid } from 'uuid';
import { z } from 'zod';

const cashfree = z.object({ data: z.object({ verification_id: z.string() }) });

/** Finds the request or locker session that a webhook of Cashfree names; undefined if unknown. */
export function ekycOfWebhook(body: unknown): string | undefined {
  const id = cashfree.safeParse(body).data?.data.verification_id;
  return isUuid(id) ? id : undefined;
}
