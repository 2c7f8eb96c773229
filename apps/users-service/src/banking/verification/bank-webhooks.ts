import { z } from 'zod';
import { providerId } from '../../integrations/index.js';

const cashfree = z.object({ data: z.object({ user_id: providerId }) });
const setu = z.object({ data: z.object({ bav: z.object({ id: providerId }) }) });

/** By vendor: which verification a webhook is about, by its receipt. Undefined: none of a bank account. */
export const BANK_WEBHOOKS = {
  cashfree: (body: unknown) => cashfree.safeParse(body).data?.data.user_id,
  setu: (body: unknown) => setu.safeParse(body).data?.data.bav.id,
} as const;
