import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { timeLimit } from '@fd/envelope';
import ipaddr from 'ipaddr.js';

const TIMEOUT_MS = timeLimit(10_000);
const MAX_ANSWER_BYTES = 65_536;

/** With one name server the answer, or its failure, comes within the time of a delivery. */
const DNS = { timeout: timeLimit(2_000), tries: 2 };

/** Why a host gets no event. */
export class AddressRefused extends Error {}

/** The only addresses of IPv6 that are assigned to networks of the internet (RFC 4291); ipaddr.js takes `::127.0.0.1` for one, too. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Looks public, but is answered inside of Azure's machines, by their platform. */
const AZURE_PLATFORM = '168.63.129.16';

/** Whether an IP address is one of the public internet: not of this machine, of a private or link-local network, or for a special use. */
export function isPublicAddress(address: string): boolean {
  const known = ipaddr.process(address);
  if (known instanceof ipaddr.IPv4) return known.range() === 'unicast' && known.toString() !== AZURE_PLATFORM;
  return known.range() === 'unicast' && known.match(GLOBAL_UNICAST);
}

/**
 * The problem of an address for events; undefined for a good one. Its host is looked up only when it is called.
 * @param isLocalAllowed for development: http, and any network
 */
export function addressProblem(text: string, isLocalAllowed: boolean): string | undefined {
  if (!URL.canParse(text)) return 'is no URL';
  const { protocol, username, password, hash } = new URL(text);
  if (protocol !== 'https:' && !(isLocalAllowed && protocol === 'http:')) return 'must begin with https://';
  if (username || password || hash) return 'must have no user, password or fragment';
  const host = hostOf(new URL(text));
  return isLocalAllowed || !isIP(host) || isPublicAddress(host) ? undefined : 'must be public';
}

/** As a socket takes it: IPv6 without its brackets. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** What a look-up needs of a `Resolver`. */
type Names = Readonly<Record<'resolve4' | 'resolve6', (hostname: string) => Promise<string[]>>>;

/**
 * Resolves a name for a connection, which so goes to the very addresses that were checked. `dns.lookup` would not do: it holds one of the
 * few threads of the process, so that the dead name server of one partner would delay every other connection by name.
 * @param names one for each connection: a shared one shortens its timeout after quick answers about other names
 */
export const publicLookup =
  (names: Names = new Resolver(DNS)): LookupFunction =>
  (hostname, { all }, callback) => {
    publicAddresses(names, hostname).then(
      (found) => (all ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)),
      (error: Error) => callback(error, []),
    );
  };

/** @throws AddressRefused if one is not public; the error of the name server if no address is found */
async function publicAddresses(names: Names, hostname: string): Promise<LookupAddress[]> {
  const of = (family: number) => (found: string[]) => found.map((address) => ({ address, family }));
  const answers = await Promise.allSettled([
    names.resolve4(hostname).then(of(4)),
    names.resolve6(hostname).then(of(6)),
  ]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0 && found.every(({ address }) => isPublicAddress(address))) return found;
  const failed = answers.find((answer) => answer.status === 'rejected');
  throw found.length === 0 && failed ? failed.reason : new AddressRefused('no public address');
}

export interface Posted {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Posts events to the addresses of partners: over a new connection each, following no redirect. */
export class EventSender {
  constructor(private readonly isLocalAllowed: boolean) {}

  /**
   * @returns the HTTP status; the body of the answer is not read further than 64 KiB
   * @throws AddressRefused for an address that is not public; Error without an address or an answer in time
   */
  async post({ address, headers, body }: Posted, shutdown?: AbortSignal): Promise<number> {
    const url = new URL(address);
    const problem = addressProblem(address, this.isLocalAllowed);
    if (problem !== undefined) throw new AddressRefused(problem);
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const signal = shutdown ? AbortSignal.any([timeout, shutdown]) : timeout;
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const request = send(
        url,
        {
          method: 'POST',
          headers: {
            ...headers,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
          // a connection that is used again would not be checked
          agent: false,
          signal,
          ...(this.isLocalAllowed ? {} : { lookup: publicLookup() }),
        },
        (response) => {
          let bytes = 0;
          const done = (): void => {
            resolve(response.statusCode!);
            request.destroy();
          };
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > MAX_ANSWER_BYTES) done();
          });
          response.on('end', done).on('error', reject);
        },
      );
      // Node.js ends such a request without an error, so nothing else would end the wait
      request.on('upgrade', ({ statusCode }, socket) => {
        socket.destroy();
        resolve(statusCode!);
      });
      request.on('error', reject).end(body);
    });
  }
}
