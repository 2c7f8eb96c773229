import { Module } from '@nestjs/common';
import { USERS_CONFIG } from '../config/config.module.js';
import type { UsersConfig } from '../config/users-config.js';
import { PanModule } from '../pan/pan.module.js';
import { ProviderClients } from '../providers/provider-clients.js';
import { AccountVerification } from './account-verification.service.js';
import { HttpBankAccountsAdapter } from './adapters/http/http-bank-accounts.adapter.js';
import { BANK_ACCOUNTS } from './bank-accounts.port.js';
import { BankAccountsRepository } from './bank-accounts.repository.js';
import { BankCallLimit } from './bank-call-limit.js';
import { BankIntake } from './bank-intake.service.js';
import { BankLeases } from './bank-leases.repository.js';
import { BankStandings } from './bank-standing.service.js';
import { BankSyncService } from './bank-sync.service.js';
import { BankSyncsRepository } from './bank-syncs.repository.js';
import { BankWorker } from './bank-worker.service.js';
import { BankController } from './bank.controller.js';
import { BeneficiaryRegistration } from './beneficiary-registration.service.js';

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
    BankLeases,
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
export class BankModule {}
