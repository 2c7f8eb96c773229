import type { ErrorDefinition } from './define-errors.js';

/**
 * What a validation rule of a request class carries to the pipe that maps it: the error it refuses with and its
 * place in the order of checks. A rule without an error refuses the request as a whole (400 without items).
 */
export interface ValidationRule {
  readonly error: ErrorDefinition | null;
  readonly order: number;
}
