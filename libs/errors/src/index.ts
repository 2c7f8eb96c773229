export { AppError, messageOf, type AppErrorOptions, type ErrorParams, type Refusal } from './app-error.js';
export { CATALOGUE, ERROR_CODES, entryOf, type ErrorCode } from './catalogue.js';
export type { Actor, CatalogueEntry } from './entry.js';
export { type Example, type ExampleCall, PLACEHOLDERS, type Provocation } from './example.js';
export { EXAMPLES } from './examples.js';
export { isError } from './is-error.js';
export { PROVIDER_FAILURES, ProviderError, type ProviderFailure } from './provider-error.js';
export type { ValidationRule } from './validation-rule.js';
