import { join } from 'node:path';
import { ApiError, createClient } from '@fd/client';
import { ApiKeyErrors, ERROR_CODES, errorOf, type Example, EXAMPLES } from '@fd/errors';
import { codesIn, examplesOf, recordEvidence, runExample } from '@fd/testing';
import { ISSUERS } from '../support/issuers.js';
import { API_KEY, startService, type TestService } from '../support/master-app.js';

let service: TestService;
let masterUrl: string;
beforeAll(async () => {
  service = await startService();
  masterUrl = service.url;
});
afterAll(() => service.close());

const clientWith = (apiKey?: string) => createClient({ usersUrl: 'http://127.0.0.1:1', masterUrl, apiKey });

const DEPOSIT = {
  tenure: 730,
  investment_amount: 100_000,
  payout_frequency: 'Maturity',
  senior_citizen: 'false',
  women_citizen: 'false',
  tax_saver: 'false',
  product_type: 'FD',
} as const;

describe('the TypeScript client', () => {
  it('returns the issuers, an issuer, a quote and a comparison', async () => {
    const { master } = clientWith(API_KEY);
    const { payload: list } = await master.get('/api/v1/issuers');
    expect(list.issuers).toHaveLength(Object.keys(ISSUERS).length);
    const { payload: detail } = await master.get('/detail/{issuer_uuid}', {
      path: { issuer_uuid: ISSUERS.aravalli.id },
    });
    expect(detail.issuerData.f_code).toBe('ARAVFIN');
    const { payload: quote } = await master.get('/api/v1/detail/maturity-amount/{issuer_code}', {
      path: { issuer_code: detail.issuerData.f_code },
      query: DEPOSIT,
    });
    expect(quote.maturity_amount).toBeGreaterThan(100_000);
    const { payload: compared } = await master.get('/api/v1/compare', {
      query: { amount: 100_000, tenure: 730 },
    });
    expect(compared.quotes.length).toBeGreaterThan(1);
  });

  it.each([
    [undefined, ApiKeyErrors.missing.code],
    ['wrong', ApiKeyErrors.invalid.code],
  ])('throws the refusal of the key %s', async (apiKey, code) => {
    const thrown = await clientWith(apiKey)
      .master.get('/api/v1/issuers')
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ code, statusCode: 401 });
  });

  it('runs the example in the README of the client', async () => {
    const [, example] = examplesOf(join(import.meta.dirname, '../../../../libs/client/README.md'));
    const code = example!.code
      .replace('http://localhost:3002', masterUrl)
      .replace('sandbox-api-key', API_KEY);
    const [issuers, quote] = await runExample(code, { '@fd/client': { createClient } });
    expect(issuers).toBe('issuers 5');
    expect(quote).toMatch(/^you get 1\d{5}(\.\d+)? on 20\d\d-\d\d-\d\d$/);
  });
});

const examples = ERROR_CODES.filter((code) => code.startsWith('SVCMAS')).flatMap((code) => {
  const how = EXAMPLES[code];
  return 'none' in how ? [] : [[errorOf(code).text, code, how] as [string, string, Example]];
});

describe('the examples of the error catalogue', () => {
  let provoked = 0;

  it.each(examples)('provokes the error "%s" by its example', async (_, code, { as, call, headers = {} }) => {
    const api = as === 'anonymous' ? service.anonymous : service.api;
    const { body } = await api.get(call.replace('GET ', ''), as === 'anonymous' ? { headers } : {});
    expect(codesIn(body)).toContain(code);
    provoked++;
  });

  it('provokes every error code that has an example', () => {
    expect(provoked).toBe(examples.length);
    recordEvidence('errors-provoked', { examples: provoked });
  });
});
