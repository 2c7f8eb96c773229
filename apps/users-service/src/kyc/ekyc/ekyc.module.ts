import { Module, type OnModuleInit } from '@nestjs/common';
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
      inject: [ProviderClients],
      useFactory: (clients: ProviderClients) => new HttpHostedEkycAdapter(clients.of('ekyc')),
    },
    {
      provide: AADHAAR_CODES,
      inject: [ProviderClients],
      useFactory: (clients: ProviderClients) => new HttpAadhaarAdapter(clients.of('aadhaar')),
    },
    {
      provide: DOCUMENT_LOCKER,
      inject: [ProviderClients],
      useFactory: (clients: ProviderClients) => new HttpDocumentLockerAdapter(clients.of('document-locker')),
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
