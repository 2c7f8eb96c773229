export { TERMS_CONSENT, type TermsConsent } from './insights/insights.service.js';
export { JourneyStepRow } from './steps/journey-step.entity.js';
export { JOURNEY_ENTITIES, JourneyModule } from './journey.module.js';
export {
  CurrentIssuer,
  ISSUER_REGISTRATIONS,
  IssuerDirectory,
  type IssuerRegistrations,
  LAST_ISSUERS,
  type LastIssuers,
} from './steps/current-issuer.service.js';
export { journeyDocs } from './steps/journey-docs.js';
export { JourneyPresenter } from './steps/journey.presenter.js';
export { ACCOUNT_PARTNERS, JourneyRepository, type StepChange } from './steps/journey.repository.js';
export {
  type Journey,
  journeyOf,
  openSteps,
  type Step,
  type StepState,
  type StepStates,
} from './steps/journey.table.js';
export { ForStep, StepOrderGuard } from './steps/step-order.guard.js';
export { JOURNEY_USER_DATA } from './user-data.table.js';
