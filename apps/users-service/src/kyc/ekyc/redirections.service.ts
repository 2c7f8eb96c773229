import { Injectable } from '@nestjs/common';
import { isGiven, isHttpUrl } from '@fd/contracts';
import { EkycErrors } from '@fd/errors';
import type { SessionIdentity } from '../../core/index.js';
import { PartnersRepository } from '../../identity/index.js';

/** Where a person may be sent back to after they have left for another site. */
@Injectable()
export class Redirections {
  constructor(private readonly partners: PartnersRepository) {}

  /**
   * @param url as it was sent: https, and where the partner has registered origins, one of them; not given means none
   * @returns the address as we have read it, so that whoever gets it from us cannot read another host out of it
   * @throws EkycErrors.redirectionUrlInvalid
   */
  async allowed({ sessionId }: SessionIdentity, url: unknown): Promise<string | null> {
    if (!isGiven(url)) return null;
    const address = isHttpUrl(url) ? new URL(url) : undefined;
    const registered = await this.partners.redirectOriginsOf(sessionId);
    const isAllowed = (origin: string) => registered.length === 0 || registered.includes(origin);
    if (address?.protocol !== 'https:' || !isAllowed(address.origin)) {
      throw EkycErrors.redirectionUrlInvalid({ field: 'redirection_url' });
    }
    return address.href;
  }
}
