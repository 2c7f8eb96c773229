import { Module, type OnModuleInit } from '@nestjs/common';
import { USERS_CONFIG, type UsersConfig } from '../../config/index.js';
import { IdentityModule } from '../../identity/index.js';
import { Jobs } from '../../core/index.js';
import { PanModule } from '../pan/pan.module.js';
import { ProviderClients } from '../../integrations/index.js';
import { AadhaarSendsRepository } from './aadhaar/aadhaar-sends.repository.js';
import { AADHAAR_CODES } from './aadhaar/aadhaar.port.js';
import { AadhaarStepper } from './aadhaar/aadhaar-stepper.service.js';
import { HttpAadhaarAdapter } from './aadhaar/http-aadhaar.adapter.js';
import { HttpDocumentLockerAdapter } from './locker/http-document-locker.adapter.js';
import { HttpHostedEkycAdapter } from './hosted/http-hosted-ekyc.adapter.js';
import { CheckStatusService } from './check-status.service.js';
import { DOCUMENT_LOCKER } from './locker/document-locker.port.js';
import { DocumentLockerService } from './locker/document-locker.service.js';
import { EkycController } from './ekyc.controller.js';
import { EkycRequestsRepository } from './ekyc-requests.repository.js';
import { EkycRequests } from './ekyc-requests.service.js';
import { HOSTED_EKYC } from './hosted/hosted-ekyc.port.js';
import { LockerSessionsRepository } from './locker/locker-sessions.repository.js';
import { Redirections } from './redirections.service.js';

const inject = [ProviderClients, USERS_CONFIG];

@Module({
  imports: [PanModule, IdentityModule],
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
