import type { ErrorFilter } from '@fd/envelope';
import type { Request, RequestHandler, Response } from 'express';
import { isDecodable } from '../config/store-urls.js';
import { isFileOfApiDocs, isOfApiDocument } from '../openapi/api-document.js';
import type { AddressLimit } from './address-limit.js';

/**
 * Share of the calls a minute that one address may use for files of the API reference: megabytes, which browsers cache. With all
 * calls, one address gets 200 MB a second.
 */
const DOCS_FILES_SHARE = 0.05;

/** Counts requests that get an answer before any guard: API documents, and paths that cannot be decoded. */
export function countUnguarded(limit: AddressLimit, errors: ErrorFilter): RequestHandler {
  const count = async (request: Request, response: Response): Promise<void> => {
    await limit.count(request, response);
    if (isFileOfApiDocs(request.path)) await limit.countShare('docs', request, DOCS_FILES_SHARE);
  };
  return (request, response, next) => {
    if (isDecodable(request.path) && !isOfApiDocument(request.path)) return next();
    count(request, response).then(
      () => next(),
      (error: unknown) => errors.respond(error, response),
    );
  };
}
