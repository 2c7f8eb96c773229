import { STATUS_CODES } from 'node:http';
import { type AppError, messageOf } from '@fd/errors';
import type { ErrorItem, FailureEnvelope, MalformedJsonItem } from './envelope.js';

/** The envelope of a refusal. `message` overrides the usual text of the status (routes spell 400 differently). */
export function failureOf(error: AppError, message?: string): FailureEnvelope {
  return failure(
    error.httpStatus,
    error.refusals.map(({ error: refusal, field }): ErrorItem => ({
      f_error_reason: field ?? refusal.token,
      f_error_message: messageOf(refusal, error.params),
      errorCode: refusal.code,
      error: refusal.text,
    })),
    message,
  );
}

/** The envelope of a body that is no JSON. */
export function malformedJsonFailure(parserMessage: string, message?: string): FailureEnvelope {
  const item: MalformedJsonItem = { statusCode: 400, message: parserMessage, error: 'Bad Request' };
  return failure(400, item, message);
}

function failure(
  statusCode: number,
  error: FailureEnvelope['error'],
  message: string | undefined,
): FailureEnvelope {
  return {
    success: 0,
    statusCode,
    message: message ?? STATUS_CODES[statusCode] ?? 'Error',
    payload: {},
    error,
  };
}
