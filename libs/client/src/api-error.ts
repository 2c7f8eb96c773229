import { type ErrorCode, isErrorCode } from './error-code.js';

/** One reason of a refusal. A refusal may have several: one for each field that is not in order. */
export interface ErrorItem {
  /** The code as it was sent, also when this version of the client does not know it. */
  readonly errorCode: string;
  /** `f_error_reason` as it was sent: the name of a request field, or the stable token of the code. */
  readonly reason: string;
  /** Name of the request field that it is about, or null when it is about the call as a whole. */
  readonly field: string | null;
  /** What the person may read. */
  readonly message: string;
  /** What the developer may read. */
  readonly text: string;
}

/** What was said about a call that a service has refused. */
export interface Refusal {
  readonly statusCode: number;
  readonly message: string;
  readonly items: readonly ErrorItem[];
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
}

/** Statuses after which the same call, unchanged, may succeed later. */
const RETRYABLE_STATUSES = [409, 429, 503];

/** A service has answered that it will not do it. Branch on `code`; show `userMessage`. */
export class ApiError extends Error {
  /** Code of the first reason; null when there is none, or one that this version of the client does not know. */
  readonly code: ErrorCode | null;
  /** HTTP status. */
  readonly statusCode: number;
  /** `f_error_reason` of the first reason: the name of a request field, or the token of the code; null without any. */
  readonly reason: string | null;
  readonly items: readonly ErrorItem[];
  /** Tells our operators which call it was. */
  readonly requestId: string | null;
  /** Seconds until a repeat makes sense, where the service said so. */
  readonly retryAfterSeconds: number | null;
  /** Whether the same call may succeed later without being changed. */
  readonly isRetryable: boolean;

  constructor(refusal: Refusal) {
    const [first] = refusal.items;
    super(`${refusal.statusCode} ${first ? `${first.errorCode} ${first.text}` : refusal.message}`);
    this.name = 'ApiError';
    this.code = first && isErrorCode(first.errorCode) ? first.errorCode : null;
    this.statusCode = refusal.statusCode;
    this.reason = first?.reason ?? null;
    this.items = refusal.items;
    this.requestId = refusal.requestId;
    this.retryAfterSeconds = refusal.retryAfterSeconds;
    this.isRetryable = RETRYABLE_STATUSES.includes(refusal.statusCode);
  }

  /** What the person may read, if the service said anything to them. */
  get userMessage(): string | null {
    return this.items[0]?.message ?? null;
  }

  /** What to show beside a field of the form; undefined when nothing is wrong with it. */
  messageOf(field: string): string | undefined {
    return this.items.find((item) => item.field === field)?.message;
  }
}

/** No answer came: whether the service has done it is not known. The same call with the same key is safe to repeat. */
export class NoAnswerError extends Error {
  /** Lost: no connection, or it broke. Timeout: nothing within the time that the client was given. */
  readonly why: 'lost' | 'timeout';

  constructor(why: NoAnswerError['why'], cause: unknown) {
    super(why === 'timeout' ? 'the service did not answer in time' : 'the service could not be reached', {
      cause,
    });
    this.name = 'NoAnswerError';
    this.why = why;
  }
}

/** An envelope of failure as it is on the wire; nothing is taken for granted, since a gateway may have answered. */
interface FailureOnWire {
  readonly message?: unknown;
  readonly error?: unknown;
}

/** @param body what was parsed of the answer, whatever it is */
export function apiErrorOf(response: Response, body: unknown): ApiError {
  const failure = (typeof body === 'object' && body !== null ? body : {}) as FailureOnWire;
  const reasons = Array.isArray(failure.error) ? (failure.error as unknown[]) : [];
  return new ApiError({
    statusCode: response.status,
    message: textOf(failure.message) || response.statusText || 'no reason was given',
    items: reasons.filter(isReason).map(itemOf),
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: retryAfterSecondsOf(response.headers),
  });
}

/** Seconds of `Retry-After`; null without it, or when it is a date, which our services never send. */
export function retryAfterSecondsOf(headers: Headers): number | null {
  const value = headers.get('retry-after');
  return value !== null && /^[0-9]{1,9}$/.test(value) ? Number(value) : null;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const isReason = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && 'errorCode' in value && typeof value.errorCode === 'string';

function itemOf(reason: Record<string, unknown>): ErrorItem {
  return {
    errorCode: textOf(reason['errorCode']),
    reason: textOf(reason['f_error_reason']).trim(),
    field: textOf(reason['field']) || null,
    message: textOf(reason['f_error_message']).trim(),
    text: textOf(reason['error']),
  };
}
