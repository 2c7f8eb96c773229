import { isHttpUrl } from '@fd/contracts';

/**
 * Whether a person may be sent back to an address: https, and where the partner has registered origins, one of
 * them.
 */
export function mayReturnTo(url: unknown, registeredOrigins: readonly string[]): url is string {
  if (!isHttpUrl(url)) return false;
  const { protocol, origin } = new URL(url);
  return protocol === 'https:' && (registeredOrigins.length === 0 || registeredOrigins.includes(origin));
}
