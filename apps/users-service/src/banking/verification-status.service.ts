import { Injectable } from '@nestjs/common';
import { ConsentErrors, GeneralErrors } from '@fd/errors';
import type { Issuer } from '../config/index.js';
import { CurrentIssuer, IssuerDirectory } from '../journey/index.js';
import type { NameMatch } from '../kyc/index.js';
import { validate as isUuid } from 'uuid';
import { type BankAccount, BankAccountsRepository } from './accounts/bank-accounts.repository.js';
import { refusalOf } from './accounts/bank.states.js';
import { type AccountRegistration, RegistrationsRepository } from './accounts/registrations.repository.js';
import { BeneficiaryRegistration } from './registration/beneficiary-registration.service.js';
import { AccountVerification } from './verification/account-verification.service.js';

export interface VerificationStatus {
  readonly account: BankAccount;
  /** Result of the comparison of the given names; null until the bank has answered. */
  readonly match: NameMatch | null;
  readonly issuer: Issuer | undefined;
  readonly registration: AccountRegistration | undefined;
}

/** Reads the status of a verification without a call to a provider; compares stored names if needed. */
@Injectable()
export class VerificationStatusService {
  constructor(
    private readonly accounts: BankAccountsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly issuers: IssuerDirectory,
    private readonly currentIssuer: CurrentIssuer,
    private readonly verification: AccountVerification,
    private readonly registration: BeneficiaryRegistration,
  ) {}

  /**
   * @param issuerCode of the request: selects the registration; without one the latest
   * @throws AppError the refusal of the call that requested it; GeneralErrors.recordUnknown for an id that is not the
   * user's; IssuerErrors.unknown; ConsentErrors.withdrawn
   */
  async read(userId: string, id: string, issuerCode: unknown): Promise<VerificationStatus> {
    const named = issuerCode !== undefined && (await this.currentIssuer.ofCode(userId, issuerCode));
    const found = isUuid(id) ? await this.accounts.findByUserAndId(userId, id) : undefined;
    if (!found) throw GeneralErrors.recordUnknown();
    const account = await this.verification.recheckHolderName(found);
    const registration = await this.registrations.findByAccount(id, named ? named.slug : undefined);
    // ended by a withdrawal, not by the bank or the issuer
    const isWithdrawn =
      account.state === 'ABANDONED'
        ? !(await this.verification.isCovered(userId))
        : registration?.state === 'DROPPED' && !(await this.registration.isCovered(userId));
    if (isWithdrawn) throw ConsentErrors.withdrawn();
    const refusal = refusalOf(account, registration);
    if (refusal) throw refusal;
    // the issuer may have been removed since
    const issuer = named || this.issuers.all.find(({ slug }) => slug === registration?.issuerSlug);
    return { account, match: account.match, issuer, registration };
  }
}
