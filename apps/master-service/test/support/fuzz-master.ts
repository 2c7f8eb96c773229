import { AnswerRules, type ApiDocument, type Credential, Exchange, fuzz, type Tally } from '@fd/fuzzing';
import { DocumentedAnswers } from '@fd/testing';
import { API_KEY } from './master-app.js';

const keyed = (name: string, weight: number, apikey?: string): Credential => ({
  name,
  weight,
  isGood: apikey === API_KEY,
  headers: (): Record<string, string> => (apikey === undefined ? {} : { apikey }),
});

const CREDENTIALS = [
  keyed('own', 8, API_KEY),
  keyed('none', 1),
  keyed('unknown', 1, 'no-key-of-anybody'),
  keyed('long', 1, 'x'.repeat(5_000)),
];

/** Existing values, which reach deeper into the service than random ones. */
const POOLS = {
  issuer_code: ['ARAVFIN', 'KAVSFB', 'NILHFC', 'SAHCAP', 'VINBANK'],
  issuer_uuid: [1, 2, 3, 4, 5].map((last) => `6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e100${last}`),
  tenure: ['365', '730', '1825'],
  amount: ['5000', '100000'],
  investment_amount: ['5000', '100000'],
  payout_frequency: ['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly'],
  product_type: ['FD'],
  senior_citizen: ['true', 'false'],
  women_citizen: ['true', 'false'],
  tax_saver: ['true', 'false'],
  explain: ['true', 'false'],
  financial_year: ['2026-27', '2027-28'],
  declaration_form: ['121'],
  lang: ['en', 'hi'],
  format: ['json', 'html'],
};

/** Sends hostile requests to the service and checks every answer by the rules. */
export async function fuzzMasterService({
  baseUrl,
  requests,
  seed,
  secrets,
}: {
  baseUrl: string;
  requests: number;
  seed: number;
  secrets: readonly string[];
}): Promise<Tally> {
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as ApiDocument;
  const exchange = new Exchange(baseUrl);
  const rules = new AnswerRules({ documented: new DocumentedAnswers(document), secrets });
  try {
    return await fuzz({
      document,
      exchange,
      requests,
      seed,
      rules,
      pools: POOLS,
      credentials: CREDENTIALS,
    });
  } finally {
    exchange.close();
  }
}
