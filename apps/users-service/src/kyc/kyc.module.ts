import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Clock } from '@fd/platform';
import { ProvidersConfig } from '../config/index.js';
import { actingAs, DurableCalls, Jobs } from '../core/index.js';
import { FORMER_ACCOUNTS, IdentityModule } from '../identity/index.js';
import { ProviderClients, Webhooks } from '../integrations/index.js';
import { AadhaarCodesRepository, OLD_AADHAAR_CODES } from './ekyc/aadhaar-codes.repository.js';
import { AadhaarSend } from './ekyc/aadhaar-send.entity.js';
import { AadhaarStepper } from './ekyc/aadhaar-stepper.service.js';
import {
  aadhaarProvider,
  documentLockers,
  ekycOfWebhook,
  hostedEkycs,
} from './ekyc/adapters/ekyc-adapters.js';
import { DocumentLockerService } from './ekyc/document-locker.service.js';
import { AADHAAR_PROVIDER, DOCUMENT_LOCKER, HOSTED_EKYC } from './ekyc/ekyc-providers.port.js';
import { EkycRequestsRepository } from './ekyc/ekyc-requests.repository.js';
import { EkycRequests } from './ekyc/ekyc-requests.service.js';
import { EkycController } from './ekyc/ekyc.controller.js';
import { ExpectedPersons } from './ekyc/expected-persons.service.js';
import { HostedOutcome } from './ekyc/hosted-outcome.service.js';
import { LockerSessionRow } from './ekyc/locker-session.entity.js';
import { LockerSessionsRepository } from './ekyc/locker-sessions.repository.js';
import { LockerVisits } from './ekyc/locker-visits.service.js';
import { EkycStates } from './ekyc/redirection.js';
import { EkycRequestRow } from './entities/ekyc-request.entity.js';
import { ExistingCustomerRow } from './entities/existing-customer.entity.js';
import { ExistingCustomersController } from './existing-customers/existing-customers.controller.js';
import { ExistingCustomersRepository } from './existing-customers/existing-customers.repository.js';
import { ExistingCustomersService } from './existing-customers/existing-customers.service.js';
import { panRegistries } from './pan/adapters/pan-registries.js';
import { ContestedIdentity } from './pan/contested-identity.entity.js';
import { FormerPanHolder } from './pan/former-pan-holder.entity.js';
import { IdentitiesRepository } from './pan/identities.repository.js';
import { Identity } from './pan/identity.entity.js';
import { PanCheckRow } from './pan/pan-check.entity.js';
import { ACCOUNTS_WITHOUT_PAN, OLD_CLAIMS, PanClaims } from './pan/pan-claims.repository.js';
import { OLD_LOOKUPS, OLD_PAN_CHECKS, PanChecksRepository } from './pan/pan-checks.repository.js';
import { PanHolder } from './pan/pan-holder.entity.js';
import { PanLookupRow } from './pan/pan-lookup.entity.js';
import { PanNoticeRow } from './pan/pan-notice.entity.js';
import { OLD_NOTICES, PanNotices } from './pan/pan-notices.js';
import { PAN_REGISTRIES } from './pan/pan-registry.port.js';
import { PanController } from './pan/pan.controller.js';
import { PanService } from './pan/pan.service.js';

export const KYC_ENTITIES = [
  AadhaarSend,
  ContestedIdentity,
  EkycRequestRow,
  ExistingCustomerRow,
  FormerPanHolder,
  Identity,
  LockerSessionRow,
  PanCheckRow,
  PanHolder,
  PanLookupRow,
  PanNoticeRow,
];

/** Long, because these messages are rare. */
const NOTICE_PERIOD_MS = 5_000;

/** Global, for a port of a domain below: an address follows its person. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature(KYC_ENTITIES), IdentityModule],
  controllers: [PanController, ExistingCustomersController, EkycController],
  providers: [
    AadhaarCodesRepository,
    AadhaarStepper,
    DocumentLockerService,
    EkycRequests,
    EkycRequestsRepository,
    EkycStates,
    ExistingCustomersRepository,
    ExistingCustomersService,
    ExpectedPersons,
    HostedOutcome,
    IdentitiesRepository,
    LockerSessionsRepository,
    PanChecksRepository,
    PanClaims,
    PanNotices,
    LockerVisits,
    PanService,
    { provide: FORMER_ACCOUNTS, useValue: ACCOUNTS_WITHOUT_PAN },
    { provide: PAN_REGISTRIES, inject: [ProvidersConfig, ProviderClients], useFactory: panRegistries },
    {
      provide: DOCUMENT_LOCKER,
      inject: [ProvidersConfig, ProviderClients, Clock],
      useFactory: documentLockers,
    },
    { provide: HOSTED_EKYC, inject: [ProvidersConfig, ProviderClients, Clock], useFactory: hostedEkycs },
    { provide: AADHAAR_PROVIDER, inject: [ProvidersConfig, ProviderClients], useFactory: aadhaarProvider },
  ],
  exports: [ExistingCustomersRepository, FORMER_ACCOUNTS, IdentitiesRepository],
})
export class KycModule implements OnModuleInit {
  // eslint-disable-next-line max-params -- declares the background work of every part of the domain
  constructor(
    private readonly jobs: Jobs,
    private readonly durableCalls: DurableCalls,
    private readonly hostedOutcome: HostedOutcome,
    private readonly lockerVisits: LockerVisits,
    private readonly notices: PanNotices,
    private readonly panChecks: PanService,
    private readonly webhooks: Webhooks,
  ) {}

  onModuleInit(): void {
    this.webhooks.listen('cashfree', async (body) => {
      const id = ekycOfWebhook(body);
      if (id === undefined) return;
      await this.durableCalls.pollNow(this.hostedOutcome, 'cashfree-ekyc', id);
      await this.durableCalls.pollNow(this.lockerVisits, 'cashfree-locker', id);
    });
    this.jobs.deleteOld(OLD_AADHAAR_CODES, OLD_LOOKUPS, OLD_PAN_CHECKS, OLD_CLAIMS, OLD_NOTICES);
    this.jobs.poll({
      name: 'pan-notices',
      waiting: 'notices of PANs that were taken over wait',
      periodMs: () => NOTICE_PERIOD_MS,
      run: () => actingAs('system:notices', () => this.durableCalls.advanceDue(this.notices)),
    });
    this.jobs.poll({
      name: 'pan-checks',
      waiting: 'PAN checks of replicas that died wait',
      run: () => actingAs('system:pan-worker', () => this.durableCalls.advanceDue(this.panChecks)),
    });
    const run = async (): Promise<void> => {
      await this.durableCalls.advanceDue(this.hostedOutcome);
      await this.durableCalls.advanceDue(this.lockerVisits);
    };
    this.jobs.poll({
      name: 'ekyc',
      waiting: 'live eKYC requests wait',
      run: () => actingAs('system:ekyc-worker', run),
    });
  }
}
