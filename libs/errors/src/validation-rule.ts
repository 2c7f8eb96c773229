import type { ErrorCode } from './catalogue.js';

/**
 * What a validation rule of a request class carries to the pipe that maps it: the code it refuses with and its
 * place in the order of checks. A rule without a code refuses the request as a whole (400 without items).
 */
export interface ValidationRule {
  readonly code: ErrorCode | null;
  readonly order: number;
}
