import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KeyedHash } from '../../core/index.js';

/** Query parameter of a return address. */
const PARAMETER = 'ekyc_state';

/**
 * States of eKYC requests, as of OAuth: added to the return address, and brought back by the browser that completed the eKYC. Who
 * only sent the link to somebody else never sees it. Derived from the request's id, so that it is stored nowhere.
 */
@Injectable()
export class EkycStates {
  constructor(private readonly hash: KeyedHash) {}

  /** A return address with the state of a request; it replaces that of another one. */
  addTo(url: string, requestId: string): string {
    const address = new URL(url);
    // not by searchParams, which writes the rest of the query anew
    const others = address.search.slice(1).split('&');
    const kept = others.filter((parameter) => parameter !== '' && !parameter.startsWith(`${PARAMETER}=`));
    address.search = [...kept, `${PARAMETER}=${this.stateOf(requestId).toString('base64url')}`].join('&');
    return address.href;
  }

  isStateOf(requestId: string, given: string): boolean {
    const bytes = Buffer.from(given, 'base64url');
    const expected = this.stateOf(requestId);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  }

  private stateOf(requestId: string): Buffer {
    return this.hash.digest('ekyc.state', requestId);
  }
}
