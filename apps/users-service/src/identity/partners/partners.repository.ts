import { Injectable } from '@nestjs/common';
import { Database } from '@fd/platform';

@Injectable()
export class PartnersRepository {
  constructor(private readonly database: Database) {}

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
