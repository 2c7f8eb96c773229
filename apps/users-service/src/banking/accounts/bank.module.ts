import { Module, type OnModuleInit } from '@nestjs/common';
import { USERS_CONFIG, type UsersConfig } from '../../config/index.js';
import { Housekeeping } from '../../core/index.js';
import { CurrentIssuer } from '../../journey/index.js';
import { PanModule } from '../../kyc/index.js';
import { ProviderClients } from '../../integrations/index.js';
import { AccountVerification } from './account-verification.service.js';
import { HttpBankAccountsAdapter } from './adapters/http/http-bank-accounts.adapter.js';
import { BANK_ACCOUNTS } from './bank-accounts.port.js';
import { BankAccountsRepository } from './bank-accounts.repository.js';
import { BankCallLimit } from './bank-call-limit.js';
import { BankChecksRepository } from './bank-checks.repository.js';
import { BankIntake } from './bank-intake.service.js';
import { BankLeases } from './bank-leases.repository.js';
import { BankStandings } from './bank-standing.service.js';
import { BankSteps } from './bank-steps.service.js';
import { BankSyncService } from './bank-sync.service.js';
import { BankSyncsRepository } from './bank-syncs.repository.js';
import { BankWorker } from './bank-worker.service.js';
import { BankController } from './bank.controller.js';
import { BeneficiaryRegistration } from './beneficiary-registration.service.js';
import { HolderComparison } from './holder-comparison.service.js';

@Module({
  imports: [PanModule],
  controllers: [BankController],
  providers: [
    {
      provide: BANK_ACCOUNTS,
      inject: [USERS_CONFIG, ProviderClients],
      useFactory: ({ providers }: UsersConfig, clients: ProviderClients) =>
        new HttpBankAccountsAdapter(clients.of(providers.bank)),
    },
    BankAccountsRepository,
    BankSyncsRepository,
    BankChecksRepository,
    BankLeases,
    BankSteps,
    HolderComparison,
    BankCallLimit,
    BankIntake,
    AccountVerification,
    BeneficiaryRegistration,
    BankSyncService,
    BankStandings,
    BankWorker,
  ],
  exports: [BankAccountsRepository],
})
export class BankModule implements OnModuleInit {
  constructor(
    private readonly housekeeping: Housekeeping,
    private readonly checks: BankChecksRepository,
    private readonly currentIssuer: CurrentIssuer,
    private readonly intake: BankIntake,
  ) {}

  onModuleInit(): void {
    this.housekeeping.add({ name: 'old bank checks', run: () => this.checks.purgeOld() });
    this.currentIssuer.onChoice((userId, issuer) => this.intake.registerAtChosen(userId, issuer));
  }
}
