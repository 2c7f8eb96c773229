import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../core/index.js';
import { InsightsController } from './insights/insights.controller.js';
import { InsightsRepository } from './insights/insights.repository.js';
import { InsightsService } from './insights/insights.service.js';
import { CurrentIssuer } from './steps/current-issuer.service.js';
import { JourneyController } from './steps/journey.controller.js';
import { JourneyPresenter } from './steps/journey.presenter.js';
import { JourneyRepository } from './steps/journey.repository.js';
import { StepOrderGuard } from './steps/step-order.guard.js';

/** The steps of each user: all features report to it, and it knows none of them. */
@Global()
@Module({
  controllers: [JourneyController, InsightsController],
  providers: [
    JourneyRepository,
    CurrentIssuer,
    JourneyPresenter,
    StepOrderGuard,
    InsightsService,
    InsightsRepository,
  ],
  exports: [JourneyRepository, CurrentIssuer, JourneyPresenter, StepOrderGuard],
})
export class JourneyModule implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly insights: InsightsRepository,
  ) {}

  onModuleInit(): void {
    const deleteBatch = () => this.insights.purgeOldCounts();
    this.jobs.cleanUp({ name: 'old counts of insight events', deleteBatch });
  }
}
