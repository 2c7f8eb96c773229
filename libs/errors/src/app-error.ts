import { entryOf, type ErrorCode } from './catalogue.js';

/** Values for the placeholders of an entry's message. Never personal data: they are sent and logged. */
export type ErrorParams = Readonly<Record<string, string | number>>;

/** One refusal inside an error: the code, and the field it is about when it is a matter of validation. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly field?: string;
}

export interface AppErrorOptions {
  /** Name of the request field that is refused, sent as `f_error_reason`. */
  readonly field?: string;
  readonly params?: ErrorParams;
  /** Seconds until a repeat makes sense, sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/**
 * The one exception of the product's own code: something was refused for a reason of the catalogue. The first
 * refusal decides the HTTP status. An error without refusals is a request that is unusable as a whole (400).
 */
export class AppError extends Error {
  readonly refusals: readonly Refusal[];
  readonly params: ErrorParams;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode | readonly Refusal[], options: AppErrorOptions = {}) {
    const refusals = typeof code === 'string' ? [refusal(code, options.field)] : code;
    super(
      refusals.map((item) => `${item.code} ${entryOf(item.code).text}`).join('; ') || 'unusable request',
      {
        cause: options.cause,
      },
    );
    this.name = 'AppError';
    this.refusals = refusals;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.params =
      options.retryAfterSeconds === undefined
        ? (options.params ?? {})
        : { retryAfterSeconds: options.retryAfterSeconds, ...options.params };
  }

  /** HTTP status of the answer. */
  get httpStatus(): number {
    const first = this.refusals[0];
    return first ? entryOf(first.code).httpStatus : 400;
  }

  /** A request that cannot be used as a whole (no body, another media type): 400 without items. */
  static unusableRequest(): AppError {
    return new AppError([]);
  }
}

function refusal(code: ErrorCode, field: string | undefined): Refusal {
  return field === undefined ? { code } : { code, field };
}

/** An entry's message with its placeholders filled in. */
export function messageOf(code: ErrorCode, params: ErrorParams = {}): string {
  return entryOf(code).message.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''));
}
