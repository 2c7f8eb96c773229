export {
  atLimit,
  DEADLINE_MS,
  DeadlineGuard,
  enforceDeadline,
  remainingMs,
  whenTooLate,
  withDeadline,
  within,
} from './deadline.js';
export { EnvelopeAdapter, HtmlPage, JSON_TYPE, PreparedAnswer, sendJson } from './envelope.adapter.js';
export { EnvelopeModule } from './envelope.module.js';
export {
  ErrorFilter,
  EXPLAIN_DEFECT,
  type ExplainDefect,
  failure,
  type FailureEnvelope,
  failureOf,
} from './error.filter.js';
export { RefusalGuard, UNKNOWN_ROUTE, UnknownRouteModule } from './refusal.guard.js';
export { parseBody, readBody } from './request-body.js';
export { addToRequestStore, type RequestStore, requestStore, withRequestStore } from './request-store.js';
export { Answers, AnswersRaw, DEFAULT_CONTRACT } from './route-contract.js';
export { timeLimit } from './time-limits.config.js';
