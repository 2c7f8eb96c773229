import { Module, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../core/index.js';
import { InsightDaysRepository } from './insight-days.repository.js';
import { InsightsController } from './insights.controller.js';
import { InsightsRepository } from './insights.repository.js';
import { InsightsService } from './insights.service.js';

@Module({
  controllers: [InsightsController],
  providers: [InsightsService, InsightsRepository, InsightDaysRepository],
})
export class InsightsModule implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly insights: InsightsRepository,
    private readonly days: InsightDaysRepository,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp({ name: 'old insight events', deleteBatch: () => this.insights.purgeOld() });
    this.jobs.cleanUp({ name: 'old counts of insight events', deleteBatch: () => this.days.purgeOld() });
  }
}
