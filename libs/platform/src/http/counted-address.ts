import { isIPv4, isIPv6 } from 'node:net';

/** Network groups of an IPv6 address. The holder of the network chooses the other four. */
const NETWORK_GROUPS = 4;
/** Groups of a site, which contains many networks. */
const SITE_GROUPS = 3;
/** Groups of a network provider, which contains many sites. */
const PROVIDER_GROUPS = 2;
const GROUPS = 8;

const MAPPED_IPV4 = /^::ffff:(?=\d+\.)/i;

/**
 * The counter's name of a client's address: an IPv4 address unchanged, an IPv6 address by its network. Malformed
 * addresses share one name, so that they are limited too.
 * @param ip from the connection or from a trusted proxy, in any format
 */
export const countedAddress = (ip: string | undefined): string => networkOf(ip, 4, NETWORK_GROUPS);

/** The network of an address, whose holder can easily get others in it: /24 of IPv4, /48 of IPv6. */
export const countedNetwork = (ip: string | undefined): string => networkOf(ip, 3, SITE_GROUPS);

/** The networks of one provider, which may give many to one customer: /16 of IPv4, /32 of IPv6. */
export const countedProvider = (ip: string | undefined): string => networkOf(ip, 2, PROVIDER_GROUPS);

/** @param bytes of an IPv4 address, @param groups of an IPv6 address, which are the network's */
function networkOf(ip: string | undefined, bytes: number, groups: number): string {
  const address = (ip ?? '').replace(MAPPED_IPV4, '');
  if (isIPv6(address)) return `${firstGroups(address, groups)}::/${16 * groups}`;
  if (!isIPv4(address)) return 'unknown';
  const zeros = Array<string>(4 - bytes).fill('0');
  return [...address.split('.').slice(0, bytes), ...zeros].join('.') + (bytes < 4 ? `/${8 * bytes}` : '');
}

function firstGroups(address: string, count: number): string {
  // URL writes groups without leading zeros and no embedded IPv4 address, but takes no zone
  const uniform = new URL(`http://[${address.replace(/%.*/, '')}]`).hostname.slice(1, -1);
  const [given, last] = uniform.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(GROUPS - given!.length - (last?.length ?? 0)).fill('0');
  return [...given!, ...zeros, ...(last ?? [])].slice(0, count).join(':');
}
