import { Module } from '@nestjs/common';
import { KycModule } from '../../kyc/index.js';
import { NominationsService } from './nominations.service.js';
import { NomineeWaiversRepository } from './nominee-waivers.repository.js';
import { NomineesController } from './nominees.controller.js';
import { NomineesRepository } from './nominees.repository.js';

@Module({
  imports: [KycModule],
  controllers: [NomineesController],
  providers: [NominationsService, NomineesRepository, NomineeWaiversRepository],
  exports: [NomineesRepository],
})
export class NomineesModule {}
