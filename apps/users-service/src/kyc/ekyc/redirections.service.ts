import { Injectable } from '@nestjs/common';
import { EkycErrors } from '@fd/errors';
import { PartnersRepository } from '../../identity/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { mayReturnTo } from './redirection.policy.js';

/** Where a person may be sent back to after they have left for another site. */
@Injectable()
export class Redirections {
  constructor(private readonly partners: PartnersRepository) {}

  /**
   * @param url as it was sent; left out, null and empty mean none
   * @returns the address as we have read it, so that whoever gets it from us cannot read another host out of it
   * @throws EkycErrors.redirectionUrlInvalid
   */
  async allowed({ sessionId }: SessionIdentity, url: unknown): Promise<string | null> {
    if (url === undefined || url === null || url === '') return null;
    if (!mayReturnTo(url, await this.partners.redirectOriginsOf(sessionId))) {
      throw EkycErrors.redirectionUrlInvalid({ field: 'redirection_url' });
    }
    return new URL(url).href;
  }
}
