import type { RawBodyRequest } from '@nestjs/common';
import { parseBody } from '@fd/envelope';
import type { Request, RequestHandler } from 'express';

const FORM = 'application/x-www-form-urlencoded';

/** The sandbox has no guard for bodies: reads JSON and forms, and keeps the bytes; an unparseable body is an empty object. */
export const parseIfPossible: RequestHandler = (request: RawBodyRequest<Request>, _response, next) => {
  const { rawBody } = request;
  try {
    if (rawBody && request.headers['content-type'] === FORM)
      request.body = Object.fromEntries(new URLSearchParams(rawBody.toString()));
    else parseBody(request, true);
  } catch {
    // the handler reads the bytes, or reports the missing fields
  }
  next();
};
