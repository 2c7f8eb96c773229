import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Database } from '@fd/platform';
import type { Issuer } from '../../config/index.js';
import { AuditTrail, PiiCipher } from '../../core/index.js';
import type { ExistingCustomer } from '../../integrations/index.js';
import { JourneyRepository } from '../../journey/index.js';

/** Answer of an issuer about a user. */
interface CheckedCustomer {
  readonly userId: string;
  /** The verification of the PAN that the issuer was asked about. */
  readonly verificationId: string;
  readonly issuer: Issuer;
  /** Undefined if the user is not its customer. */
  readonly customer: ExistingCustomer | undefined;
  readonly checkedAt: Date;
}

/**
 * Whether the issuer's KYC replaces ours: it must belong to a customer with both the PAN and the phone that the user has
 * verified. One of them is not enough: others may know the PAN or share the phone.
 */
export function sparesEkyc(customer: ExistingCustomer | undefined): boolean {
  return (
    !!customer?.isKycComplete && (['PAN', 'PHONE'] as const).every((of) => customer.matchedOn.includes(of))
  );
}

/** Reason of a skipped step in the journey. */
const SPARED = 'EXISTING_CUSTOMER';

const locationOf = (id: string) => ({ table: 'existing_customers', column: 'customer_id', id });

/** The latest answer of each issuer about each user. */
@Injectable()
export class ExistingCustomersRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
    private readonly journey: JourneyRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Returns the issuer's id of a user who is a customer by the issuer's latest answer and has proved to be that customer:
   * by the PAN and the phone, or by an eKYC that was compared with the PAN and its full date of birth. The PAN alone proves
   * nothing, because others may know it. Undefined for anyone else.
   */
  async customerIdOf(userId: string, slug: string): Promise<string | undefined> {
    const [row] = await this.database.query<{ id: string; sealed: string }[]>(
      `SELECT c.id, customer_id_encrypted AS sealed FROM onboarding.existing_customers c
        WHERE c.user_id = $1 AND c.issuer_slug = $2 AND customer_id_encrypted IS NOT NULL
          AND (matched_on @> ARRAY['PAN', 'PHONE'] OR matched_on @> ARRAY['PAN'] AND EXISTS (
            SELECT FROM onboarding.ekyc_requests r JOIN onboarding.identities i ON i.user_id = r.user_id
             WHERE r.user_id = $1 AND r.status = 'VERIFIED' AND r.compared_with = i.verification_id AND i.is_dob_compared
               AND r.is_full_date IS NOT FALSE))`,
      [userId, slug],
    );
    return row && this.cipher.decrypt(row.sealed, locationOf(row.id));
  }

  /** Records the call to the issuer before it is made, once a minute, because a crash afterwards would leave no record. */
  async recordQuestion(subject: string, { slug }: Issuer): Promise<void> {
    const entry = { action: 'ISSUER_ASKED', subject, issuer: slug } as const;
    if (this.audit.isKnown(entry)) return;
    await this.audit.record(this.database, entry);
    this.audit.keepRepeatable(entry);
  }

  /**
   * Stores an answer with its audit event and its effect on the eKYC step.
   * @returns false if the user's PAN has changed or was verified again: then the answer is about another person and is
   * not stored
   */
  async keep({ userId, verificationId, issuer, customer, checkedAt }: CheckedCustomer): Promise<boolean> {
    const entry = { action: 'EXISTING_CUSTOMER_CHECKED', subject: userId, issuer: issuer.slug } as const;
    const isKept = await this.database.transaction(async (transaction) => {
      // a release of the PAN waits for this lock, and then deletes this row
      const current = await transaction.query<object[]>(
        'SELECT 1 FROM onboarding.identities WHERE user_id = $1 AND verification_id = $2 FOR SHARE',
        [userId, verificationId],
      );
      if (current.length === 0) return false;
      // the customer id is encrypted for the id of the row, which is the id of the first answer
      const [{ id }] = await transaction.query<[{ id: string }]>(
        `INSERT INTO onboarding.existing_customers
           (id, user_id, issuer_slug, is_existing, is_kyc_complete, matched_on, checked_at)
         VALUES ($1, $2, $3, false, false, '{}', $4)
         ON CONFLICT (user_id, issuer_slug) DO UPDATE SET checked_at = excluded.checked_at
         RETURNING id`,
        [uuidv7(), userId, issuer.slug, checkedAt],
      );
      const sealed = customer ? this.cipher.encrypt(customer.customerId, locationOf(id)) : null;
      await transaction.query(
        `UPDATE onboarding.existing_customers
            SET is_existing = $3, is_kyc_complete = $4, customer_id_encrypted = $5, matched_on = $6
          WHERE id = $1 AND user_id = $2`,
        [id, userId, customer !== undefined, !!customer?.isKycComplete, sealed, customer?.matchedOn ?? []],
      );
      if (!this.audit.isKnown(entry)) await this.audit.record(transaction, entry);
      if (!issuer.steps.includes('EKYC')) return true;
      // an issuer's KYC may lapse after it replaced the eKYC; our own eKYC stays valid
      const event = sparesEkyc(customer)
        ? ({ event: 'SKIPPED', reason: SPARED, isAuditedIfChanged: true } as const)
        : ({ event: 'RESET', onlyFrom: ['SKIPPED'] } as const);
      await this.journey.record({ userId, issuer: issuer.slug, step: 'EKYC', ...event }, transaction);
      return true;
    });
    if (isKept) this.audit.keepRepeatable(entry);
    return isKept;
  }
}
