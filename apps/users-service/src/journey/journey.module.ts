import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Jobs } from '../core/index.js';
import { InsightsController } from './insights/insights.controller.js';
import { InsightsRepository, OLD_INSIGHT_COUNTS } from './insights/insights.repository.js';
import { InsightsService } from './insights/insights.service.js';
import { JOURNEY_ENTITIES } from './journey.entities.js';
import { CurrentIssuer, IssuerDirectory } from './steps/current-issuer.service.js';
import { JourneyController } from './steps/journey.controller.js';
import { JourneyPresenter } from './steps/journey.presenter.js';
import { JourneyRepository } from './steps/journey.repository.js';
import { StepOrderGuard } from './steps/step-order.guard.js';

/** The steps of each user. All features report their events here; this module depends on none of them. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature(JOURNEY_ENTITIES)],
  controllers: [JourneyController, InsightsController],
  providers: [
    JourneyRepository,
    CurrentIssuer,
    IssuerDirectory,
    JourneyPresenter,
    StepOrderGuard,
    InsightsService,
    InsightsRepository,
  ],
  exports: [JourneyRepository, CurrentIssuer, IssuerDirectory, JourneyPresenter, StepOrderGuard],
})
export class JourneyModule implements OnModuleInit {
  constructor(private readonly jobs: Jobs) {}

  onModuleInit(): void {
    this.jobs.deleteOld(OLD_INSIGHT_COUNTS);
  }
}
