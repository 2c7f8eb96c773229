import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Jobs } from '../core/index.js';
import { InsightDay } from './insights/insight-day.entity.js';
import { InsightEventRow } from './insights/insight-event.entity.js';
import { InsightsController } from './insights/insights.controller.js';
import { InsightsRepository, OLD_INSIGHT_COUNTS } from './insights/insights.repository.js';
import { InsightsService } from './insights/insights.service.js';
import { CurrentIssuer, IssuerDirectory } from './steps/current-issuer.service.js';
import { JourneyEvent } from './steps/journey-event.entity.js';
import { JourneyStepRow } from './steps/journey-step.entity.js';
import { JourneyController } from './steps/journey.controller.js';
import { JourneyPresenter } from './steps/journey.presenter.js';
import { JourneyRepository } from './steps/journey.repository.js';
import { StepOrderGuard } from './steps/step-order.guard.js';

export const JOURNEY_ENTITIES = [InsightDay, InsightEventRow, JourneyEvent, JourneyStepRow];

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
