import type { MaturityQuote } from '@fd/contracts';
import type { Response } from 'supertest';
import type { MasterApp } from './master-app.js';

const GOOD: Record<string, string | string[]> = {
  tenure: '730',
  investment_amount: '100000',
  payout_frequency: 'Maturity',
  senior_citizen: 'false',
  women_citizen: 'false',
  tax_saver: 'false',
  product_type: 'FD',
};

/** Overrides of a valid call's parameters; undefined omits one. */
export type Changes = Record<string, string | string[] | undefined>;

/** Requests a quote, by default of one lakh rupees for two years. */
export function askQuote({ api }: MasterApp, code: string, changes: Changes = {}): Promise<Response> {
  const query = Object.fromEntries(
    Object.entries({ ...GOOD, ...changes }).filter(([, value]) => value !== undefined),
  ) as typeof GOOD;
  return api.get(`/api/v1/detail/maturity-amount/${code}`, { query });
}

/** Requests a quote that must succeed. */
export async function quoteOf(app: MasterApp, code: string, changes: Changes = {}): Promise<MaturityQuote> {
  const response = await askQuote(app, code, changes);
  expect(response.status).toBe(200);
  return response.body as MaturityQuote;
}
