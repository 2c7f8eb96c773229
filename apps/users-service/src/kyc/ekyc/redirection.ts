import { isGiven, isReturnAddress } from '@fd/contracts';
import { EkycErrors } from '@fd/errors';
import type { SessionIdentity } from '../../core/index.js';
import type { PartnersRepository } from '../../identity/index.js';

/**
 * Validates a return address: https, and one of the partner's registered origins, if any.
 * @returns the address as parsed here, so that no later parser finds another host in it; null for none
 * @throws EkycErrors.redirectionUrlInvalid
 */
export async function allowedRedirection(
  partners: PartnersRepository,
  session: SessionIdentity,
  url: unknown,
): Promise<string | null> {
  if (!isGiven(url)) return null;
  const address = isReturnAddress(url) ? new URL(url) : undefined;
  if (address && (await mayReturnTo(partners, session, address))) return address.href;
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
