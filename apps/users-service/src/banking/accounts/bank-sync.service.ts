import { Injectable } from '@nestjs/common';
import { AppError, BankErrors } from '@fd/errors';
import type { Issuer } from '../../config/index.js';
import { CurrentIssuer, JourneyRepository } from '../../journey/index.js';
import { IdentitiesRepository } from '../../kyc/index.js';
import { AccountVerification } from './account-verification.service.js';
import type { BankStanding } from './bank-account.js';
import { BankIntake } from './bank-intake.service.js';
import type { BankOrder } from './bank-order.js';
import { refusalOf, REFUSALS, syncRefusalOf } from './bank-outcome.js';
import { OPEN_ACCOUNT_STATES } from './bank.states.js';
import { BeneficiaryRegistration } from './beneficiary-registration.service.js';
import { HolderComparison } from './holder-comparison.service.js';
import { isMismatch, matchHolder } from './holder-match.js';

/** Verifies an account and registers it at an issuer, as far as that goes within a call. */
@Injectable()
export class BankSyncService {
  constructor(
    private readonly currentIssuer: CurrentIssuer,
    private readonly journey: JourneyRepository,
    private readonly identities: IdentitiesRepository,
    private readonly intake: BankIntake,
    private readonly verification: AccountVerification,
    private readonly comparison: HolderComparison,
    private readonly registration: BeneficiaryRegistration,
  ) {}

  /**
   * @returns where the account stands; what is still open goes on without the user
   * @throws BankErrors.fieldMissing no name at all; BankErrors.holderDiffers another name; BankErrors.accountBlocked,
   * GeneralErrors.fieldInvalid the account cannot be used; BankErrors.beneficiaryInvalid the issuer does not take it;
   * BankErrors.unavailable, IssuerErrors.unavailable a party is away; GeneralErrors.tooManyRequests too many
   * verifications in a day; IssuerErrors.unknown
   */
  async sync(userId: string, order: BankOrder): Promise<BankStanding> {
    const issuer = await this.currentIssuer.ofCode(userId, order.issuerCode);
    const panName = (await this.identities.of(userId))?.fullName;
    const name = order.holderName ?? panName;
    if (name === undefined) throw BankErrors.fieldMissing({ field: 'account_holder_full_name' });
    const panMatch = matchHolder(name, { panName, nameAtBank: undefined });
    // nobody has to be asked about somebody else's account
    if (panMatch && isMismatch(panMatch)) return this.refuse(userId, issuer, anotherName());

    const { account: number, ifsc } = order;
    const opened = await this.intake.open({ userId, account: number, ifsc, holderName: name }, issuer);
    const account = await this.verification.settle(opened);
    if (OPEN_ACCOUNT_STATES.includes(account.state)) {
      return { account, match: null, issuer, sync: undefined };
    }
    if (account.nameAtBank === null) return this.refuse(userId, issuer, refusalOf(account)!);
    // of calls with different names side by side each is answered for its own
    const accepted = await this.intake.accept(account, name, issuer);
    if (!accepted) {
      await this.comparison.catchUp(account);
      return this.refuse(userId, issuer, anotherName());
    }
    const { match } = accepted;
    const sync = accepted.sync && (await this.registration.settle(accepted.sync));
    // a PAN was verified meanwhile, and it is somebody else's
    if (sync?.state === 'DROPPED') throw anotherName();
    const refusal = syncRefusalOf(sync);
    if (refusal) throw refusal;
    return { account: { ...account, state: 'VERIFIED' }, match, issuer, sync };
  }

  /** @throws AppError the refusal, always; the step of the issuer has failed */
  private async refuse(userId: string, issuer: Issuer | undefined, refusal: AppError): Promise<never> {
    if (issuer) {
      const reason = refusal.code!;
      await this.journey.recordAlone({ userId, step: 'BANK', event: 'FAILED', issuer: issuer.slug, reason });
    }
    throw refusal;
  }
}

const anotherName = (): AppError => REFUSALS.MISMATCHED();
