import type { ErrorDefinition } from '@fd/errors';
import type { Response } from 'supertest';

/** Asserts that an answer is the failure envelope with exactly these errors in this order and the status of the first. */
export function expectRefusal(response: Response, ...errors: ErrorDefinition[]): void {
  const body = response.body as { error: { errorCode: string; error: string }[] };
  expect({
    status: response.status,
    body: {
      ...body,
      error: Array.isArray(body.error) ? body.error.map((item) => [item.errorCode, item.error]) : body.error,
    },
  }).toEqual({
    status: errors[0]!.httpStatus,
    body: {
      success: 0,
      statusCode: errors[0]!.httpStatus,
      message: expect.any(String) as string,
      payload: {},
      error: errors.map(({ code, text }) => [code, text]),
    },
  });
}

/** Asserts that an answer is a 400 without items, whose hint header says what to send. */
export function expectBareRefusal(response: Response, message: string): void {
  const { status, body, headers } = response as Pick<Response, 'status' | 'headers'> & { body: object };
  expect({ status, body, hint: headers['x-error-hint'] }).toEqual({
    status: 400,
    body: { success: 0, statusCode: 400, message, payload: {}, error: [] },
    hint: expect.stringMatching(/^Send .+\.$/),
  });
}
