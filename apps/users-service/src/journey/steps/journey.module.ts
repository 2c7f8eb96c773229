import { Global, Module } from '@nestjs/common';
import { CurrentIssuer } from './current-issuer.service.js';
import { JourneyController } from './journey.controller.js';
import { JourneyPresenter } from './journey.presenter.js';
import { JourneyRepository } from './journey.repository.js';
import { StepOrderGuard } from './step-order.guard.js';

/** Where each user stands: all features report to it, and it knows none of them. */
@Global()
@Module({
  controllers: [JourneyController],
  providers: [JourneyRepository, CurrentIssuer, JourneyPresenter, StepOrderGuard],
  exports: [JourneyRepository, CurrentIssuer, JourneyPresenter, StepOrderGuard],
})
export class JourneyModule {}
