import { AppError, type AppErrorOptions } from './app-error.js';
import type { ErrorCode } from './catalogue.js';
import type { CatalogueEntry } from './entry.js';

/** Statuses with which the same call may succeed later without being changed. */
const RETRYABLE = [202, 409, 429, 503];

/** A named error: its entry of the catalogue, and called, the exception to throw. */
export interface ErrorDefinition<Code extends string = ErrorCode> extends CatalogueEntry<Code> {
  /** Whether the same call may succeed later without being changed. */
  readonly retryable: boolean;
  (options?: AppErrorOptions): AppError;
}

/** Names the errors of one area. */
export function defineErrors<const Codes extends Readonly<Record<string, string>>>(entries: {
  readonly [Name in keyof Codes]: CatalogueEntry<Codes[Name]>;
}): { readonly [Name in keyof Codes]: ErrorDefinition<Codes[Name]> } {
  const named = Object.entries<CatalogueEntry>(entries).map(([name, entry]) => [name, define(entry)]);
  return Object.fromEntries(named) as { [Name in keyof Codes]: ErrorDefinition<Codes[Name]> };
}

function define(entry: CatalogueEntry): ErrorDefinition<string> {
  const definition = ({ field, ...options }: AppErrorOptions = {}): AppError =>
    new AppError([{ error: definition as ErrorDefinition, field }], options);
  return Object.assign(definition, entry, { retryable: RETRYABLE.includes(entry.httpStatus) });
}
