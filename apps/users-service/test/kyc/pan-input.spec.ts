import { ConsentErrors, type ErrorDefinition, PanErrors } from '@fd/errors';
import { type ApiClient, expectRefusal, expectUnusable } from '@fd/testing';
import { indiaDateOf } from '@fd/contracts';
import { effectsOf } from '../support/effects.js';
import { as, logIn } from '../support/login.js';
import { aPan, PAN_PATH, panBody, postPan } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

const DAY_MS = 86_400_000;

describe('what POST /api/v1/pan-verification refuses', () => {
  let service: TestService;
  let api: ApiClient;
  let userId: string;
  beforeAll(async () => {
    service = await startService();
    const user = await logIn(service);
    userId = user.user_id;
    api = as(service.api, user);
  });
  afterAll(() => service.close());

  const good = panBody();
  const without = (...fields: string[]) =>
    Object.fromEntries(Object.entries(good).filter(([name]) => !fields.includes(name)));

  const MISSING = PanErrors.missing;
  const LENGTH = PanErrors.wrongLength;
  const PATTERN = PanErrors.malformed;

  it.each<[string, unknown, ErrorDefinition]>([
    ['left out', undefined, MISSING],
    ['null', null, MISSING],
    ['empty', '', MISSING],
    ['blank', '   ', MISSING],
    ['ten blanks', ' '.repeat(10), MISSING],
    ['too short', 'ABCDE1234', LENGTH],
    ['too long', 'ABCDE1234FG', LENGTH],
    ['very long', 'A'.repeat(10_000), LENGTH],
    ['a blank in front', ' ABCDE1234F', LENGTH],
    ['a blank behind', 'ABCDE1234F ', LENGTH],
    ['a line break behind', 'ABCDE1234F\n', LENGTH],
    ['injection text', "ABCDE1234F' OR '1'='1", LENGTH],
    ['markup', '<script>alert(1)</script>', LENGTH],
    ['lower case', 'abcde1234f', PATTERN],
    ['mixed case', 'ABCDe1234F', PATTERN],
    ['special characters', 'ABCD@1234#', PATTERN],
    ['a blank inside', 'ABCD 1234F', PATTERN],
    ['digits only', '1234567890', PATTERN],
    ['letters only', 'ABCDEFGHIJ', PATTERN],
    ['letters and digits in other places', 'ABCD12345F', PATTERN],
    ['digits first', '1234ABCDEF', PATTERN],
    ['injection text of ten characters', "' OR 1=1--", PATTERN],
    ['digits of another script', 'ABCDE１２３４F', PATTERN],
    ['letters of another script', 'АВСDE1234F', PATTERN],
    ['a NUL inside', 'ABCDE1234\u0000', PATTERN],
    ['a lone surrogate', 'ABCDE1234\ud800', PATTERN],
    ['a number', 1234567890, PATTERN],
    ['a boolean', true, PATTERN],
    ['a list', ['ABCDE1234F'], PATTERN],
    ['an object', { $ne: null }, PATTERN],
  ])('number %s', async (_name, number, error) => {
    expectRefusal(await postPan(api, { ...good, number }), error);
  });

  const NO_DOB = PanErrors.birthDateMissing;
  const NO_DATE = PanErrors.birthDateInvalid;

  it.each<[string, unknown, ErrorDefinition]>([
    ['left out', undefined, NO_DOB],
    ['null', null, NO_DOB],
    ['empty', '', NO_DOB],
    ['blank', '  ', NO_DOB],
    ['day first', '21-04-1990', NO_DATE],
    ['slashes', '1990/04/21', NO_DATE],
    ['without zeros', '1990-4-21', NO_DATE],
    ['a time', '1990-04-21T00:00:00Z', NO_DATE],
    ['words', '21 April 1990', NO_DATE],
    ['month 13', '1990-13-01', NO_DATE],
    ['month 0', '1990-00-10', NO_DATE],
    ['day 0', '1990-01-00', NO_DATE],
    ['30 February', '2001-02-30', NO_DATE],
    ['29 February of a common year', '2001-02-29', NO_DATE],
    ['29 February 1900', '1900-02-29', NO_DATE],
    ['31 April', '1990-04-31', NO_DATE],
    ['the year 0', '0000-01-01', NO_DATE],
    ['five digits of year', '+01990-04-21', NO_DATE],
    ['a blank behind', '1990-04-21 ', NO_DATE],
    ['injection text', "1990-01-01' --", NO_DATE],
    ['digits of another script', '１９９０-04-21', NO_DATE],
    ['a number', 19900421, NO_DATE],
    ['a list', ['1990-04-21'], NO_DATE],
    ['an object', { year: 1990 }, NO_DATE],
    ['far in the future', '2999-01-01', PanErrors.birthDateInFuture],
    ['the last date there is', '9999-12-31', PanErrors.birthDateInFuture],
  ])('dob %s', async (_name, dob, error) => {
    expectRefusal(await postPan(api, { ...good, dob }), error);
  });

  it('a dob of tomorrow in India', async () => {
    const tomorrow = indiaDateOf(new Date(service.clock.now().getTime() + DAY_MS));
    expectRefusal(await postPan(api, { ...good, dob: tomorrow }), PanErrors.birthDateInFuture);
  });

  it.each<[string, unknown, ErrorDefinition]>([
    ['left out', undefined, ConsentErrors.missing],
    ['null', null, ConsentErrors.missing],
    ['false', false, ConsentErrors.refused],
    ['the text "true"', 'true', ConsentErrors.notBoolean],
    ['the text "false"', 'false', ConsentErrors.notBoolean],
    ['an empty text', '', ConsentErrors.notBoolean],
    ['1', 1, ConsentErrors.notBoolean],
    ['0', 0, ConsentErrors.notBoolean],
    ['a list', [true], ConsentErrors.notBoolean],
    ['an object', {}, ConsentErrors.notBoolean],
  ])('consent_checked %s', async (_name, consent_checked, error) => {
    expectRefusal(await postPan(api, { ...good, consent_checked }), error);
  });

  describe('in the order number, dob, consent_checked', () => {
    it.each<[string, object, ErrorDefinition]>([
      ['nothing given', {}, MISSING],
      ['number before dob', { ...good, number: 'x', dob: 'x' }, LENGTH],
      ['dob before consent', without('dob', 'consent_checked'), NO_DOB],
      [
        'a future dob before consent',
        { ...without('consent_checked'), dob: '2999-01-01' },
        PanErrors.birthDateInFuture,
      ],
      ['a future dob after the number', { ...good, number: 'x', dob: '2999-01-01' }, LENGTH],
    ])('%s', async (_name, body, error) => {
      expectRefusal(await postPan(api, body), error);
    });
  });

  it.each<[string, string | undefined, string | undefined]>([
    ['an empty body', '', 'application/json'],
    ['no body', undefined, undefined],
    ['no Content-Type', JSON.stringify(good), ''],
    ['text/plain', JSON.stringify(good), 'text/plain'],
    ['a form', 'number=ABCDE1234F', 'application/x-www-form-urlencoded'],
    ['a list', '[]', 'application/json'],
    ['a text', '"ABCDE1234F"', 'application/json'],
  ])('%s', async (_name, body, contentType) => {
    expectUnusable(await api.raw('post', PAN_PATH, body, contentType), 'Bad Request');
  });

  it('malformed JSON, with the object form of the error', async () => {
    const response = await api.raw('post', PAN_PATH, '{"number": "ABCDE1234F",', 'application/json');
    expect({ status: response.status, body: response.body as object }).toMatchObject({
      status: 400,
      body: { success: 0, error: { statusCode: 400, message: expect.any(String) as string } },
    });
  });

  it('without asking the registry or counting a look-up', async () => {
    expect(await effectsOf('pan', good.number)).toEqual([]);
    const counted: unknown[] = await service.dataSource.query(
      'SELECT 1 FROM onboarding.pan_lookups WHERE user_id = $1',
      [userId],
    );
    expect(counted).toEqual([]);
  });

  it('and drops fields that it does not know', async () => {
    const body = { ...panBody(aPan()), user_id: 'someone', full_name: 'X' };
    expect((await postPan(api, body)).status).toBe(200);
  });
});
