import type { Exchange } from '../calls/exchange.js';
import { send } from '../calls/send.js';

/** The calls of master-service that the console makes, as its OpenAPI document names them. */
export const MASTER = {
  name: 'master',
  patterns: [
    '/api/v1/issuers',
    '/api/v1/compare',
    '/api/v1/detail/maturity-amount/{issuer_code}',
    '/api/v1/fact-sheet/{issuer_code}',
    '/detail/{issuer_uuid}',
  ],
} as const;

/** Makes a GET to master-service. */
export const askMaster = (baseUrl: string, apiKey: string, title: string, path: string): Promise<Exchange> =>
  send({ method: 'GET', url: baseUrl + path, headers: { apikey: apiKey } }, { title });
