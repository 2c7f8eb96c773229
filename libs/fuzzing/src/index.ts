export { type ApiDocument, type Operation, operationsOf, propertiesOf } from './api-operations.js';
export { AnswerRules } from './answer-rules.js';
export { Exchange, type FuzzAnswer } from './exchange.js';
export { type Credential, fuzz, type FuzzOptions, type Tally } from './fuzz.js';
export { fuzzSeed } from './fuzz-seed.config.js';
export { type FuzzRequest, MARKER } from './hostile-requests.js';
export { parameterRequests } from './parameter-requests.js';
export { JSON_TEXTS } from './json-texts.js';
export { NAUGHTY_STRINGS } from './naughty-strings.js';
export { type Asked, type CallList } from './recorded/ask.js';
export { type BuiltService, describeRecordedAnswers } from './recorded/describe-recorded-answers.js';
export {
  jsonTextRequests,
  type NamedRequest,
  naughtyFieldRequests,
  naughtyParameterRequests,
} from './recorded/fixed-requests.js';
export { parsedAnswer, protocolRequests } from './recorded/protocol-requests.js';
export { type RecordedCalls } from './recorded/recorded-calls.js';
