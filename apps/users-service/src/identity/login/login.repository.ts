import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { EntityManager } from 'typeorm';
import { LoginConfig } from '../../config/index.js';
import { normalisePartnerUrl, type PartnerPublicKey } from '../partners/partner.entity.js';
import { UsersRepository } from '../users/users.repository.js';
import { FIND_LOGIN } from './login.queries.js';

/** The partner of a login, and the user of the phone. */
export interface KnownLogin {
  readonly partnerId: string;
  readonly partner: { readonly url: string; readonly publicKey: PartnerPublicKey };
  /** Null before the first login of a phone. */
  readonly userId: string | null;
  /** Blocked by an operator. */
  readonly isBlocked: boolean;
  /** Not used for so long that somebody else may have the phone. */
  readonly isDormant: boolean;
  /** Begun with another partner, and not shared with this one. */
  readonly isUnshared: boolean;
  /** No login was noted within a day. */
  readonly isFirstOfDay: boolean;
}

@Injectable()
export class LoginRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly users: UsersRepository,
    private readonly config: LoginConfig,
    private readonly clock: Clock,
  ) {}

  /** @returns undefined for an unknown or disabled partner */
  async findByPhone(partnerUrl: string, phone: string): Promise<KnownLogin | undefined> {
    const [login] = await FIND_LOGIN.rows(this.manager, {
      url: normalisePartnerUrl(partnerUrl),
      phoneIndex: this.users.phoneIndexOf(phone),
      confirmAfterDays: this.config.confirmAfterDays ?? null,
      arePartnersSeparate: this.config.arePartnersSeparate,
      aheadSeconds: this.clock.aheadMs / 1_000,
    });
    if (!login) return undefined;
    const { partnerUrl: url, partnerKey, ...known } = login;
    return { ...known, partner: { url, publicKey: partnerKey as unknown as PartnerPublicKey } };
  }
}
