import { Injectable } from '@nestjs/common';
import { Database } from '@fd/platform';
import { normalisePartnerUrl, type Partner } from './partner.entity.js';

/** What a login needs of a partner. */
export type ActivePartner = Pick<Partner, 'id' | 'url' | 'publicKey'>;

@Injectable()
export class PartnersRepository {
  constructor(private readonly database: Database) {}

  /** The partner that registered a URL and was not disabled. */
  async findActive(url: string): Promise<ActivePartner | undefined> {
    const [partner] = await this.database.query<ActivePartner[]>(
      'SELECT id, url, public_key AS "publicKey" FROM onboarding.partners WHERE url = $1 AND disabled_at IS NULL',
      [normalisePartnerUrl(url)],
    );
    return partner;
  }

  /** Origins to which people of a session's partner may be sent back; empty: any. */
  async redirectOriginsOf(sessionId: string): Promise<readonly string[]> {
    const [row] = await this.database.query<{ redirect_origins: string[] }[]>(
      `SELECT p.redirect_origins FROM onboarding.sessions s JOIN onboarding.partners p ON p.id = s.partner_id
        WHERE s.id = $1`,
      [sessionId],
    );
    return row!.redirect_origins;
  }
}
