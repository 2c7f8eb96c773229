import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProvidersConfig } from '../config/index.js';
import { actingAs, DurableCalls, Jobs } from '../core/index.js';
import { IdentityModule } from '../identity/index.js';
import { ProviderClients, Webhooks } from '../integrations/index.js';
import { ISSUER_REGISTRATIONS } from '../journey/index.js';
import { KycModule, PAN_DEPENDENTS } from '../kyc/index.js';
import { AccountRequests } from './account-requests.service.js';
import { ACCOUNTS_OF_PAN } from './accounts/accounts-of-pan.js';
import { BankAccountRow } from './accounts/bank-account.entity.js';
import { BankAccountsRepository } from './accounts/bank-accounts.repository.js';
import { BankSync } from './accounts/bank-sync.entity.js';
import { BankWithdrawal } from './accounts/bank-withdrawal.entity.js';
import { RegistrationsRepository } from './accounts/registrations.repository.js';
import { BankSyncService } from './bank-sync.service.js';
import { BankController } from './bank.controller.js';
import { BeneficiaryRegistration } from './registration/beneficiary-registration.service.js';
import { BeneficiaryWithdrawal } from './registration/beneficiary-withdrawal.service.js';
import { AccountVerification } from './verification/account-verification.service.js';
import { BANK_WEBHOOKS, bankAccounts } from './verification/adapters/bank-adapters.js';
import { BANK_ACCOUNTS } from './verification/bank-accounts.port.js';
import { BankCheck } from './verification/bank-check.entity.js';
import { OLD_COUNTED_ROWS } from './verification/bank-limits.js';
import { BankMismatch } from './verification/bank-mismatch.entity.js';

export const BANKING_ENTITIES = [BankAccountRow, BankCheck, BankMismatch, BankSync, BankWithdrawal];

/** Pause between searches for accounts whose user has verified or lost a PAN. */
const RECHECK_PERIOD_MS = 3_000;

/** Global, for the ports of domains below: the journey requests registrations, and a PAN that is lost has its accounts forgotten. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature(BANKING_ENTITIES), IdentityModule, KycModule],
  controllers: [BankController],
  providers: [
    { provide: BANK_ACCOUNTS, inject: [ProvidersConfig, ProviderClients], useFactory: bankAccounts },
    { provide: ISSUER_REGISTRATIONS, useExisting: AccountRequests },
    { provide: PAN_DEPENDENTS, useValue: ACCOUNTS_OF_PAN },
    BankAccountsRepository,
    RegistrationsRepository,
    AccountRequests,
    AccountVerification,
    BeneficiaryRegistration,
    BeneficiaryWithdrawal,
    BankSyncService,
  ],
  exports: [ISSUER_REGISTRATIONS, PAN_DEPENDENTS],
})
export class BankModule implements OnModuleInit {
  // eslint-disable-next-line max-params -- declares the background work of every part of the domain
  constructor(
    private readonly jobs: Jobs,
    private readonly calls: DurableCalls,
    private readonly verification: AccountVerification,
    private readonly registration: BeneficiaryRegistration,
    private readonly withdrawal: BeneficiaryWithdrawal,
    private readonly accounts: BankAccountsRepository,
    private readonly webhooks: Webhooks,
  ) {}

  onModuleInit(): void {
    this.jobs.deleteOld(...OLD_COUNTED_ROWS);
    for (const vendor of Object.keys(BANK_WEBHOOKS) as (keyof typeof BANK_WEBHOOKS)[]) {
      this.webhooks.listen(vendor, async (body) => {
        const receipt = BANK_WEBHOOKS[vendor](body);
        if (receipt !== undefined) await this.accounts.makeDue(`${vendor}-bank`, receipt);
      });
    }
    const run = async (): Promise<void> => {
      // in this order, so that an account that is verified or withdrawn in a round is registered in the same round
      await this.calls.advanceDue(this.verification);
      await this.calls.advanceDue(this.withdrawal);
      await this.calls.advanceDue(this.registration);
    };
    this.jobs.poll({
      name: 'bank',
      waiting: 'open bank accounts wait',
      run: () => actingAs('system:bank-worker', run),
    });
    this.jobs.poll({
      name: 'holder names',
      waiting: 'bank accounts wait for the comparison with a PAN',
      periodMs: () => RECHECK_PERIOD_MS,
      run: () =>
        actingAs('system:bank-worker', async () => {
          await this.verification.recheckHolderNames();
          await this.withdrawal.withdrawWithoutPan();
        }),
    });
  }
}
