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
export {
  ErrorFilter,
  EXPLAIN_DEFECT,
  type ExplainDefect,
  type FailureEnvelope,
  failureOf,
} from './error.filter.js';
export { DeadlineGuard } from './deadline.guard.js';
export { RefusalGuard, UNKNOWN_ROUTE, UnknownRouteModule } from './refusal.guard.js';
export { RequestBodyGuard } from './request-body.guard.js';
export { parseBody, readBody } from './request-body.js';
export { addToRequestStore, type RequestStore, requestStore, withRequestStore } from './request-store.js';
export { Answers, AnswersRaw, DEFAULT_CONTRACT } from './route-contract.js';
export { JSON_TYPE, sendJson } from './send-json.js';
export { timeLimit } from './time-limits.config.js';
