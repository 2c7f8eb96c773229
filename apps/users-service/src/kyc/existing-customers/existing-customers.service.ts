import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import type { Issuer } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { ConsentsRepository, UsersRepository } from '../../identity/index.js';
import { type ExistingCustomer, IssuerApis, orUnavailable } from '../../integrations/index.js';
import { type Journey, journeyOf, JourneyRepository } from '../../journey/index.js';
import { IdentitiesRepository, type PanIdentity } from '../pan/identities.repository.js';
import { ExistingCustomersRepository } from './existing-customers.repository.js';

export interface CustomerCheck {
  readonly customer: ExistingCustomer | undefined;
  /** The issuer's id of the customer, if the user has proved to be that customer. */
  readonly provenId: string | undefined;
  readonly journey: Journey;
  readonly checkedAt: Date;
}

@Injectable()
export class ExistingCustomersService {
  // eslint-disable-next-line max-params -- a check compares the consent, the PAN and the phone, then stores and reports the answer
  constructor(
    private readonly clock: Clock,
    private readonly issuers: IssuerApis,
    private readonly identities: IdentitiesRepository,
    private readonly users: UsersRepository,
    private readonly consents: ConsentsRepository,
    private readonly records: ExistingCustomersRepository,
    private readonly journey: JourneyRepository,
  ) {}

  /** Asks the issuer every time, because its answer may change. Without a verified PAN it asks nothing. @throws ConsentErrors.withdrawn */
  async check(session: SessionIdentity, issuer: Issuer): Promise<CustomerCheck> {
    const { userId } = session;
    await this.consents.requireInForce(session, 'ISSUER_SHARING');
    const identity = await this.identities.findByUserId(userId);
    // the issuer may still know a reused phone as that of another customer
    const isAskable = identity !== undefined && !(await this.users.isPhoneReused(userId));
    const asked = isAskable ? await this.ask(userId, issuer, identity) : undefined;
    const checkedAt = this.clock.now();
    const isKept =
      identity &&
      (await this.records.keep({
        userId,
        verificationId: identity.verificationId,
        issuer,
        customer: asked,
        checkedAt,
      }));
    // the user has lost or changed the PAN since the question
    const customer = isKept ? asked : undefined;
    const provenId = customer && (await this.records.customerIdOf(userId, issuer.slug));
    const states = await this.journey.statesOf(userId, issuer.slug);
    return { customer, provenId, journey: journeyOf(issuer, states), checkedAt };
  }

  private async ask(
    userId: string,
    issuer: Issuer,
    { pan, dateOfBirth }: PanIdentity,
  ): Promise<ExistingCustomer | undefined> {
    const phone = await this.users.phoneOf(userId);
    await this.records.recordQuestion(userId, issuer);
    return orUnavailable('issuer', () =>
      this.issuers.forIssuer(issuer).findCustomer({ pan, dateOfBirth, phone }),
    );
  }
}
