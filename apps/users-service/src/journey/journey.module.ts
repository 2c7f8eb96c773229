import { Global, Module } from '@nestjs/common';
import { CurrentIssuer } from './steps/current-issuer.service.js';
import { JourneyController } from './steps/journey.controller.js';
import { JourneyPresenter } from './steps/journey.presenter.js';
import { JourneyRepository } from './steps/journey.repository.js';
import { StepOrderGuard } from './steps/step-order.guard.js';

/** Where each user stands: all features report to it, and it knows none of them. */
@Global()
@Module({
  controllers: [JourneyController],
  providers: [JourneyRepository, CurrentIssuer, JourneyPresenter, StepOrderGuard],
  exports: [JourneyRepository, CurrentIssuer, JourneyPresenter, StepOrderGuard],
})
export class JourneyModule {}
