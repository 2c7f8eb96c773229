import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
  Injectable,
  Logger,
} from '@nestjs/common';
import { AppError, type ErrorDefinition, isError } from '@fd/errors';
import type { Request, Response } from 'express';
import { failureOf, malformedJsonFailure } from './failure.js';
import { MalformedJsonError } from './json-body.js';
import { sendJson } from './send-json.js';

/** The errors of a service for what no feature of its own has refused. */
export interface FallbackErrors {
  readonly internal: ErrorDefinition;
  readonly unavailable: ErrorDefinition;
  readonly routeUnknown: ErrorDefinition;
}

export interface EnvelopeOptions {
  readonly errors: FallbackErrors;
  /** `WWW-Authenticate` of a 401: how a client may prove who it is. */
  readonly challenge: string;
  /** Whether an error means that a store we depend on is away, so that a repeat may help. */
  readonly isUnavailable: (error: unknown) => boolean;
}

export const ENVELOPE_OPTIONS = Symbol('envelope options');

const RATE_LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const RETRY_UNAVAILABLE_SECONDS = 5;

/** Turns whatever was thrown into the envelope: the only place that does. */
@Catch()
@Injectable()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(@Inject(ENVELOPE_OPTIONS) private readonly options: EnvelopeOptions) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(thrown, http.getRequest<Request>(), http.getResponse<Response>());
  }

  /** Also used for what fails before a route is reached. */
  respond(thrown: unknown, request: Request, response: Response): void {
    if (response.headersSent) {
      // cut off, or the client would take half an answer for a whole one; after the deadline it has a whole one
      if (!request.isTooLate) response.destroy();
      return;
    }
    const badRequestMessage = request.routeContract?.badRequestMessage;
    if (thrown instanceof MalformedJsonError) {
      // the published answer to malformed JSON comes with fewer headers than the others
      for (const header of RATE_LIMIT_HEADERS) response.removeHeader(header);
      sendJson(response, 400, JSON.stringify(malformedJsonFailure(thrown.message, badRequestMessage)));
      return;
    }
    const error = this.translate(thrown);
    if (error.httpStatus === 401) response.setHeader('www-authenticate', this.options.challenge);
    const retryAfter =
      error.retryAfterSeconds ?? (error.httpStatus === 503 ? RETRY_UNAVAILABLE_SECONDS : undefined);
    if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
    const failure = failureOf(error, error.httpStatus === 400 ? badRequestMessage : undefined);
    sendJson(response, error.httpStatus, JSON.stringify(failure));
  }

  private translate(thrown: unknown): AppError {
    const { errors, isUnavailable } = this.options;
    if (thrown instanceof AppError) return thrown;
    if (isUnavailable(thrown)) {
      this.logger.warn({ msg: 'a store is not available', reason: nameOf(thrown) });
      return errors.unavailable({ cause: thrown });
    }
    if (thrown instanceof HttpException && thrown.getStatus() === 404) return errors.routeUnknown();
    // Express refuses a path that cannot be decoded with an error of its own that carries the status
    if (statusOf(thrown) === 400) return AppError.unusableRequest();
    this.logger.error(isError(thrown) ? thrown : new Error(`thrown: ${typeof thrown}`));
    return errors.internal({ cause: thrown });
  }
}

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  const status: unknown = isError(thrown) && 'status' in thrown ? thrown.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

function nameOf(thrown: unknown): string {
  return isError(thrown) ? `${thrown.name}: ${thrown.message}`.slice(0, 200) : typeof thrown;
}
