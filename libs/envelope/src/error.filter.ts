import { STATUS_CODES } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { AppError, type ErrorDefinition, isError, messageOf, reasonOf } from '@fd/errors';
import type { Request, Response } from 'express';
import { MalformedJsonError } from './request-body.js';
import { type RequestStore, requestStore } from './request-store.js';
import { sendJson } from './envelope.adapter.js';

export interface EnvelopeOptions {
  /** The general errors of a service, for failures outside of its features. */
  readonly errors: Readonly<
    Record<'internal' | 'unavailable' | 'routeUnknown' | 'requestUnreadable', ErrorDefinition>
  >;
  /** `WWW-Authenticate` of a 401. */
  readonly challenge: string;
  /** Whether an error means that a store is down, so that a repeat may succeed. */
  readonly isUnavailable: (error: unknown) => boolean;
}

/** The refusal to answer instead of a defect of this call, if it explains it: that the caller was deleted meanwhile. */
export type ExplainDefect = (request: Request) => Promise<AppError | undefined>;

export const EXPLAIN_DEFECT = Symbol('explanation of defects');

/** One reason of a failure: a stable token or the refused field, a text for people, the code. */
type ErrorItem = Readonly<Record<'f_error_reason' | 'f_error_message' | 'errorCode' | 'error', string>> & {
  readonly field?: string;
};

export interface FailureEnvelope {
  readonly success: 0;
  readonly statusCode: number;
  readonly message: string;
  readonly payload: Record<string, never>;
  /** The object form is only for malformed JSON; its message is the parser's without the input. */
  readonly error: readonly ErrorItem[] | Readonly<{ statusCode: number; message: string; error: string }>;
}

const RATE_LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const RETRY_UNAVAILABLE_SECONDS = 5;

const NO_CODE = 'none';

/** What to send instead, where the published answer has no items. */
const HINT_HEADER = 'x-error-hint';

@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(
    private readonly options: EnvelopeOptions,
    private readonly explainDefect?: ExplainDefect,
  ) {}

  get fallbacks(): EnvelopeOptions['errors'] {
    return this.options.errors;
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    if (!this.explainDefect || !this.isDefect(thrown)) return this.respond(thrown, response);
    this.explainDefect(request)
      .then((explanation) => this.respond(explanation ?? thrown, response))
      .catch((failure: unknown) => this.respond(failure, response));
  }

  /** Also for errors before a route is reached. */
  respond(thrown: unknown, response: Response): void {
    if (response.headersSent) {
      // cut the connection, or the client would take half an answer for a whole one; after the deadline it has its answer
      if (!requestStore()?.isTooLate) response.destroy();
      return;
    }
    const store: RequestStore = requestStore() ?? {};
    const { contract } = store;
    const badRequestMessage = contract?.badRequestMessage;
    if (thrown instanceof MalformedJsonError) {
      // the published answer to malformed JSON has fewer headers than others
      for (const header of RATE_LIMIT_HEADERS) response.removeHeader(header);
      store.refusalCode = NO_CODE;
      const item = { statusCode: 400, message: thrown.message, error: 'Bad Request' };
      sendJson(response, 400, JSON.stringify(failure(400, item, badRequestMessage)));
      return;
    }
    let error = this.translate(thrown);
    if (error.refusals.length === 0) {
      const { hint } = error;
      if (!contract?.hasBareRefusals) error = this.options.errors.requestUnreadable({ hint });
      else if (hint) response.setHeader(HINT_HEADER, hint);
    }
    store.refusalCode = error.refusals[0]?.error.code ?? NO_CODE;
    if (error.httpStatus === 401) response.setHeader('www-authenticate', this.options.challenge);
    const retryAfter =
      error.retryAfterSeconds ?? (error.httpStatus === 503 ? RETRY_UNAVAILABLE_SECONDS : undefined);
    if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
    const message = error.httpStatus === 400 ? badRequestMessage : undefined;
    sendJson(response, error.httpStatus, JSON.stringify(failureOf(error, message)));
  }

  private isDefect(thrown: unknown): boolean {
    const isKnown = thrown instanceof AppError || thrown instanceof MalformedJsonError;
    return !isKnown && statusOf(thrown) === undefined && !this.options.isUnavailable(thrown);
  }

  private translate(thrown: unknown): AppError {
    const { errors, isUnavailable } = this.options;
    if (thrown instanceof AppError) return thrown;
    if (isUnavailable(thrown)) {
      this.logger.warn({ msg: 'a store is not available', reason: reasonOf(thrown) });
      return errors.unavailable({ cause: thrown });
    }
    if (thrown instanceof HttpException && thrown.getStatus() === 404) return errors.routeUnknown();
    // for an undecodable path Express throws its own error with a status
    if (statusOf(thrown) === 400) return AppError.unreadableRequest('Send a path that can be decoded.');
    this.logger.error(isError(thrown) ? thrown : new Error(`thrown: ${typeof thrown}`));
    return errors.internal({ cause: thrown });
  }
}

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  const status: unknown = isError(thrown) && 'status' in thrown ? thrown.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** The envelope of a refusal. `message` overrides the usual text of the status (routes spell 400 differently). */
export function failureOf({ httpStatus, refusals, params }: AppError, message?: string): FailureEnvelope {
  const items = refusals.map(({ error, field, hint }) => ({
    f_error_reason: field ?? error.token,
    f_error_message: messageOf(error, { params, hint }),
    errorCode: error.code,
    error: error.text,
    ...(field === undefined ? {} : { field }),
  }));
  return failure(httpStatus, items, message);
}

/** @param message defaults to the usual text of the status */
export function failure(
  statusCode: number,
  error: FailureEnvelope['error'],
  message = STATUS_CODES[statusCode] ?? 'Error',
): FailureEnvelope {
  return { success: 0, statusCode, message, payload: {}, error };
}
