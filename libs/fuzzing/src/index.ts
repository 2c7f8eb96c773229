export { type ApiDocument, type Operation, operationsOf, propertiesOf } from './api-operations.js';
export { AnswerRules } from './answer-rules.js';
export { Exchange, type FuzzAnswer } from './exchange.js';
export { type Credential, fuzz, type FuzzOptions, type Tally } from './fuzz.js';
export { fuzzSeed } from './fuzz-seed.config.js';
export { type FuzzRequest, MARKER } from './hostile-requests.js';
export { parameterRequests } from './parameter-requests.js';
export { JSON_TEXTS } from './json-texts.js';
export { NAUGHTY_STRINGS } from './naughty-strings.js';
