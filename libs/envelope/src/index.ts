export {
  atLimit,
  DEADLINE_MS,
  enforceDeadline,
  remainingMs,
  whenTooLate,
  withDeadline,
  within,
} from './deadline.js';
export { EnvelopeAdapter, HtmlPage, PreparedAnswer } from './envelope.adapter.js';
export { EnvelopeModule } from './envelope.module.js';
export { ErrorFilter, type FailureEnvelope, failureOf } from './error.filter.js';
export { beforeAnswer, EarlyAnswer, type Outcome } from './outcome.js';
export { parseBody, readBody } from './request-body.js';
export {
  REQUEST_CHECKS,
  type RequestChecks,
  RequestGuard,
  UNKNOWN_ROUTE,
  UnknownRouteModule,
} from './request.guard.js';
export { addToRequestScope, type RequestScope, requestScope, withRequestScope } from './request-scope.js';
export { Answers, AnswersRaw, DEFAULT_CONTRACT } from './route-contract.js';
export { JSON_TYPE, sendJson } from './send-json.js';
export { timeLimit } from './time-limits.config.js';
