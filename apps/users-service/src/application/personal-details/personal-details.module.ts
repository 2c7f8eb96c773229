import { Module, type OnModuleInit } from '@nestjs/common';
import { JourneyPresenter } from '../../journey/index.js';
import { DetailsValidator } from './details-validator.js';
import { PersonalDetailsController } from './personal-details.controller.js';
import { PersonalDetailsRepository } from './personal-details.repository.js';
import { personalDetailsSchema } from './personal-details.schema.js';
import { PersonalDetailsService } from './personal-details.service.js';

@Module({
  controllers: [PersonalDetailsController],
  providers: [PersonalDetailsService, PersonalDetailsRepository, DetailsValidator],
})
export class PersonalDetailsModule implements OnModuleInit {
  constructor(private readonly journey: JourneyPresenter) {}

  onModuleInit(): void {
    this.journey.setExpectedParams('PERSONAL_DETAILS', personalDetailsSchema);
  }
}
