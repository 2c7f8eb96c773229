import { AppError, type AppErrorOptions } from './app-error.js';
import type { ErrorCode } from './catalogue.js';

/** Statuses after which the unchanged call may succeed later. */
const RETRYABLE = [202, 409, 429, 503];

/** Who can remedy a refusal: the customer, the calling frontend, our operators, or only the provider. */
export type Actor = 'CUSTOMER' | 'FRONTEND' | 'OPERATOR' | 'PROVIDER';

/** A refusal as its area declares it. */
interface DeclaredEntry<Code extends string> {
  /** Sent as `errorCode`. Clients branch on it. */
  readonly code: Code;
  /** HTTP status and `statusCode` of an answer with this first item. Defaults to 400. */
  readonly httpStatus?: number;
  /** Stable token for programs, sent as `f_error_reason` unless the refusal names a field. */
  readonly token: string;
  /** The code's text, sent as `error`. Texts of the published interface are exact. */
  readonly text: string;
  /** The text for people, sent as `f_error_message`. `{name}` is a parameter of the error. */
  readonly message: string;
  /** Defaults to CUSTOMER. */
  readonly actor?: Actor;
  /** How to provoke it against the sandbox. */
  readonly trigger: string;
}

/** One refusal of the product, as data. */
export interface CatalogueEntry<Code extends string = string> extends DeclaredEntry<Code> {
  readonly httpStatus: number;
  readonly actor: Actor;
}

/** A named error: an entry of the catalogue that creates the exception when it is called. */
export interface ErrorDefinition<Code extends string = ErrorCode> extends CatalogueEntry<Code> {
  /** Whether the unchanged call may succeed later. */
  readonly retryable: boolean;
  (options?: AppErrorOptions): AppError;
}

/**
 * Context of a validation rule for the pipe: its error, and its place in the order of checks. A rule without an error refuses
 * the request as unreadable.
 */
export interface ValidationRule {
  readonly error: ErrorDefinition | null;
  readonly order: number;
}

/** Names the errors of one area. */
export function defineErrors<const Codes extends Readonly<Record<string, string>>>(entries: {
  readonly [Name in keyof Codes]: DeclaredEntry<Codes[Name]>;
}): { readonly [Name in keyof Codes]: ErrorDefinition<Codes[Name]> } {
  const named = Object.entries<DeclaredEntry<string>>(entries).map(([name, entry]) => [name, define(entry)]);
  return Object.fromEntries(named) as { [Name in keyof Codes]: ErrorDefinition<Codes[Name]> };
}

function define(entry: DeclaredEntry<string>): ErrorDefinition<string> {
  const definition = ({ field, hint, ...options }: AppErrorOptions = {}): AppError =>
    new AppError([{ error: definition as ErrorDefinition, field, hint }], options);
  const complete = { httpStatus: 400, actor: 'CUSTOMER', ...entry } as const;
  return Object.assign(definition, complete, { retryable: RETRYABLE.includes(complete.httpStatus) });
}
