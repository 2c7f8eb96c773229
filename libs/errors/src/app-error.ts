import type { ErrorCode } from './catalogue.js';
import type { CatalogueEntry, ErrorDefinition } from './define-errors.js';

/** Values for the placeholders of an entry's message. Never personal data: they are sent and logged. */
export type ErrorParams = Readonly<Record<string, string | number>>;

/** One refusal inside an error, and the request field it is about. */
export interface Refusal {
  readonly error: ErrorDefinition;
  readonly field?: string | undefined;
  /** The accepted values: a sentence after the message, without values of the request. */
  readonly hint?: string | undefined;
}

export interface AppErrorOptions {
  /** Name of the refused request field, sent as `field` and `f_error_reason`. */
  readonly field?: string;
  readonly params?: ErrorParams;
  /** As `Refusal.hint`; for an unreadable request, what the client must send. */
  readonly hint?: string | undefined;
  /** Seconds until a repeat makes sense, sent as `Retry-After`; `{wait}` of a message, in words. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** `1 second`, `42 seconds`. */
const inWords = new Intl.NumberFormat('en', {
  ...{ style: 'unit', unit: 'second', unitDisplay: 'long' },
  useGrouping: false,
});

/**
 * The only exception of the product's own code: a refusal with a reason of the catalogue. The first refusal decides the HTTP
 * status. An error without refusals is an unreadable request (400).
 */
export class AppError extends Error {
  readonly params: ErrorParams;
  /** Set only for an unreadable request. */
  readonly hint: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  /** For several refusals; an entry of the catalogue creates an error with one. */
  constructor(
    readonly refusals: readonly Refusal[],
    { params, hint, retryAfterSeconds, cause }: Omit<AppErrorOptions, 'field'> = {},
  ) {
    super(refusals.map(({ error }) => `${error.code} ${error.text}`).join('; '), { cause });
    this.name = 'AppError';
    this.hint = hint;
    this.retryAfterSeconds = retryAfterSeconds;
    this.params =
      retryAfterSeconds === undefined
        ? (params ?? {})
        : { wait: inWords.format(retryAfterSeconds), ...params };
  }

  /** HTTP status of the answer. */
  get httpStatus(): number {
    return this.refusals[0]?.error.httpStatus ?? 400;
  }

  /** Code of the first refusal. */
  get code(): ErrorCode | undefined {
    return this.refusals[0]?.error.code;
  }

  /** An unreadable request: no body, or another media type. */
  static unreadableRequest(hint: string): AppError {
    return new AppError([], { hint });
  }
}

/** An entry's message with its parameters, followed by the hint. */
export function messageOf(
  { message }: Pick<CatalogueEntry, 'message'>,
  { params = {}, hint }: { params?: ErrorParams; hint?: string | undefined } = {},
): string {
  const filled = message.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''));
  return hint ? `${filled} ${hint}` : filled;
}
