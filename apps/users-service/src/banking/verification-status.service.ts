import { Injectable } from '@nestjs/common';
import { GeneralErrors } from '@fd/errors';
import { IssuerDirectory } from '../integrations/index.js';
import { CurrentIssuer } from '../journey/index.js';
import type { VerificationStatus } from './accounts/bank-account.js';
import { BankAccountsRepository } from './accounts/bank-accounts.repository.js';
import { refusalOf, registrationRefusalOf } from './accounts/bank-refusals.js';
import { RegistrationsRepository } from './accounts/registrations.repository.js';
import { HolderNames } from './verification/holder-names.service.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads the status of a verification. It calls no provider; it only compares stored names that are not compared yet. */
@Injectable()
export class VerificationStatusService {
  constructor(
    private readonly accounts: BankAccountsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly issuers: IssuerDirectory,
    private readonly currentIssuer: CurrentIssuer,
    private readonly holderNames: HolderNames,
  ) {}

  /**
   * @param issuerCode selects the registration; undefined: the one that was requested last
   * @throws AppError as the call that requested it is answered; GeneralErrors.recordUnknown for an id that is not the
   * user's; IssuerErrors.unknown
   */
  async read(userId: string, id: string, issuerCode: string | undefined): Promise<VerificationStatus> {
    const named = issuerCode && (await this.currentIssuer.ofCode(userId, issuerCode));
    const found = UUID.test(id) ? await this.accounts.findByUserAndId(userId, id) : undefined;
    if (!found) throw GeneralErrors.recordUnknown();
    const account = await this.holderNames.recheckHolderName(found);
    const registration = await this.registrations.findByAccount(id, named ? named.slug : undefined);
    const refusal = refusalOf(account) ?? registrationRefusalOf(registration);
    if (refusal) throw refusal;
    // an issuer may have left since
    const issuer = named || this.issuers.all.find(({ slug }) => slug === registration?.issuerSlug);
    return { account, match: account.match, issuer, registration };
  }
}
