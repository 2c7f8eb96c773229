import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { Session } from '../sessions/session.entity.js';
import { Partner } from './partner.entity.js';
import { HOLD_PARTNER } from './partners.queries.js';

@Injectable()
export class PartnersRepository {
  constructor(@InjectRepository(Partner) private readonly rows: Repository<Partner>) {}

  /** Keeps operators from disabling a partner until the transaction ends. @throws an `isRowMissing` if one has disabled it */
  async hold(tx: EntityManager, partnerId: string): Promise<void> {
    await HOLD_PARTNER.rows(tx, { partnerId });
  }

  /** As `hold`, of the partner of a session. @returns undefined without such a session */
  async holdOfSession(
    tx: EntityManager,
    sessionId: string,
  ): Promise<Pick<Partner, 'id' | 'url' | 'publicKey'> | undefined> {
    const partner = await tx
      .createQueryBuilder(Partner, 'partner')
      .innerJoin(Session, 'session', 'session.partnerId = partner.id')
      .where('session.id = :sessionId', { sessionId })
      .getOne();
    if (partner) await this.hold(tx, partner.id);
    return partner ?? undefined;
  }

  /** Allowed origins of return addresses for the partner of a session; empty for any. */
  async redirectOriginsOf(sessionId: string): Promise<readonly string[]> {
    const { redirectOrigins } = await this.rows
      .createQueryBuilder('partner')
      .select(['partner.id', 'partner.redirectOrigins'])
      .innerJoin(Session, 'session', 'session.partnerId = partner.id')
      .where('session.id = :sessionId', { sessionId })
      .getOneOrFail();
    return redirectOrigins;
  }
}
