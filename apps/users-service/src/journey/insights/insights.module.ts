import { Module, type OnModuleInit } from '@nestjs/common';
import { Housekeeping } from '../../core/index.js';
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
    private readonly housekeeping: Housekeeping,
    private readonly insights: InsightsRepository,
    private readonly days: InsightDaysRepository,
  ) {}

  onModuleInit(): void {
    this.housekeeping.add({ name: 'old insight events', run: () => this.insights.purgeOld() });
    this.housekeeping.add({ name: 'old counts of insight events', run: () => this.days.purgeOld() });
  }
}
