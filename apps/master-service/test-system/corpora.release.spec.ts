import {
  AnswerRules,
  type ApiDocument,
  Exchange,
  NAUGHTY_STRINGS,
  operationsOf,
  parameterRequests,
} from '@fd/fuzzing';
import { DocumentedAnswers, recordEvidence } from '@fd/testing';
import { API_KEY, startService, type TestService } from '../test/support/master-app.js';

/** Each call gets one of this many texts, in turn; the soak sends all. */
const EVERY = 12;

/** Parameters of a successful call, so that only the changed one matters. */
const FILLERS = {
  issuer_code: 'ARAVFIN',
  issuer_uuid: '6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e1001',
  tenure: '730',
  amount: '100000',
  investment_amount: '100000',
  payout_frequency: 'Maturity',
  product_type: 'FD',
};

describe('naughty texts', () => {
  let service: TestService;
  let exchange: Exchange;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
    exchange = new Exchange(service.url);
  });
  afterAll(async () => {
    exchange.close();
    await service.close();
  });

  it('answers naughty texts in every parameter of every call and in common headers as documented', async () => {
    const document = JSON.parse((await exchange.send('get', '/openapi.json')).text) as ApiDocument;
    const rules = new AnswerRules({ documented: new DocumentedAnswers(document), secrets: [API_KEY] });
    let requests = 0;
    for (const [nth, operation] of operationsOf(document).entries()) {
      for (const text of NAUGHTY_STRINGS.filter((_, i) => i % EVERY === nth % EVERY)) {
        for (const request of parameterRequests(operation, text, FILLERS)) {
          const headers = { apikey: API_KEY, ...request.headers };
          const isAuthorised = headers.apikey === API_KEY;
          const answer = await exchange.send(operation.method, request.target, headers);
          rules.check(request, answer, isAuthorised);
          requests++;
        }
      }
    }
    expect(requests).toBeGreaterThan(1_000);
    expect(service.logs()).not.toMatch(/forged|"level":"(error|fatal)"/);
    recordEvidence('naughty-parameters', { requests });
  });
});
