import { EkycErrors } from '@fd/errors';
import type { SessionIdentity } from '../../core/index.js';
import type { PartnersRepository } from '../../identity/index.js';

/**
 * Validates a return address, whose form the request class has checked: one of the partner's registered origins, if any.
 * @returns the address as parsed here, so that no later parser finds another host in it; null for none
 * @throws EkycErrors.redirectionUrlInvalid
 */
export async function allowedRedirection(
  partners: PartnersRepository,
  session: SessionIdentity,
  url: string | null | undefined,
): Promise<string | null> {
  if (!url) return null;
  const address = new URL(url);
  if (await mayReturnTo(partners, session, address)) return address.href;
  throw EkycErrors.redirectionUrlInvalid({ field: 'redirection_url' });
}

/** Whether the partner of this session allows a return address, which another partner may have set. */
export async function mayReturnTo(
  partners: PartnersRepository,
  { sessionId }: SessionIdentity,
  { origin }: URL,
): Promise<boolean> {
  const registered = await partners.redirectOriginsOf(sessionId);
  return registered.length === 0 || registered.includes(origin);
}
