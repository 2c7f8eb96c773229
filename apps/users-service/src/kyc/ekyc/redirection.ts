import { isGiven, isHttpUrl } from '@fd/contracts';
import { EkycErrors } from '@fd/errors';
import type { SessionIdentity } from '../../core/index.js';
import type { PartnersRepository } from '../../identity/index.js';

/**
 * Where a person may be sent back to: https, and one of the origins that the partner has registered, if any.
 * @returns the address as we have read it, so that no client of ours can read another host out of it; null for none
 * @throws EkycErrors.redirectionUrlInvalid
 */
export async function allowedRedirection(
  partners: PartnersRepository,
  { sessionId }: SessionIdentity,
  url: unknown,
): Promise<string | null> {
  if (!isGiven(url)) return null;
  const address = isHttpUrl(url) ? new URL(url) : undefined;
  const registered = await partners.redirectOriginsOf(sessionId);
  const isAllowed = (origin: string) => registered.length === 0 || registered.includes(origin);
  if (address?.protocol !== 'https:' || !isAllowed(address.origin)) {
    throw EkycErrors.redirectionUrlInvalid({ field: 'redirection_url' });
  }
  return address.href;
}
