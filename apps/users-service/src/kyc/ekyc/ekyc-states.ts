import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KeyedHash } from '../../core/index.js';
import type { ReturnAddress } from './redirection.js';

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
    // not by searchParams, which writes the rest of the query anew
    const others = address.search.slice(1).split('&');
    const kept = others.filter((parameter) => parameter !== '' && !parameter.startsWith(`${PARAMETER}=`));
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
