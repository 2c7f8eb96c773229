import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { Issuer } from '../../config/index.js';
import { AuditTrail, PiiCipher } from '../../core/index.js';
import type { ExistingCustomer } from '../../integrations/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { EkycRequestRow } from '../entities/ekyc-request.entity.js';
import { Identity } from '../pan/identity.entity.js';
import { ExistingCustomerRow } from '../entities/existing-customer.entity.js';

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

const SPARED = 'EXISTING_CUSTOMER';

const locationOf = (id: string) => ({ table: 'existing_customers', column: 'customer_id', id });

/** The latest answer of each issuer about each user. */
@Injectable()
export class ExistingCustomersRepository {
  constructor(
    @InjectRepository(ExistingCustomerRow) private readonly rows: Repository<ExistingCustomerRow>,
    private readonly cipher: PiiCipher,
    private readonly journey: JourneyRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Returns the issuer's id of a user who is a customer by the issuer's latest answer and has proved to be that customer:
   * by the PAN and the phone, or by an eKYC that was compared with the PAN and its full date of birth, by the user's own browser or phone. The
   * PAN alone proves nothing, because others may know it, nor does an eKYC of a link that the user may have sent to its holder. Undefined
   * for anyone else.
   */
  async customerIdOf(userId: string, slug: string): Promise<string | undefined> {
    const row = await this.rows.findOneBy({ userId, issuerSlug: slug, isExisting: true });
    if (!row?.matchedOn.includes('PAN')) return undefined;
    if (!row.matchedOn.includes('PHONE') && !(await this.isProved(userId))) return undefined;
    return this.cipher.decrypt(row.customerIdEncrypted!, locationOf(row.id));
  }

  /** Whether an eKYC that is bound to the user was compared with the user's PAN and its full date of birth. */
  private async isProved(userId: string): Promise<boolean> {
    return this.rows.manager
      .createQueryBuilder(EkycRequestRow, 'r')
      .innerJoin(
        Identity,
        'i',
        'i.userId = r.userId AND i.verificationId = r.comparedWith AND i.isDobCompared',
      )
      .where("r.userId = :userId AND r.status = 'VERIFIED' AND r.isFullDate IS NOT FALSE AND r.isBound", {
        userId,
      })
      .getExists();
  }

  /** Records the call to the issuer before it is made, once a minute, because a crash afterwards would leave no record. */
  async recordQuestion(subject: string, { slug }: Issuer): Promise<void> {
    const entry = { action: 'ISSUER_ASKED', subject, issuer: slug } as const;
    if (this.audit.isKnown(entry)) return;
    await this.audit.record(this.rows.manager, entry);
    this.audit.keepRepeatable(entry);
  }

  /**
   * Stores an answer with its audit event and its effect on the eKYC step.
   * @returns false if the user's PAN has changed or was verified again: then the answer is about another person and is
   * not stored
   */
  async keep({ userId, verificationId, issuer, customer, checkedAt }: CheckedCustomer): Promise<boolean> {
    const entry = { action: 'EXISTING_CUSTOMER_CHECKED', subject: userId, issuer: issuer.slug } as const;
    const isKept = await this.rows.manager.transaction(async (tx) => {
      // a release of the PAN waits for this lock, and then deletes this row
      const lock = { mode: 'pessimistic_read' } as const;
      if (!(await tx.findOne(Identity, { where: { userId, verificationId }, lock }))) return false;
      // the customer id is encrypted for the id of the row, which is the id of the first answer
      const { id } = await this.rowOf(tx, userId, issuer.slug, checkedAt);
      const customerIdEncrypted = customer && this.cipher.encrypt(customer.customerId, locationOf(id));
      await tx.update(
        ExistingCustomerRow,
        { id, userId },
        {
          ...{ isExisting: customer !== undefined, isKycComplete: !!customer?.isKycComplete, checkedAt },
          customerIdEncrypted: customerIdEncrypted ?? null,
          matchedOn: [...(customer?.matchedOn ?? [])],
        },
      );
      if (!this.audit.isKnown(entry)) await this.audit.record(tx, entry);
      if (!issuer.steps.includes('EKYC')) return true;
      // an issuer's KYC may lapse after it replaced the eKYC; our own eKYC stays valid
      const event = sparesEkyc(customer)
        ? ({ event: 'SKIPPED', reason: SPARED, isAuditedIfChanged: true } as const)
        : ({ event: 'RESET', onlyFrom: ['SKIPPED'] } as const);
      await this.journey.record(tx, { userId, issuer: issuer.slug, step: 'EKYC', ...event });
      return true;
    });
    if (isKept) this.audit.keepRepeatable(entry);
    return isKept;
  }

  /** The row of a user and issuer, which the first answer makes. */
  private async rowOf(
    tx: EntityManager,
    userId: string,
    issuerSlug: string,
    checkedAt: Date,
  ): Promise<ExistingCustomerRow> {
    const unknown = { isExisting: false, isKycComplete: false, matchedOn: [] };
    const row = { id: uuidv7(), userId, issuerSlug, ...unknown, checkedAt };
    await tx.createQueryBuilder().insert().into(ExistingCustomerRow).values(row).orIgnore().execute();
    const lock = { mode: 'pessimistic_write' } as const;
    return tx.findOneOrFail(ExistingCustomerRow, { where: { userId, issuerSlug }, lock });
  }
}

export async function issuersAskedAbout(tx: EntityManager, userId: string): Promise<string[]> {
  const rows = await tx.find(ExistingCustomerRow, { select: { issuerSlug: true }, where: { userId } });
  return rows.map(({ issuerSlug }) => issuerSlug);
}
