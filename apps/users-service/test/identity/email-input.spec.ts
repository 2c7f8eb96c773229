import { maskEmail } from '@fd/contracts';
import { EmailErrors, type ErrorDefinition, GeneralErrors, OtpErrors } from '@fd/errors';
import { type ApiClient, expectRefusal } from '@fd/testing';
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
  ['that is left out', undefined],
  ['that is null', null],
  ['that is empty', ''],
  ['that is blank', '   '],
  ['that is a number', 42],
  ['that is a boolean', true],
  ['that is a list', ['asha@example.com']],
  ['that is an object', { address: 'asha@example.com' }],
  ['that is nested deeply', { a: { a: { a: { a: ['asha@example.com'] } } } }],
  ['that is a word', 'nobody'],
  ['without a name', '@example.com'],
  ['without a host', 'asha@'],
  ['without a dot in the host', 'asha@example'],
  ['with a one-letter top level', 'asha@example.c'],
  ['with two @', 'asha@@example.com'],
  ['with two separate @', 'asha@rao@example.com'],
  ['with two dots', 'asha..rao@example.com'],
  ['with a leading dot', '.asha@example.com'],
  ['with a dot before the @', 'asha.@example.com'],
  ['with two dots in the host', 'asha@example..com'],
  ['with a leading hyphen in the host', 'asha@-example.com'],
  ['with an underscore in the host', 'asha@exam_ple.com'],
  ['with a dot after the host', 'asha@example.com.'],
  ['with an IP address', 'asha@127.0.0.1'],
  ['with an IP literal', 'asha@[127.0.0.1]'],
  ['with a port', 'asha@example.com:25'],
  ['with a space inside', 'asha rao@example.com'],
  ['with a display name', 'Asha <asha@example.com>'],
  ['in angle brackets', '<asha@example.com>'],
  ['with a comment', 'asha(rao)@example.com'],
  ['followed by another after a comma', 'asha@example.com,ravi@example.com'],
  ['followed by another after a semicolon', 'asha@example.com;ravi@example.com'],
  ['with a quoted name', '"asha rao"@example.com'],
  ['with a line break in a quoted name', '"asha\r\nBcc: ravi@example.com"@example.com'],
  ['with a header after it', 'asha@example.com\r\nBcc: ravi@example.com'],
  ['with a header before it', 'Bcc: ravi@example.com\r\nasha@example.com'],
  ['with an SMTP command after it', 'asha@example.com>\r\nRCPT TO:<ravi@example.com'],
  ['with a trailing line feed', 'asha@example.com\n'],
  ['with an encoded line break', 'asha%0d%0aBcc:ravi@example.com'],
  ['with a NUL', 'asha\u0000@example.com'],
  ['with half a surrogate pair', 'asha\ud800@example.com'],
  ['with a direction mark', 'asha\u202e@example.com'],
  ['with an invisible space', 'asha\u200b@example.com'],
  ['with a line separator', 'asha\u2028@example.com'],
  ['with an invisible hyphen', 'asha@exam\u00adple.com'],
  ['with a name of 65 characters', `${'a'.repeat(65)}@example.com`],
  [
    'that is too long',
    `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(20)}.com`,
  ],
  ['that is very long', `${'a'.repeat(60_000)}@example.com`],
  ['with markup', '<script>alert(1)</script>@example.com'],
  ['that is an SQL injection', "' OR 1=1 --"],
];

const BAD_OTPS: readonly [string, unknown, ErrorDefinition][] = [
  ['that is left out', undefined, OtpErrors.missing],
  ['that is null', null, OtpErrors.missing],
  ['that is empty', '', OtpErrors.missing],
  ['of 5 digits', '12345', OtpErrors.wrongLength],
  ['of 7 digits', '1234567', OtpErrors.wrongLength],
  ['that is a number', 123456, OtpErrors.wrongLength],
  ['that is a list', ['1', '2', '3', '4', '5', '6'], OtpErrors.wrongLength],
  ['that is an object', { length: 6 }, OtpErrors.wrongLength],
  ['that is a boolean', true, OtpErrors.wrongLength],
  ['that is very long', '1'.repeat(50_000), OtpErrors.wrongLength],
  ['with a letter', '12a456', OtpErrors.notNumeric],
  ['that is blank', '      ', OtpErrors.notNumeric],
  ['with a sign', '-12345', OtpErrors.notNumeric],
  ['with a NUL', '12345\u0000', OtpErrors.notNumeric],
  ['of digits of another script', '१२३४५६', OtpErrors.notNumeric],
];

