import { Module, type OnModuleInit } from '@nestjs/common';
import { USERS_CONFIG, type UsersConfig } from '../config/index.js';
import { ConsentsModule, PartnersModule } from '../identity/index.js';
import { Jobs } from '../core/index.js';
import { PanModule } from './pan/pan.module.js';
import { ProviderClients } from '../integrations/index.js';
import { AadhaarSendsRepository } from './daily-calls.repository.js';
import { AADHAAR_CODES } from './ekyc/aadhaar.port.js';
import { AadhaarStepper } from './ekyc/aadhaar-stepper.service.js';
import { HttpAadhaarAdapter } from './ekyc/http-aadhaar.adapter.js';
import { HttpDocumentLockerAdapter } from './ekyc/http-document-locker.adapter.js';
import { HttpHostedEkycAdapter } from './ekyc/http-hosted-ekyc.adapter.js';
import { CheckStatusService } from './ekyc/ekyc-status.service.js';
import { DOCUMENT_LOCKER } from './ekyc/document-locker.port.js';
import { DocumentLockerService } from './ekyc/document-locker.service.js';
import { EkycController } from './ekyc/ekyc.controller.js';
import { EkycRequestsRepository } from './ekyc/ekyc-requests.repository.js';
import { EkycRequests } from './ekyc/ekyc-requests.service.js';
import { HOSTED_EKYC } from './ekyc/ekyc-providers.port.js';
import { LockerSessionsRepository } from './ekyc/locker-sessions.repository.js';
import { Redirections } from './ekyc/redirections.service.js';

const inject = [ProviderClients, USERS_CONFIG];

@Module({
  imports: [PanModule, ConsentsModule, PartnersModule],
  controllers: [EkycController],
  providers: [
    EkycRequestsRepository,
    LockerSessionsRepository,
    AadhaarSendsRepository,
    EkycRequests,
    Redirections,
    CheckStatusService,
    AadhaarStepper,
    DocumentLockerService,
    {
      provide: HOSTED_EKYC,
      inject,
      useFactory: (clients: ProviderClients, { providers }: UsersConfig) =>
        new HttpHostedEkycAdapter(clients.of(providers.ekyc)),
    },
    {
      provide: AADHAAR_CODES,
      inject,
      useFactory: (clients: ProviderClients, { providers }: UsersConfig) =>
        new HttpAadhaarAdapter(clients.of(providers.aadhaar)),
    },
    {
      provide: DOCUMENT_LOCKER,
      inject,
      useFactory: (clients: ProviderClients, { providers }: UsersConfig) =>
        new HttpDocumentLockerAdapter(clients.of(providers.documentLocker)),
    },
  ],
  exports: [EkycRequestsRepository],
})
export class EkycModule implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly sends: AadhaarSendsRepository,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp({ name: 'old Aadhaar sends', deleteBatch: () => this.sends.purgeOld() });
  }
}
