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

/** Parameters that differ from a good call; undefined leaves one out. */
export type Changes = Record<string, string | string[] | undefined>;

/** Asks a replica for a quote of one lakh rupees for two years, or of what differs from that. */
export function askQuote({ api }: MasterApp, code: string, changes: Changes = {}): Promise<Response> {
  const query = Object.fromEntries(
    Object.entries({ ...GOOD, ...changes }).filter(([, value]) => value !== undefined),
  ) as typeof GOOD;
  return api.get(`/api/v1/detail/maturity-amount/${code}`, { query });
}

/** The quote, which must be given. */
export async function quoteOf(app: MasterApp, code: string, changes: Changes = {}): Promise<MaturityQuote> {
  const response = await askQuote(app, code, changes);
  expect(response.status).toBe(200);
  return response.body as MaturityQuote;
}
