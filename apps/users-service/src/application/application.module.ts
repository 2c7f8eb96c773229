import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { BankModule } from '../banking/index.js';
import { Jobs } from '../core/index.js';
import { IdentityModule } from '../identity/index.js';
import { JourneyPresenter } from '../journey/index.js';
import { KycModule } from '../kyc/index.js';
import { ApplicationReadiness } from './booking/application-readiness.entity.js';
import { BookingController } from './booking/booking.controller.js';
import { BookingService } from './booking/booking.service.js';
import { ReadyApplications } from './booking/ready-applications.service.js';
import { ConfirmationTry } from './confirmation/confirmation-try.entity.js';
import { ConfirmationController } from './confirmation/confirmation.controller.js';
import { ConfirmationService, OLD_CONFIRMATION_TRIES } from './confirmation/confirmation.service.js';
import { DataExportController } from './data-export/data-export.controller.js';
import { DataExport } from './data-export/data-export.entity.js';
import { DataExportService, OLD_DATA_EXPORTS } from './data-export/data-export.service.js';
import { LeadRow } from './leads/lead.entity.js';
import { LeadsController } from './leads/leads.controller.js';
import { LeadsRepository } from './leads/leads.repository.js';
import { LeadsService } from './leads/leads.service.js';
import { NominationsService } from './nominees/nominations.service.js';
import { NomineeWaiver } from './nominees/nominee-waiver.entity.js';
import { NomineeRow } from './nominees/nominee.entity.js';
import { NomineesController } from './nominees/nominees.controller.js';
import { NomineesRepository, OLD_WAIVERS } from './nominees/nominees.repository.js';
import { AcceptedDeclaration } from './personal-details/accepted-declaration.entity.js';
import { DetailsValidator, personalDetailsSchema } from './personal-details/details-validator.js';
import { PersonalDetailsController } from './personal-details/personal-details.controller.js';
import { PersonalDetails } from './personal-details/personal-details.entity.js';
import { PersonalDetailsRepository } from './personal-details/personal-details.repository.js';
import { PersonalDetailsService } from './personal-details/personal-details.service.js';
import { ProfileController } from './profile/profile.controller.js';
import { ProfileService } from './profile/profile.service.js';
import { ErasedUser } from './support/erased-user.entity.js';
import { UserDataReader } from './support/user-data.repository.js';
import { purgeKycRecords } from './support/user-erasure.js';
import { UserExport } from './support/user-export.js';
import { UserChanges } from './user-changes.js';

export const APPLICATION_ENTITIES = [
  ApplicationReadiness,
  ConfirmationTry,
  AcceptedDeclaration,
  DataExport,
  ErasedUser,
  LeadRow,
  NomineeRow,
  NomineeWaiver,
  PersonalDetails,
];

@Module({
  imports: [TypeOrmModule.forFeature(APPLICATION_ENTITIES), IdentityModule, KycModule, BankModule],
  controllers: [
    LeadsController,
    PersonalDetailsController,
    NomineesController,
    BookingController,
    ConfirmationController,
    DataExportController,
    ProfileController,
  ],
  providers: [
    UserChanges,
    LeadsService,
    LeadsRepository,
    PersonalDetailsService,
    PersonalDetailsRepository,
    DetailsValidator,
    NominationsService,
    NomineesRepository,
    BookingService,
    ReadyApplications,
    ConfirmationService,
    DataExportService,
    UserDataReader,
    UserExport,
    ProfileService,
  ],
})
export class ApplicationModule implements OnModuleInit {
  constructor(
    private readonly journey: JourneyPresenter,
    private readonly jobs: Jobs,
    private readonly manager: EntityManager,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp({
      name: 'KYC records of erased users',
      deleteBatch: () => purgeKycRecords(this.manager),
    });
    this.journey.setExpectedParams('PERSONAL_DETAILS', personalDetailsSchema);
    this.jobs.deleteOld(OLD_WAIVERS, OLD_CONFIRMATION_TRIES, OLD_DATA_EXPORTS);
  }
}
