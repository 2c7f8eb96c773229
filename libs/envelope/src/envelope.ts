/** One reason inside a failure. */
export interface ErrorItem {
  /** Stable token, or the name of the field that is refused. */
  readonly f_error_reason: string;
  /** What a person should read. */
  readonly f_error_message: string;
  readonly errorCode: string;
  readonly error: string;
}

/** The object form of `error`: only for a body that is no JSON. */
export interface MalformedJsonItem {
  readonly statusCode: number;
  /** The parser's message, without the text that it could not read. */
  readonly message: string;
  readonly error: string;
}

export interface SuccessEnvelope<Payload> {
  readonly success: 1;
  /** May differ from the HTTP status where the route says so. */
  readonly statusCode: number;
  readonly message: string;
  readonly payload: Payload;
}

export interface FailureEnvelope {
  readonly success: 0;
  readonly statusCode: number;
  readonly message: string;
  readonly payload: Record<string, never>;
  readonly error: readonly ErrorItem[] | MalformedJsonItem;
}
