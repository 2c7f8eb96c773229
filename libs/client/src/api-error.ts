import { type ErrorCode, isErrorCode } from './error-code.js';

/** A reason of a refusal. A refusal may have several: one for each invalid field. */
export interface ErrorItem {
  /** The code as sent, even if this version of the client does not know it. */
  readonly errorCode: string;
  /** `f_error_reason` as sent: the name of a request field, or the stable token of the code. */
  readonly reason: string;
  /** Name of the refused request field; null when the reason concerns the whole call. */
  readonly field: string | null;
  /** Text for the person. */
  readonly message: string;
  /** Text for developers. */
  readonly text: string;
}

/** A refusal of a service. */
export interface Refusal {
  readonly statusCode: number;
  readonly message: string;
  readonly items: readonly ErrorItem[];
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
}

/** Statuses after which the unchanged call may succeed later. */
const RETRYABLE_STATUSES = [409, 429, 503];

/** Thrown when a service refuses a call. Branch on `code`; show `userMessage`. */
export class ApiError extends Error {
  /** Code of the first reason; null without one, or if this version of the client does not know it. */
  readonly code: ErrorCode | null;
  /** HTTP status. */
  readonly statusCode: number;
  /** `f_error_reason` of the first reason: the name of a request field, or the token of the code; null without any. */
  readonly reason: string | null;
  readonly items: readonly ErrorItem[];
  /** Identifies the call for our operators. */
  readonly requestId: string | null;
  /** Seconds until a repeat makes sense, if the service has sent them. */
  readonly retryAfterSeconds: number | null;
  /** Whether the unchanged call may succeed later. */
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

  /** Text for the person, if the service has sent one. */
  get userMessage(): string | null {
    return this.items[0]?.message ?? null;
  }

  /** Text for a field of the form; undefined when the field is valid. */
  messageOf(field: string): string | undefined {
    return this.items.find((item) => item.field === field)?.message;
  }
}

/** Codes of a 503 that no provider has caused; a gateway sends none. */
const OUTAGE_CODES: readonly unknown[] = [undefined, 'SVCUSER2991', 'SVCMAS2991'];

/**
 * Whether the service itself was unavailable. After a 503 of a provider a repeat is another call to it, which may count for the person
 * and cost money.
 */
export const isOutage = ({ statusCode, items }: ApiError): boolean =>
  statusCode === 503 && OUTAGE_CODES.includes(items[0]?.errorCode);

/** Thrown without an answer, when the outcome is unknown. The same call with the same key is safe to repeat. */
export class NoAnswerError extends Error {
  /** Lost: no connection, or it was cut. Timeout: no answer within the client's time limit. */
  readonly why: 'lost' | 'timeout';

  constructor(why: NoAnswerError['why'], cause: unknown) {
    super(why === 'timeout' ? 'the service did not answer in time' : 'the service could not be reached', {
      cause,
    });
    this.name = 'NoAnswerError';
    this.why = why;
  }
}

/** A failure on the wire; all fields are optional, since a gateway may have answered. */
interface FailureOnWire {
  readonly message?: unknown;
  readonly error?: unknown;
}

/** @param body the parsed answer, of any type */
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
