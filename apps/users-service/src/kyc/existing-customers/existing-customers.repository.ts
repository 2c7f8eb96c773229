import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { ExistingCustomer } from '../../integrations/index.js';
import { PiiCipher } from '../../core/index.js';

/** What an issuer said about a user. */
export interface CheckedCustomer {
  readonly userId: string;
  /** Slug. */
  readonly issuer: string;
  /** Undefined: the issuer does not know the user. */
  readonly customer: ExistingCustomer | undefined;
  readonly checkedAt: Date;
}

/** What each issuer last said about each user. */
@Injectable()
export class ExistingCustomersRepository {
  constructor(private readonly cipher: PiiCipher) {}

  async keep(
    manager: EntityManager,
    { userId, issuer, customer, checkedAt }: CheckedCustomer,
  ): Promise<void> {
    // what is encrypted belongs to the row's own id, which is the first one's for ever
    const [{ id }] = await manager.query<[{ id: string }]>(
      `INSERT INTO onboarding.existing_customers
         (id, user_id, issuer_slug, is_existing, is_kyc_complete, matched_on, checked_at)
       VALUES ($1, $2, $3, false, false, '{}', $4)
       ON CONFLICT (user_id, issuer_slug) DO UPDATE SET checked_at = excluded.checked_at
       RETURNING id`,
      [uuidv7(), userId, issuer, checkedAt],
    );
    await manager.query(
      `UPDATE onboarding.existing_customers
          SET is_existing = $3, is_kyc_complete = $4, customer_id_encrypted = $5, matched_on = $6
        WHERE id = $1 AND user_id = $2`,
      [
        id,
        userId,
        customer !== undefined,
        customer?.isKycComplete ?? false,
        customer ? this.cipher.encrypt(customer.customerId, locationOf(id)) : null,
        customer?.matchedOn ?? [],
      ],
    );
  }
}

const locationOf = (id: string) => ({ table: 'existing_customers', column: 'customer_id', id });
