import { createClient } from '@fd/client';
import type { Exchange } from '../calls/exchange.js';
import { exchangeOf, ONE_ATTEMPT } from '../calls/send.js';
import type { Settings } from '../shell/sandbox-api.js';

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
export function askMaster(settings: Settings, title: string, path: string): Promise<Exchange> {
  const { users_base_url: usersUrl, master_base_url: masterUrl, api_key: apiKey } = settings;
  const { master } = createClient({ ...ONE_ATTEMPT, usersUrl, masterUrl, apiKey });
  const request = { method: 'GET', url: masterUrl + path, headers: {} };
  return exchangeOf({ title, isBackground: false, request }, (fetch) => master.call('GET', path, { fetch }));
}
