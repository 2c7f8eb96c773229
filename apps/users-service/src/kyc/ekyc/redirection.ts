import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isGiven, isReturnAddress } from '@fd/contracts';
import { EkycErrors } from '@fd/errors';
import { KeyedHash, type SessionIdentity } from '../../core/index.js';
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
  { partnerId }: SessionIdentity,
  url: string,
): Promise<ReturnAddress | undefined> {
  const { href, origin } = new URL(url);
  const registered = await partners.redirectOriginsOf(partnerId);
  if (registered.length > 0 && !registered.includes(origin)) return undefined;
  return { url: href, isRegistered: registered.length > 0 };
}

/** Query parameter of a return address. */
const PARAMETER = 'ekyc_state';

/**
 * States of pages, as of OAuth: added to the return address, and brought back by the browser that ended the page. Who only sent the
 * link to somebody else never sees it. Derived from the page's id, the request's or the locker session's, so that it is stored nowhere.
 */
@Injectable()
export class EkycStates {
  constructor(private readonly hash: KeyedHash) {}

  /** Where a page returns: with its state, which replaces another one, if nobody else learns what comes back there. */
  returnTo({ url, isRegistered }: ReturnAddress, pageId: string): string {
    if (!isRegistered) return url;
    const address = new URL(url);
    // searchParams would write the rest of the query differently; it only reads each name, as the app does
    const others = address.search.slice(1).split('&');
    const kept = others.filter((one) => one !== '' && !new URLSearchParams(`?${one}`).has(PARAMETER));
    address.search = [...kept, `${PARAMETER}=${this.stateOf(pageId).toString('base64url')}`].join('&');
    return address.href;
  }

  isStateOf(pageId: string, given: string): boolean {
    const bytes = Buffer.from(given, 'base64url');
    const expected = this.stateOf(pageId);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  }

  private stateOf(pageId: string): Buffer {
    return this.hash.digest('ekyc.state', pageId);
  }
}
