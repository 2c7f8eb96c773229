import {
  AnswerRules,
  type ApiDocument,
  Exchange,
  JSON_TEXTS,
  NAUGHTY_STRINGS,
  type Operation,
  operationsOf,
  parameterRequests,
  propertiesOf,
} from '@fd/fuzzing';
import { DocumentedAnswers, recordEvidence } from '@fd/testing';
import { logIn } from '../../test/support/login.js';
import { startService, type TestService } from '../../test/support/users-app.js';

jest.setTimeout(3_600_000);

describe('calls with a body', () => {
  let service: TestService;
  let exchange: Exchange;
  let document: ApiDocument;
  let rules: AnswerRules;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
    exchange = new Exchange(service.url);
    document = JSON.parse((await exchange.send('get', '/openapi.json')).text) as ApiDocument;
    rules = new AnswerRules({ documented: new DocumentedAnswers(document), secrets: [] });
  });
  afterAll(async () => {
    exchange.close();
    await service.close();
  });

  /** Sends a body to an operation, checks the answer against the rules, and returns its status. */
  async function judge(operation: Operation, bytes: Buffer, bearer: string): Promise<number> {
    const target = operation.template.replace('{issuer_slug}', 'sahyadri').replace(/\{\w+\}/, 'x');
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${bearer}` };
    const request = { operation, target, headers, body: bytes, mustBeRefused: false, isPathIntact: true };
    const answer = await exchange.send(operation.method, target, headers, bytes);
    rules.check(request, answer, true);
    return answer.status;
  }

  const withBody = () => operationsOf(document).filter(({ body }) => body);

  it('answers every text of the JSON parsing test suite as documented', async () => {
    for (const operation of withBody()) {
      const { access_token } = await logIn(service);
      for (const { name, expectation, bytes } of JSON_TEXTS) {
        // an operation without required fields may accept a valid object, so only texts to refuse are checked
        const status = await judge(operation, bytes, access_token);
        if (expectation === 'refuse' && bytes.length > 0)
          expect([operation.template, name, [400, 401, 429].includes(status)]).toEqual([
            operation.template,
            name,
            true,
          ]);
      }
    }
  });

  it('answers every naughty text in every field as documented', async () => {
    for (const operation of withBody()) {
      const { access_token } = await logIn(service);
      for (const field of propertiesOf(document, operation.body!)) {
        for (const text of NAUGHTY_STRINGS)
          await judge(operation, Buffer.from(JSON.stringify({ [field]: text })), access_token);
      }
    }
    expect(service.logs()).not.toMatch(/"level":"(error|fatal)"/);
  });

  it('answers every naughty text in every parameter and header as documented', async () => {
    let requests = 0;
    for (const [nth, operation] of operationsOf(document).entries()) {
      const { access_token } = await logIn(service);
      // the logout ends this session, so its further requests get 401
      const bearer = { authorization: `Bearer ${access_token}` };
      for (const text of NAUGHTY_STRINGS) {
        // one call is enough for the headers that all calls share
        const headers = nth === 0 ? undefined : [];
        for (const request of parameterRequests(operation, text, { issuer_slug: 'sahyadri' }, headers)) {
          const answer = await exchange.send(
            operation.method,
            request.target,
            { ...bearer, ...request.headers },
            request.body,
          );
          rules.check(request, answer, true);
          requests++;
        }
      }
    }
    expect(service.logs()).not.toMatch(/"level":"(error|fatal)"/);
    recordEvidence('naughty-parameters-all', { requests });
  });
});
