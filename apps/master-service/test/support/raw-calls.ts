import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { API_KEY, type TestService } from './master-app.js';

/** Parameters of a successful quote. */
export const GOOD_QUERY = {
  tenure: '730',
  investment_amount: '100000',
  payout_frequency: 'Maturity',
  product_type: 'FD',
};

/** Names of a quote's parameters, and names that are special in JavaScript. */
export const ANY_PARAMETER = [
  'tenure',
  'investment_amount',
  'payout_frequency',
  'senior_citizen',
  'women_citizen',
  'tax_saver',
  'product_type',
  'explain',
  '__proto__',
  'constructor',
] as const;

export type RawHeaders = Record<string, string | string[]>;

/** Sends a path and headers unchanged, which HTTP clients would refuse. Returns the status. */
export function rawStatus(
  { server }: TestService,
  path: string,
  headers: RawHeaders = {},
  method = 'GET',
): Promise<number> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const call = request(
      { port, host: '127.0.0.1', path, method, headers: { apikey: API_KEY, ...headers } },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode!));
      },
    );
    call.on('error', reject);
    call.end();
  });
}
