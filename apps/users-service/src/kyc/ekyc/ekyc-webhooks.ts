import { validate as isUuid } from 'uuid';
import { z } from 'zod';

const cashfree = z.object({ data: z.object({ verification_id: z.string() }) });

/** Which request or locker session of ours a webhook of Cashfree is about. Undefined: none of them. */
export function ekycOfWebhook(body: unknown): string | undefined {
  const id = cashfree.safeParse(body).data?.data.verification_id;
  return isUuid(id) ? id : undefined;
}
