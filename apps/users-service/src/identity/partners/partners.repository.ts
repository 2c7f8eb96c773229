import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Clock } from '@fd/platform';
import type { EntityManager, Repository } from 'typeorm';
import { LoginConfig } from '../../config/index.js';
import { UsersRepository } from '../users/users.repository.js';
import { normalisePartnerUrl, Partner, type PartnerPublicKey } from './partner.entity.js';
import { FIND_LOGIN, HOLD_PARTNER } from './partners.queries.js';

type LoginRow = Awaited<ReturnType<typeof FIND_LOGIN.rows>>[number];

/** The partner of a login, and the user of the phone: null before the first login. */
export type KnownLogin = Omit<LoginRow, 'partnerUrl' | 'partnerKey'> & {
  readonly partner: Pick<Partner, 'url' | 'publicKey'>;
};

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

  /** As `hold`. @returns the partner */
  async holdKnown(tx: EntityManager, id: string): Promise<Pick<Partner, 'url' | 'publicKey'>> {
    await this.hold(tx, id);
    return tx.findOneByOrFail(Partner, { id });
  }

  /** Allowed origins of a partner's return addresses; empty for any. */
  async redirectOriginsOf(id: string): Promise<readonly string[]> {
    const { redirectOrigins } = await this.rows.findOneOrFail({
      select: { redirectOrigins: true },
      where: { id },
    });
    return redirectOrigins;
  }
}
