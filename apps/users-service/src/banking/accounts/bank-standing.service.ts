import { Injectable } from '@nestjs/common';
import { GeneralErrors } from '@fd/errors';
import { IssuerDirectory } from '../../integrations/index.js';
import { CurrentIssuer } from '../../journey/index.js';
import type { BankStanding } from './bank-account.js';
import { BankAccountsRepository } from './bank-accounts.repository.js';
import { refusalOf, syncRefusalOf } from './bank-outcome.js';
import { BankSyncsRepository } from './bank-syncs.repository.js';
import { HolderComparison } from './holder-comparison.service.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Says where a verification stands. The worker moves what is open; only names that are known are compared here. */
@Injectable()
export class BankStandings {
  constructor(
    private readonly accounts: BankAccountsRepository,
    private readonly syncs: BankSyncsRepository,
    private readonly issuers: IssuerDirectory,
    private readonly currentIssuer: CurrentIssuer,
    private readonly comparison: HolderComparison,
  ) {}

  /**
   * @param issuerCode whose registration is meant; undefined: the one that was asked for last
   * @throws AppError as the call that asked for it would be answered; GeneralErrors.recordUnknown for what is not the
   * user's; IssuerErrors.unknown
   */
  async of(userId: string, id: string, issuerCode: string | undefined): Promise<BankStanding> {
    const named = issuerCode && (await this.currentIssuer.ofCode(userId, issuerCode));
    const found = UUID.test(id) ? await this.accounts.findOfUser(userId, id) : undefined;
    if (!found) throw GeneralErrors.recordUnknown();
    const account = await this.comparison.catchUp(found);
    const sync = await this.syncs.findOfAccount(id, named ? named.slug : undefined);
    const refusal = refusalOf(account) ?? syncRefusalOf(sync);
    if (refusal) throw refusal;
    // an issuer may have left since
    const issuer = named || this.issuers.all.find(({ slug }) => slug === sync?.issuerSlug);
    return { account, match: account.match, issuer, sync };
  }
}
