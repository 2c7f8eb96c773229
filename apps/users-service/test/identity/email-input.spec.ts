import { EmailErrors, type ErrorDefinition, OtpErrors } from '@fd/errors';
import { type ApiClient, expectRefusal, expectUnusable } from '@fd/testing';
import {
  anEmail,
  emailCode,
  SEND_EMAIL_PATH,
  sendEmailCode,
  sentPayload,
  VERIFY_EMAIL_PATH,
  verifyEmailCode,
} from '../support/email.js';
import { inboxOf } from '../support/inbox.js';
import { as, logIn } from '../support/login.js';
import { startService, type TestService } from '../support/users-app.js';

const BAD_EMAILS: readonly [string, unknown][] = [
  ['left out', undefined],
  ['null', null],
  ['empty', ''],
  ['blank', '   '],
  ['a number', 42],
  ['a boolean', true],
  ['a list', ['asha@example.com']],
  ['an object', { address: 'asha@example.com' }],
  ['deep', { a: { a: { a: { a: ['asha@example.com'] } } } }],
  ['a word', 'nobody'],
  ['without a name', '@example.com'],
  ['without a host', 'asha@'],
  ['without a dot in the host', 'asha@example'],
  ['with a one-letter top level', 'asha@example.c'],
  ['with two @', 'asha@@example.com'],
  ['with two @ apart', 'asha@rao@example.com'],
  ['with two dots', 'asha..rao@example.com'],
  ['with a dot first', '.asha@example.com'],
  ['with a dot last', 'asha.@example.com'],
  ['with two dots in the host', 'asha@example..com'],
  ['with a hyphen first in the host', 'asha@-example.com'],
  ['with an underscore in the host', 'asha@exam_ple.com'],
  ['with a dot behind the host', 'asha@example.com.'],
  ['with an IP address', 'asha@127.0.0.1'],
  ['with an IP literal', 'asha@[127.0.0.1]'],
  ['with a port', 'asha@example.com:25'],
  ['with a blank in front', ' asha@example.com'],
  ['with a blank behind', 'asha@example.com '],
  ['with a blank inside', 'asha rao@example.com'],
  ['with a name for display', 'Asha <asha@example.com>'],
  ['in angle brackets', '<asha@example.com>'],
  ['with a comment', 'asha(rao)@example.com'],
  ['two of them', 'asha@example.com,ravi@example.com'],
  ['two of them, another way', 'asha@example.com;ravi@example.com'],
  ['quoted', '"asha rao"@example.com'],
  ['quoted, with a line break', '"asha\r\nBcc: ravi@example.com"@example.com'],
  ['with a header behind', 'asha@example.com\r\nBcc: ravi@example.com'],
  ['with a header in front', 'Bcc: ravi@example.com\r\nasha@example.com'],
  ['with an SMTP command behind', 'asha@example.com>\r\nRCPT TO:<ravi@example.com'],
  ['with a line feed behind', 'asha@example.com\n'],
  ['with an encoded line break', 'asha%0d%0aBcc:ravi@example.com'],
  ['with a NUL', 'asha\u0000@example.com'],
  ['with half a character', 'asha\ud800@example.com'],
  ['with a mark of direction', 'asha\u202e@example.com'],
  ['with a blank that nobody sees', 'asha\u200b@example.com'],
  ['with a line separator', 'asha\u2028@example.com'],
  ['with a hyphen that nobody sees', 'asha@exam\u00adple.com'],
  ['a name of 65 characters', `${'a'.repeat(65)}@example.com`],
  [
    'too long',
    `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(20)}.com`,
  ],
  ['very long', `${'a'.repeat(60_000)}@example.com`],
  ['markup', '<script>alert(1)</script>@example.com'],
  ['injection text', "' OR 1=1 --"],
];

