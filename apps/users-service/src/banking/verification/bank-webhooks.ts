import { z } from 'zod';
import { providerId } from '../../integrations/index.js';

const cashfree = z.object({ data: z.object({ user_id: providerId }) });
const setu = z.object({ data: z.object({ bav: z.object({ id: providerId }) }) });

/** Readers by vendor: each returns the receipt of the verification that a webhook names; undefined for other webhooks. */
export const BANK_WEBHOOKS = {
  cashfree: (body: unknown) => cashfree.safeParse(body).data?.data.user_id,
  setu: (body: unknown) => setu.safeParse(body).data?.data.bav.id,
} as const;
