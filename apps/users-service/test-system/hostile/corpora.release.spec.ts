import '@fd/testing/use-generous-limits';
import {
  AnswerRules,
  type ApiDocument,
  Exchange,
  type FuzzAnswer,
  JSON_TEXTS,
  NAUGHTY_STRINGS,
  operationsOf,
  parameterRequests,
} from '@fd/fuzzing';
import { GeneralErrors } from '@fd/errors';
import { DocumentedAnswers, recordEvidence } from '@fd/testing';
import { logIn, type LoggedIn } from '../../test/support/login.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const BODY_LIMIT_BYTES = 65_536;
/** Each call gets one naughty text in EVERY, and the next call the next one. */
const EVERY = 100;

let service: TestService;
let exchange: Exchange;
let user: LoggedIn;
beforeAll(async () => {
  service = await startService({
    RATE_LIMIT_PER_MINUTE: '1000000',
    BODY_LIMIT_BYTES: String(BODY_LIMIT_BYTES),
  });
  exchange = new Exchange(service.url);
  user = await logIn(service);
});
afterAll(async () => {
  exchange.close();
  await service.close();
});

const post = (path: string, body: Buffer): Promise<FuzzAnswer> =>
  exchange.send(
    'post',
    path,
    { 'content-type': 'application/json', authorization: `Bearer ${user.access_token}` },
    body,
  );

/** `malformed`: refused by the JSON parser; `unreadable`: refused as unreadable; `judged`: fields were validated. */
function verdictOn({ status, text }: FuzzAnswer): string {
  if (status !== 400) return String(status);
  const { error } = JSON.parse(text) as { error: object | { errorCode: string }[] };
  if (!Array.isArray(error)) return 'malformed';
  const [first] = error;
  return !first || first.errorCode === GeneralErrors.requestUnreadable.code ? 'unreadable' : 'judged';
}

describe.each(['/auth/register', '/api/v1/pan-verification'])('JSON texts in the body of %s', (path) => {
  it.each(['accept', 'refuse', 'either'] as const)(
    'answers texts that a JSON parser must %s',
    async (expectation) => {
      const texts = JSON_TEXTS.filter((text) => text.expectation === expectation);
      expect(texts.length).toBeGreaterThan(30);
      const allowed = {
        accept: ['unreadable', 'judged'],
        refuse: ['malformed'],
        either: ['malformed', 'unreadable', 'judged'],
      }[expectation];
      for (const { name, bytes } of texts) {
        const verdict = verdictOn(await post(path, bytes));
        // empty and oversized bodies have their own answer
        const isUnread = bytes.length === 0 || bytes.length > BODY_LIMIT_BYTES;
        expect([name, (isUnread ? ['unreadable'] : allowed).includes(verdict) || verdict]).toEqual([
          name,
          true,
        ]);
      }
    },
  );
});

describe('naughty texts', () => {
  it('refuses naughty texts as a phone and as a PAN, without a forged log line', async () => {
    const before = service.logs().length;
    for (const text of NAUGHTY_STRINGS) {
      const phone = await post('/auth/register', Buffer.from(JSON.stringify({ phone: text })));
      const pan = { number: text, dob: '1990-04-21', consent_checked: true };
      const number = await post('/api/v1/pan-verification', Buffer.from(JSON.stringify(pan)));
      expect([text, phone.status, number.status]).toEqual([text, 400, 400]);
    }
    const lines = service.logs().slice(before).trim().split('\n');
    const requests = lines
      .map((line) => JSON.parse(line) as { msg: string; level: string })
      .filter(({ msg }) => msg === 'request');
    // one line per request: no text has forged a line
    expect(requests).toHaveLength(2 * NAUGHTY_STRINGS.length);
    expect(service.logs()).not.toMatch(/forged|"level":"(error|fatal)"/);
    expect(NAUGHTY_STRINGS.length).toBeGreaterThan(600);
  });

  it('answers naughty texts in every parameter and header as documented', async () => {
    const document = JSON.parse((await exchange.send('get', '/openapi.json')).text) as ApiDocument;
    const rules = new AnswerRules({ documented: new DocumentedAnswers(document), secrets: [] });
    const bearer = { authorization: `Bearer ${user.access_token}` };
    let requests = 0;
    for (const [nth, operation] of operationsOf(document).entries()) {
      if (operation.template.includes('logout')) continue;
      // the soak test sends all texts to all calls
      for (const text of NAUGHTY_STRINGS.filter((_, i) => i % EVERY === nth % EVERY)) {
        // one call is enough for the headers that all calls share
        const beside = nth === 0 ? undefined : [];
        for (const request of parameterRequests(operation, text, { issuer_slug: 'sahyadri' }, beside)) {
          const headers = { ...bearer, ...request.headers };
          const answer = await exchange.send(operation.method, request.target, headers, request.body);
          rules.check(request, answer, true);
          requests++;
        }
      }
    }
    expect(service.logs()).not.toMatch(/forged|"level":"(error|fatal)"/);
    recordEvidence('naughty-parameters', { requests });
  });
});
