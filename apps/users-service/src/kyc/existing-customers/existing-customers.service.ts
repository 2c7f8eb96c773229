import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditTrail } from '../../core/index.js';
import { type ExistingCustomer, IssuerApis, orUnavailable } from '../../integrations/index.js';
import type { Issuer } from '../../config/index.js';
import { type Journey, journeyOf, JourneyRepository } from '../../journey/index.js';
import { IdentitiesRepository } from '../pan/identities.repository.js';
import { UsersRepository } from '../../identity/index.js';
import { type CheckedCustomer, ExistingCustomersRepository } from './existing-customers.repository.js';

/** What an issuer says about a user, and what that means for the journey. */
export interface CustomerCheck {
  readonly customer: ExistingCustomer | undefined;
  readonly journey: Journey;
  readonly checkedAt: Date;
}

/** Why a step need not be done, as the journey tells it. */
const SPARED = 'EXISTING_CUSTOMER';

/** Whether issuers have our users as customers already. */
@Injectable()
export class ExistingCustomersService {
  // eight: the issuer is asked with PAN and phone, and its answer is written with its audit event and step
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly issuers: IssuerApis,
    private readonly identities: IdentitiesRepository,
    private readonly users: UsersRepository,
    private readonly records: ExistingCustomersRepository,
    private readonly journey: JourneyRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Asks the issuer, every time: what it says may change. Without a verified PAN there is nobody to ask about.
   * @throws IssuerErrors.unavailable
   */
  async check(userId: string, issuer: Issuer): Promise<CustomerCheck> {
    const identity = await this.identities.of(userId);
    const customer = identity && (await this.ask(userId, issuer, identity));
    const checkedAt = this.clock.now();
    if (identity) await this.keep(issuer, { userId, issuer: issuer.slug, customer, checkedAt });
    const states = await this.journey.statesOf(userId, { issuer: issuer.slug });
    return { customer, journey: journeyOf(issuer.steps, states), checkedAt };
  }

  private async ask(
    userId: string,
    issuer: Issuer,
    { pan, dateOfBirth }: { pan: string; dateOfBirth: string },
  ): Promise<ExistingCustomer | undefined> {
    // a session's user is never deleted without its sessions: the foreign key sees to it
    const user = await this.users.findById(userId);
    const phone = this.users.phoneOf(user!);
    // before anything leaves the service: a call that dies after that has told the issuer
    const told = { action: 'ISSUER_ASKED', subject: userId, issuer: issuer.slug } as const;
    await this.audit.record(this.dataSource.manager, told);
    return orUnavailable('issuer', () => this.issuers.of(issuer).customers.find({ pan, dateOfBirth, phone }));
  }

  private async keep(issuer: Issuer, checked: CheckedCustomer): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await this.records.keep(manager, checked);
      const { userId: subject, issuer: slug } = checked;
      await this.audit.record(manager, { action: 'EXISTING_CUSTOMER_CHECKED', subject, issuer: slug });
      if (issuer.steps.includes('EKYC')) await this.changeEkyc(manager, checked);
    });
  }

  /** An issuer's KYC of a customer may lapse after it spared the eKYC. An eKYC that was done with us stays done. */
  private async changeEkyc(
    manager: EntityManager,
    { userId, issuer, customer }: CheckedCustomer,
  ): Promise<void> {
    const ekyc = { userId, issuer, step: 'EKYC' } as const;
    if (customer?.isKycComplete) {
      await this.journey.record({ ...ekyc, event: 'SKIPPED', reason: SPARED }, manager);
    } else {
      await this.journey.record({ ...ekyc, event: 'RESET', onlyFrom: 'SKIPPED' }, manager);
    }
  }
}
