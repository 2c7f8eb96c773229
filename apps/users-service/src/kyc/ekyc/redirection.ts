import { isGiven, isReturnAddress } from '@fd/contracts';
import { EkycErrors } from '@fd/errors';
import type { SessionIdentity } from '../../core/index.js';
import type { PartnersRepository } from '../../identity/index.js';

/** Where the browser goes after an eKYC. */
export interface ReturnAddress {
  readonly url: string;
  /** Whether the partner has registered its origin: nobody else learns what comes back there. */
  readonly isRegistered: boolean;
}

/**
 * Validates a return address: https, and one of the partner's registered origins, if any.
 * @returns the address as parsed here, so that no later parser finds another host in it; null for none
 * @throws EkycErrors.redirectionUrlInvalid
 */
export async function allowedRedirection(
  partners: PartnersRepository,
  session: SessionIdentity,
  url: unknown,
): Promise<ReturnAddress | null> {
  if (!isGiven(url)) return null;
  const given = isReturnAddress(url) ? await returnAddress(partners, session, url) : undefined;
  if (given) return given;
  throw EkycErrors.redirectionUrlInvalid({ field: 'redirection_url' });
}

/**
 * A return address as the partner of this session may use it, which another partner may have set.
 * @returns undefined if the partner has registered other origins
 */
export async function returnAddress(
  partners: PartnersRepository,
  { sessionId }: SessionIdentity,
  url: string,
): Promise<ReturnAddress | undefined> {
  const { href, origin } = new URL(url);
  const registered = await partners.redirectOriginsOf(sessionId);
  if (registered.length > 0 && !registered.includes(origin)) return undefined;
  return { url: href, isRegistered: registered.length > 0 };
}
