import { Injectable } from '@nestjs/common';
import { Database } from '@fd/platform';

@Injectable()
export class PartnersRepository {
  constructor(private readonly database: Database) {}

  /** Allowed origins of return addresses for the partner of a session; empty for any. */
  async redirectOriginsOf(sessionId: string): Promise<readonly string[]> {
    const [row] = await this.database.query<{ redirect_origins: string[] }[]>(
      `SELECT p.redirect_origins FROM onboarding.sessions s JOIN onboarding.partners p ON p.id = s.partner_id
        WHERE s.id = $1`,
      [sessionId],
    );
    return row!.redirect_origins;
  }
}
