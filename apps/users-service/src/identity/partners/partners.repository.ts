import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Clock } from '@fd/platform';
import type { EntityManager, Repository } from 'typeorm';
import { LoginConfig } from '../../config/index.js';
import { Session } from '../sessions/session.entity.js';
import { UsersRepository } from '../users/users.repository.js';
import { normalisePartnerUrl, Partner, type PartnerPublicKey } from './partner.entity.js';
import { FIND_LOGIN, HOLD_PARTNER } from './partners.queries.js';

/** The partner of a login, and the user of the phone. */
export interface KnownLogin {
  readonly partnerId: string;
  readonly partner: { readonly url: string; readonly publicKey: PartnerPublicKey };
  /** Null before the first login of a phone. */
  readonly userId: string | null;
  readonly isBlocked: boolean;
  /** Not used for so long that somebody else may have the phone. */
  readonly isDormant: boolean;
  /** Begun with another partner, and not shared with this one. */
  readonly isUnshared: boolean;
  /** No login was noted within a day. */
  readonly isFirstOfDay: boolean;
}

@Injectable()
export class PartnersRepository {
  constructor(
    @InjectRepository(Partner) private readonly rows: Repository<Partner>,
    private readonly users: UsersRepository,
    private readonly config: LoginConfig,
    private readonly clock: Clock,
  ) {}

  /** @returns undefined for an unknown or disabled partner */
  async findLogin(partnerUrl: string, phone: string): Promise<KnownLogin | undefined> {
    const [login] = await FIND_LOGIN.rows(this.rows.manager, {
      url: normalisePartnerUrl(partnerUrl),
      phoneIndex: this.users.phoneIndexOf(phone),
      confirmAfterDays: this.config.confirmAfterDays ?? null,
      arePartnersSeparate: this.config.arePartnersSeparate,
      aheadSeconds: this.clock.aheadSeconds,
    });
    if (!login) return undefined;
    const { partnerUrl: url, partnerKey, ...known } = login;
    return { ...known, partner: { url, publicKey: partnerKey as unknown as PartnerPublicKey } };
  }

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
