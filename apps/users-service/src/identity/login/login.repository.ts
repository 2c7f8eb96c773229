import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
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
}

@Injectable()
export class LoginRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly users: UsersRepository,
  ) {}

  /** @returns undefined for an unknown or disabled partner */
  async findByPhone(partnerUrl: string, phone: string): Promise<KnownLogin | undefined> {
    const values = { url: normalisePartnerUrl(partnerUrl), phoneIndex: this.users.phoneIndexOf(phone) };
    const [login] = await FIND_LOGIN.rows(this.manager, values);
    if (!login) return undefined;
    const { partnerUrl: url, partnerKey, ...known } = login;
    return { ...known, partner: { url, publicKey: partnerKey as unknown as PartnerPublicKey } };
  }
}