let service: TestService;
let api: ApiClient;
beforeAll(async () => {
  service = await startService();
  api = as(service.api, await logIn(service));
});
afterAll(() => service.close());

describe('POST /api/v1/email/send-otp', () => {
  it('ignores unknown fields and keys that reach prototypes', async () => {
    const body = `{"email":"${anEmail()}","__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"more":[1]}`;
    expect((await api.raw('post', SEND_EMAIL_PATH, body, 'application/json')).status).toBe(200);
  });

  it.each(BAD_EMAILS)('rejects a code request for an email %s', async (_name, email) => {
    const refused = await sendEmailCode(api, email);
    expectRefusal(refused, EmailErrors.invalid);
    expect((refused.body as { error: { f_error_reason: string }[] }).error[0]!.f_error_reason).toBe('email');
  });
});

describe('POST /api/v1/email/verify-otp', () => {
  it.each([
    ['a trailing blank', '', ' '],
    ['blanks around it', '  ', '\u00a0 '],
  ])('ignores %s of an address in both calls', async (_name, before, after) => {
    const email = anEmail();
    const typed = `${before}${email}${after}`;
    const sent = await sendEmailCode(api, typed);
    expect([sent.status, sent.body.payload.email]).toEqual([200, maskEmail(email)]);
    const [{ code } = { code: '' }] = await inboxOf(email);
    expect((await verifyEmailCode(api, typed, code)).status).toBe(200);
    expect((await api.get('/api/v1/user-profile')).body.payload.email).toBe(maskEmail(email));
  });

  it.each([
    ['a tag', '+fd'],
    ['dots', '.kumari.rao'],
    ['an apostrophe', "o'neil"],
    ['letters of another script', 'आशा'],
    ['signs', '_-!#$%&*/=?^`{|}~'],
  ])('verifies an address with %s', async (_name, ending) => {
    const email = anEmail(ending);
    expect((await verifyEmailCode(api, email, await emailCode(api, email))).status).toBe(200);
  });

  it.each(BAD_EMAILS)('rejects a code for an email %s', async (_name, email) => {
    expectRefusal(await verifyEmailCode(api, email, '123456'), EmailErrors.invalid);
  });

  it.each(BAD_OTPS)('rejects an email code %s', async (_name, otp, error) => {
    expectRefusal(await verifyEmailCode(api, anEmail(), otp), error);
  });

  it('reports an invalid email, and then an invalid code', async () => {
    expectRefusal(await verifyEmailCode(api, 'nobody', '1'), EmailErrors.invalid, OtpErrors.wrongLength);
  });
});

describe.each([SEND_EMAIL_PATH, VERIFY_EMAIL_PATH])('an unusable body of POST %s', (path) => {
  it.each<[string, string | undefined, string | undefined]>([
    ['an empty body', '', 'application/json'],
    ['no body', undefined, undefined],
    ['plain text', '{"email":"asha@example.com"}', 'text/plain'],
    ['a form', 'email=asha@example.com', 'application/x-www-form-urlencoded'],
    ['a list', '["asha@example.com"]', 'application/json'],
  ])('returns 400 without error items for %s', async (_name, body, contentType) => {
    expectRefusal(await api.raw('post', path, body, contentType), GeneralErrors.requestUnreadable);
  });

  it('returns 400 with the object form of the error for malformed JSON', async () => {
    const response = await api.raw('post', path, '{"email": "asha@example.com",', 'application/json');
    expect({ status: response.status, body: response.body as object }).toMatchObject({
      status: 400,
      body: { success: 0, error: { statusCode: 400, message: expect.any(String) as string } },
    });
  });
});

describe('rejected input of the email calls', () => {
  it('mails nothing to rejected addresses', async () => {
    expect(await inboxOf('asha@example.com')).toEqual([]);
    expect(await inboxOf('ravi@example.com')).toEqual([]);
  });

  it('counts rejected input neither as a send nor as a try', async () => {
    const email = anEmail();
    for (let i = 0; i < 6; i++) await sendEmailCode(api, `${email}\r\n`);
    const sent = await sendEmailCode(api, email);
    expect(sentPayload(sent)).toMatchObject({ attemptsUsed: 0 });
    for (let i = 0; i < 6; i++) await verifyEmailCode(api, email, '1');
    const [mail] = await inboxOf(email);
    expect((await verifyEmailCode(api, email, mail!.code)).status).toBe(200);
  });
});
