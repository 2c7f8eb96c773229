import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { withRequestStore } from '@fd/envelope';
import type { RequestHandler } from 'express';

export const REQUEST_ID = 'x-request-id';

/**
 * Random ids of gateways, tracers and clients: a UUID, or 32 hexadecimal digits. Other ids might contain a phone or a
 * name, and request ids go into logs, the audit trail and calls to providers.
 */
const MACHINE_MADE =
  /^(?=[\d-]*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$/i;

/**
 * Ids that contain a phone, an Aadhaar number or a PAN, wherever their dashes are, are replaced: of random ids 7.1 % with version 4,
 * 6.6 % with version 7, and 6.5 % of 32 digits. Refusing every ten digits in a row would replace a tenth.
 */
const PERSONAL = /[6-9]\d{9}|[2-9]\d{11}|[a-f]{5}\d{4}[a-f]/i;

const isMachineMade = (id: string): boolean =>
  MACHINE_MADE.test(id) && !PERSONAL.test(id.replaceAll('-', ''));

/** The id of the answer: that of the request if a machine made it, else a new one. */
export function requestIdFor({ [REQUEST_ID]: incoming }: IncomingHttpHeaders): string {
  return typeof incoming === 'string' && isMachineMade(incoming) ? incoming : randomUUID();
}

/** Gives the answer its id, and opens the store of the request with it. */
export const openRequestStore: RequestHandler = ({ headers }, response, next) => {
  const requestId = requestIdFor(headers);
  response.setHeader(REQUEST_ID, requestId);
  withRequestStore({ requestId }, next);
};