const BAD_OTPS: readonly [string, unknown, ErrorDefinition][] = [
  ['left out', undefined, OtpErrors.missing],
  ['null', null, OtpErrors.missing],
  ['empty', '', OtpErrors.missing],
  ['of 5 digits', '12345', OtpErrors.wrongLength],
  ['of 7 digits', '1234567', OtpErrors.wrongLength],
  ['a number', 123456, OtpErrors.wrongLength],
  ['a list', ['1', '2', '3', '4', '5', '6'], OtpErrors.wrongLength],
  ['an object', { length: 6 }, OtpErrors.wrongLength],
  ['a boolean', true, OtpErrors.wrongLength],
  ['very long', '1'.repeat(50_000), OtpErrors.wrongLength],
  ['with a letter', '12a456', OtpErrors.notNumeric],
  ['blank', '      ', OtpErrors.notNumeric],
  ['with a sign', '-12345', OtpErrors.notNumeric],
  ['with a NUL', '12345\u0000', OtpErrors.notNumeric],
  ['in digits of another script', '१२३४५६', OtpErrors.notNumeric],
];

describe('what the calls about email refuse', () => {
  let service: TestService;
  let api: ApiClient;
  beforeAll(async () => {
    service = await startService();
    api = as(service.api, await logIn(service));
  });
  afterAll(() => service.close());

  it.each(BAD_EMAILS)('send-otp: an email %s', async (_name, email) => {
    const refused = await sendEmailCode(api, email);
    expectRefusal(refused, EmailErrors.invalid);
    expect((refused.body as { error: { f_error_reason: string }[] }).error[0]!.f_error_reason).toBe('email');
  });

  it.each(BAD_EMAILS)('verify-otp: an email %s', async (_name, email) => {
    expectRefusal(await verifyEmailCode(api, email, '123456'), EmailErrors.invalid);
  });

  it('nobody has received anything', async () => {
    expect(await inboxOf('asha@example.com')).toEqual([]);
    expect(await inboxOf('ravi@example.com')).toEqual([]);
  });

  it.each(BAD_OTPS)('a code %s', async (_name, otp, error) => {
    expectRefusal(await verifyEmailCode(api, anEmail(), otp), error);
  });

  it('the email before the code', async () => {
    expectRefusal(await verifyEmailCode(api, 'nobody', '1'), EmailErrors.invalid);
  });

  it('without costing a send or a try', async () => {
    const email = anEmail();
    for (let i = 0; i < 6; i++) await sendEmailCode(api, `${email}\r\n`);
    const sent = await sendEmailCode(api, email);
    expect(sentPayload(sent)).toMatchObject({ attemptsUsed: 0 });
    for (let i = 0; i < 6; i++) await verifyEmailCode(api, email, '1');
    const [mail] = await inboxOf(email);
    expect((await verifyEmailCode(api, email, mail!.code)).status).toBe(200);
  });

  describe.each([SEND_EMAIL_PATH, VERIFY_EMAIL_PATH])('%s', (path) => {
    it.each<[string, string | undefined, string | undefined]>([
      ['an empty body', '', 'application/json'],
      ['no body', undefined, undefined],
      ['text/plain', '{"email":"asha@example.com"}', 'text/plain'],
      ['a form', 'email=asha@example.com', 'application/x-www-form-urlencoded'],
      ['a list', '["asha@example.com"]', 'application/json'],
    ])('%s', async (_name, body, contentType) => {
      expectUnusable(await api.raw('post', path, body, contentType), 'Bad Request');
    });

    it('malformed JSON, with the object form of the error', async () => {
      const response = await api.raw('post', path, '{"email": "asha@example.com",', 'application/json');
      expect({ status: response.status, body: response.body as object }).toMatchObject({
        status: 400,
        body: { success: 0, error: { statusCode: 400, message: expect.any(String) as string } },
      });
    });
  });

  it.each([
    ['a tag', '+fd'],
    ['dots', '.kumari.rao'],
    ['an apostrophe', "o'neil"],
    ['letters of another script', 'आशा'],
    ['signs', '_-!#$%&*/=?^`{|}~'],
  ])('but not an address with %s', async (_name, ending) => {
    const email = anEmail(ending);
    expect((await verifyEmailCode(api, email, await emailCode(api, email))).status).toBe(200);
  });

  it('nor fields that it does not know, and keys that reach prototypes', async () => {
    const body = `{"email":"${anEmail()}","__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"more":[1]}`;
    expect((await api.raw('post', SEND_EMAIL_PATH, body, 'application/json')).status).toBe(200);
  });
});
