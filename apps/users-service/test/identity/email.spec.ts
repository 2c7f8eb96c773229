import { maskEmail, type UserProfilePayload } from '@fd/contracts';
import { EmailErrors, type ErrorDefinition, GeneralErrors, OtpErrors, SessionErrors } from '@fd/errors';
import { type ApiClient, expectRefusal, inParallel } from '@fd/testing';
import { DurableCalls, Jobs, PiiCipher } from '../../src/core/index.js';
import { MailNotices } from '../../src/identity/index.js';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { shortOf, trailOf } from '../support/audit.js';
import {
  anEmail,
  emailCode,
  expectRecovery,
  SEND_EMAIL_PATH,
  sendEmailCode,
  sentPayload,
  VERIFY_EMAIL_PATH,
  verifyEmail,
  verifyEmailCode,
} from '../support/email.js';
import { inboxOf, wrongCode } from '../support/inbox.js';
import { as, logIn } from '../support/login.js';
import { aNominee, nominate, NOMINEE_PATH, postNominee, SKIP } from '../support/nominees.js';
import { runUsers, WHO } from '../support/operator.js';
import { type MailAnswer, ScriptedMailServer } from '../support/scripted-mail-server.js';
import { tracesOf } from '../support/traces.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const OTP_TEST_RULES = '[^@]*0408@.*=ttl:0';

let service: TestService;
beforeAll(async () => {
  service = await startService({ OTP_TEST_RULES });
});
afterAll(() => service.close());

const aUser = async () => {
  const user = await logIn(service);
  return { ...user, api: as(service.api, user) };
};
const stepOf = async (userId: string) => (await service.app.get(JourneyRepository).statesOf(userId)).EMAIL;
/** Returns the stored address of a user; null until one is verified. */
const emailOf = async (id: string): Promise<string | null> => {
  const [{ sealed }] = await service.database.query<[{ sealed: string | null }]>(
    'SELECT email_encrypted AS sealed FROM onboarding.users WHERE id = $1',
    [id],
  );
  return sealed && service.app.get(PiiCipher).decrypt(sealed, { table: 'users', column: 'email', id });
};

describe('POST /api/v1/email/send-otp', () => {
  it('mails a code of six digits and returns how long it is valid', async () => {
    const { api, user_id } = await aUser();
    const email = anEmail();
    const before = Date.now();
    const response = await sendEmailCode(api, email);
    expect({ status: response.status, body: response.body as object }).toEqual({
      status: 200,
      body: {
        success: 1,
        statusCode: 200,
        message: 'OTP sent successfully',
        payload: {
          email: maskEmail(email),
          startTime: expect.any(String) as string,
          endTime: expect.any(String) as string,
          attemptsUsed: 0,
          attemptsLeft: 4,
        },
      },
    });
    const { startTime, endTime } = sentPayload(response);
    expect(Date.parse(endTime) - Date.parse(startTime)).toBe(600_000);
    expect(Date.parse(startTime)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(startTime)).toBeLessThanOrEqual(Date.now());
    const [mail] = await inboxOf(email);
    expect(mail).toMatchObject({ channel: 'email', code: expect.stringMatching(/^[0-9]{6}$/) as string });
    expect(mail!.text).toContain('valid for 10 minutes');
    expect(await stepOf(user_id)).toEqual({ state: 'IN_PROGRESS', reason: null });
    expect(await emailOf(user_id)).toBeNull();
  });

  it('gives the same answer for a free address and for one verified by another user', async () => {
    const [{ api }, other] = [await aUser(), await aUser()];
    const [taken, free] = [anEmail(), anEmail()];
    await verifyEmail(other.api, taken);
    const [atTaken, atFree] = [await sendEmailCode(api, taken), await sendEmailCode(api, free)];
    const shape = (response: typeof atTaken, email: string) => ({
      status: response.status,
      text: response.text.replaceAll(/"20[^"]+"/g, 'TIME').replaceAll(maskEmail(email), 'EMAIL'),
    });
    expect(shape(atTaken, taken)).toEqual(shape(atFree, free));
  });

  it('returns 401 to a request for an email code without a token', async () => {
    expectRefusal(await sendEmailCode(service.api, anEmail()), SessionErrors.tokenMissing);
  });
});

describe('POST /api/v1/email/verify-otp', () => {
  it('verifies the address for the user who received its code', async () => {
    const { api, user_id } = await aUser();
    const email = anEmail();
    const sent = await sendEmailCode(api, email);
    const [mail] = await inboxOf(email);
    const response = await verifyEmailCode(api, email, mail!.code);
    const { startTime, endTime } = sentPayload(sent);
    expect({ status: response.status, body: response.body as object }).toEqual({
      status: 200,
      body: {
        success: 1,
        statusCode: 200,
        message: 'Email verified',
        payload: {
          email: maskEmail(email),
          startTime,
          endTime,
          attemptsUsed: 0,
          attemptsLeft: 5,
          is_email_verified: true,
        },
      },
    });
    expect(await stepOf(user_id)).toEqual({ state: 'DONE', reason: null });
    expect(await emailOf(user_id)).toBe(email);
  });

  it('ignores the letter case of the address, and stores it as typed with its domain in lower case', async () => {
    const { api, user_id } = await aUser();
    const email = anEmail().replace('asha', 'Asha');
    const code = await emailCode(api, email.replace('example.com', 'Example.COM'));
    expect((await verifyEmailCode(api, email.toUpperCase(), code)).status).toBe(200);
    expect(await emailOf(user_id)).toBe(email.toUpperCase().replace('EXAMPLE.COM', 'example.com'));
  });

  it('verifies an address again for the same user', async () => {
    const { api, user_id } = await aUser();
    const email = anEmail();
    await verifyEmail(api, email);
    expect(await verifyEmail(api, email)).toMatchObject({ is_email_verified: true });
    expect(await emailOf(user_id)).toBe(email);
  });

  it('replaces the address only once the new one is verified, and frees the old one', async () => {
    const [{ api, user_id }, other] = [await aUser(), await aUser()];
    const [first, second] = [anEmail(), anEmail()];
    await verifyEmail(api, first);
    const code = await emailCode(api, second);
    expect(await emailOf(user_id)).toBe(first);
    expect(await stepOf(user_id)).toEqual({ state: 'DONE', reason: null });
    expect((await verifyEmailCode(api, second, code)).status).toBe(200);
    expect(await emailOf(user_id)).toBe(second);
    // another user may verify the replaced address
    await verifyEmail(other.api, first);
  });

  it('shows the verified address masked in the profile', async () => {
    const { api } = await aUser();
    const email = anEmail();
    await verifyEmail(api, email);
    const { body } = await api.get('/api/v1/user-profile');
    expect((body as { payload: UserProfilePayload }).payload).toMatchObject({
      email: maskEmail(email),
      is_email_verified: true,
    });
  });

  it('refuses a wrong email code and returns the tries left', async () => {
    const { api } = await aUser();
    const email = anEmail();
    const code = await emailCode(api, email);
    const refused = await verifyEmailCode(api, email, wrongCode(code));
    expectRefusal(refused, EmailErrors.otpWrong);
    expect(refused.text).toContain('Tries left: 4.');
    expect((await verifyEmailCode(api, email, code)).status).toBe(200);
  });

  it('gives one answer for an email code that was never sent, used, delivered expired, expired, or sent to another address', async () => {
    const user = await aUser();
    const { api } = user;
    const [used, dead, late] = [anEmail(), anEmail('0408'), anEmail()];
    const usedCode = await emailCode(api, used);
    await verifyEmailCode(api, used, usedCode);
    const deadCode = await emailCode(api, dead);
    const lateCode = await emailCode(api, late);
    const replica = await service.replica();
    replica.clock.advanceSeconds(601);
    for (const answer of [
      await verifyEmailCode(api, anEmail(), '123456'),
      await verifyEmailCode(api, anEmail(), lateCode),
      await verifyEmailCode(api, used, usedCode),
      await verifyEmailCode(api, dead, deadCode),
      await verifyEmailCode(as(replica.api, user), late, lateCode),
    ]) {
      expectRefusal(answer, EmailErrors.otpExpired);
    }
  });

  it('refuses the address of another user even with the right code', async () => {
    const [{ api, user_id }, other] = [await aUser(), await aUser()];
    const email = anEmail();
    await verifyEmail(other.api, email);
    const code = await emailCode(api, email.toUpperCase());
    const refused = await verifyEmailCode(api, email, code);
    expectRefusal(refused, EmailErrors.belongsToAnotherUser);
    expect(refused.text).not.toContain(other.user_id);
    expect(await stepOf(user_id)).toEqual({
      state: 'FAILED',
      reason: EmailErrors.belongsToAnotherUser.code,
    });
    expect(await emailOf(user_id)).toBeNull();
    expectRefusal(await verifyEmailCode(api, email, code), EmailErrors.otpExpired);
    await verifyEmail(api);
    expect(await stepOf(user_id)).toEqual({ state: 'DONE', reason: null });
  });

  it('keeps the email code valid when the verification cannot be stored', async () => {
    const { api, user_id } = await aUser();
    const email = anEmail();
    const code = await emailCode(api, email);
    await service.dataSource.query('ALTER TABLE onboarding.journey_steps RENAME TO journey_steps_away');
    const refused = await verifyEmailCode(api, email, code);
    await service.dataSource.query('ALTER TABLE onboarding.journey_steps_away RENAME TO journey_steps');
    expectRefusal(refused, GeneralErrors.internal);
    expect(await emailOf(user_id)).toBeNull();
    expect((await verifyEmailCode(api, email, code)).status).toBe(200);
  });

  it('returns 401 to an email code without a token', async () => {
    expectRefusal(await verifyEmailCode(service.api, anEmail(), '123456'), SessionErrors.tokenMissing);
  });

  it('leaves no address or email code in PostgreSQL, Redis or the logs', async () => {
    const { api } = await aUser();
    const email = anEmail();
    const code = await emailCode(api, email);
    await verifyEmailCode(api, email, wrongCode(code));
    await verifyEmailCode(api, email, code);
    const refused = anEmail('0505');
    await sendEmailCode(api, refused);
    const traces = await tracesOf(service);
    expect(traces.database).toContain('k1.');
    expect(traces.redis).toContain('{otp}:');
    expect(traces.logs).toContain(SEND_EMAIL_PATH);
    for (const trace of Object.values(traces)) {
      for (const address of [email, refused]) expect(trace).not.toContain(address.split('@')[0]);
      expect(trace).not.toMatch(new RegExp(`(?<![0-9A-Za-z.-])${code}(?![0-9A-Za-z-])`));
    }
  });

  it('verifies once for ten parallel calls with one email code', async () => {
    const { api } = await aUser();
    const email = anEmail();
    const code = await emailCode(api, email);
    const responses = await inParallel(10, () => verifyEmailCode(api, email, code));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(9);
    for (const response of refused) expectRefusal(response, EmailErrors.otpExpired);
  });

  it('accepts two addresses that a user verifies in parallel, and keeps one of them', async () => {
    const { api, user_id } = await aUser();
    const emails = [anEmail(), anEmail()];
    await Promise.all(emails.map((email) => verifyEmail(api, email)));
    expect(emails).toContain(await emailOf(user_id));
  });
});

describe('email address that two users request', () => {
  it('refuses the code sent to another user for the same address', async () => {
    const [{ api }, other] = [await aUser(), await aUser()];
    const email = anEmail();
    const mine = await emailCode(api, email);
    const theirs = await emailCode(other.api, email);
    expect(mine).not.toBe(theirs);
    expectRefusal(await verifyEmailCode(api, email, theirs), EmailErrors.otpWrong);
    expect((await verifyEmailCode(api, email, mine)).status).toBe(200);
  });

  it('counts sends and tries of one address separately for each user', async () => {
    const [{ api }, other] = [await aUser(), await aUser()];
    const email = anEmail();
    const theirs = await emailCode(other.api, email);
    for (let i = 0; i < 5; i++) await sendEmailCode(other.api, email);
    for (let i = 0; i < 5; i++) await verifyEmailCode(other.api, email, wrongCode(theirs));
    expectRefusal(await verifyEmailCode(other.api, email, theirs), EmailErrors.tooManyOtps);
    await verifyEmail(api, email);
  });

  it('gives an address to exactly one of eight users who verify it in parallel', async () => {
    const email = anEmail();
    const users: Awaited<ReturnType<typeof aUser>>[] = [];
    for (let i = 0; i < 8; i++) users.push(await aUser());
    const codes: string[] = [];
    for (const { api } of users) codes.push(await emailCode(api, email));
    const replica = await service.replica();
    const responses = await Promise.all(
      users.map((user, i) => verifyEmailCode(i % 2 ? as(replica.api, user) : user.api, email, codes[i])),
    );
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(7);
    for (const response of refused) expectRefusal(response, EmailErrors.belongsToAnotherUser);
    const holders = await Promise.all(users.map(({ user_id }) => emailOf(user_id)));
    expect(holders.map((holder) => holder !== null)).toEqual(responses.map(({ status }) => status === 200));
  });
});

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
let api: ApiClient;
beforeAll(async () => {
  api = as(service.api, await logIn(service));
});

describe('input of POST /api/v1/email/send-otp', () => {
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

describe('input of POST /api/v1/email/verify-otp', () => {
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

/** Scripts of a failing mail server, by its behaviour. */
const TROUBLE: Readonly<Record<string, Record<string, MailAnswer>>> = {
  'refuses connections temporarily': { greeting: '421 too busy' },
  'is not a mail server': { greeting: 'HTTP/1.1 400 Bad Request' },
  'hangs up at once': { greeting: 'reset' },
  'refuses the sender': { MAIL: '550 5.7.1 who are you' },
  'refuses the recipient temporarily': { RCPT: '451 try again later' },
  'refuses to relay': { RCPT: '550 5.7.1 relaying denied' },
  'closes instead of answering about the recipient': { RCPT: 'reset' },
  'refuses the text temporarily': { message: '452 no room' },
  'refuses the text permanently': { message: '554 looks like spam' },
  'hangs up after the text': { message: 'reset' },
  'shuts down before the text': { DATA: '421 shutting down' },
};

describe('delivery of email codes', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const aUser = async (on: UsersApp) => as(on.api, await logIn(service));

  describe('with the mail server of the sandbox', () => {
    it('returns 503 and counts no send while the mail server defers an address', async () => {
      const api = await aUser(service);
      const email = anEmail('0503');
      for (let i = 0; i < 6; i++) {
        const refused = await sendEmailCode(api, email);
        expectRefusal(refused, EmailErrors.mailUnavailable);
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      }
    });

    it('rejects an address that the mail server refuses permanently, and counts each send', async () => {
      const api = await aUser(service);
      const email = anEmail('0505');
      for (let i = 0; i < 5; i++) expectRefusal(await sendEmailCode(api, email), EmailErrors.invalid);
      expectRefusal(await sendEmailCode(api, email), EmailErrors.tooManyOtps);
    });
  });

  describe('with a scripted mail server', () => {
    let mail: ScriptedMailServer;
    let replica: UsersApp;
    let api: ApiClient;
    /** Starts a replica for one test, since a test may open the circuit. */
    beforeEach(async () => {
      mail = await ScriptedMailServer.start();
      replica = await service.replica({ MAIL_SMTP_URL: mail.url });
      api = await aUser(replica);
    });
    afterEach(() => mail.stop());

    it('mails plain text to one recipient, with the configured sender and its own Message-ID', async () => {
      const email = anEmail();
      await sendEmailCode(api, email);
      await sendEmailCode(api, email);
      const [first, second] = mail.mails;
      const [head, text] = first!.split('\r\n\r\n') as [string, string];
      expect(head).toMatch(/^From: Deposits <no-reply@deposits\.example>$/m);
      expect(head).toMatch(/^Subject: Your code to verify your email address$/m);
      expect(head).toMatch(/^Content-Type: text\/plain; charset=utf-8$/m);
      expect(head.match(/^To: .*$/gm)).toEqual([`To: ${email}`]);
      expect(head).toMatch(/^X-Request-ID: [\w-]{36}$/m);
      expect(head).not.toMatch(/^(Bcc|Cc|X-Mailer):/im);
      expect(text).toMatch(/^[0-9]{6} is your code/);
      const idOf = (raw: string) => /^Message-ID: <([\w-]{16})@deposits\.example>$/m.exec(raw)?.[1];
      expect(idOf(first!)).toBeTruthy();
      expect(idOf(second!)).not.toBe(idOf(first!));
      expect(mail.recipients).toEqual([`RCPT TO:<${email}>`, `RCPT TO:<${email}>`]);
      expect(mail.connections).toBe(1);
    });

    it('mails over a new connection after the mail server has dropped idle ones', async () => {
      expect((await sendEmailCode(api, anEmail())).status).toBe(200);
      mail.dropConnections();
      expect((await sendEmailCode(api, anEmail())).status).toBe(200);
      expect(mail.mails).toHaveLength(2);
    });
  });

  describe('with a mail server that has recovered from earlier faults', () => {
    let mail: ScriptedMailServer;
    let replica: UsersApp;
    let api: ApiClient;
    // one replica for all: each fault is followed by a mail that succeeds, so the circuit stays closed
    beforeAll(async () => {
      mail = await ScriptedMailServer.start();
      replica = await service.replica({ MAIL_SMTP_URL: mail.url });
    });
    beforeEach(async () => {
      mail.script = {};
      // else a fault of the greeting would not be met
      mail.dropConnections();
      api = await aUser(replica);
    });
    afterAll(() => mail.stop());

    it.each(Object.keys(TROUBLE))(
      'returns 503, counts no send and recovers when the mail server %s',
      (name) => expectRecovery(api, mail, TROUBLE[name]!),
    );

    it.each<[keyof typeof mail.script, MailAnswer]>([
      ['RCPT', '550 no such mailbox'],
      ['RCPT', '550 5.1.1 unknown user'],
      ['RCPT', '551 moved'],
      ['RCPT', '553 malformed'],
      ['RCPT', '501 5.1.3 bad recipient address syntax'],
      ['RCPT', '554 delivery error'],
      ['RCPT', '554 5.2.1 mailbox disabled'],
      ['message', '554 5.1.1 no such user'],
    ])('rejects the address when the mail server answers %s by %s', async (step, answer) => {
      mail.script = { [step]: answer };
      expectRefusal(await sendEmailCode(api, anEmail()), EmailErrors.invalid);
    });
  });
});

describe('mails about changes of an account', () => {
  let service: TestService;
  let away: UsersApp;
  beforeAll(async () => {
    service = await startService({});
    away = await service.replica({ MAIL_SMTP_URL: 'smtp://127.0.0.1:1' });
    // the test itself runs the workers of these replicas
    for (const { app } of [service, away]) await app.get(Jobs).beforeApplicationShutdown();
  });
  afterAll(() => service.close());

  const send = ({ app }: UsersApp) => app.get(DurableCalls).advanceDue(app.get(MailNotices));
  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };
  /** Subjects of the notices that an address has got. */
  const noticesTo = async (email: string): Promise<string[]> => {
    await send(service);
    return (await inboxOf(email)).filter(({ code }) => code === null).map(({ text }) => text);
  };
  const rowsOf = ({ user_id }: { user_id: string }): Promise<{ kind: string; state: string }[]> =>
    service.dataSource.query('SELECT kind, state FROM onboarding.mail_notices WHERE user_id = $1', [user_id]);
  const mailed = async ({ user_id }: { user_id: string }) =>
    (await trailOf(service, user_id)).map(shortOf).filter((action) => action.startsWith('CHANGE_MAILED'));

  it('tells the former address of a change of the address, and no other', async () => {
    const user = await aUser();
    const [first, second, third] = [anEmail(), anEmail(), anEmail()];
    await verifyEmail(user.api, first);
    // the same address again is no change
    await verifyEmail(user.api, first);
    expect(await noticesTo(first)).toEqual([]);
    await verifyEmail(user.api, second);
    await verifyEmail(user.api, third);
    const [notice, ...more] = await noticesTo(first);
    expect(more).toEqual([]);
    expect(notice).toContain('replaces this one');
    expect(notice).not.toContain(second);
    expect([(await noticesTo(second)).length, await noticesTo(third)]).toEqual([1, []]);
    expect(await mailed(user)).toHaveLength(2);
  });

  it.each<[what: string, change: (api: ApiClient, id: string) => Promise<unknown>]>([
    ['added', (api) => nominate(api, aNominee({ name: 'Ravi Rao', share_percentage: 10 }))],
    ['changed', (api, id) => api.put(`${NOMINEE_PATH}/${id}`, { relationship: 'SISTER' })],
    ['removed', (api, id) => api.delete(`${NOMINEE_PATH}/${id}`)],
  ])('tells the verified address that a nominee was %s, not of the first one', async (_what, change) => {
    const user = await aUser();
    const email = anEmail();
    await verifyEmail(user.api, email);
    const { nominees } = await nominate(user.api, aNominee({ share_percentage: 50 }));
    expect(await noticesTo(email)).toEqual([]);
    await change(user.api, nominees[0]!.nominee_id);
    const [notice, ...more] = await noticesTo(email);
    expect(more).toEqual([]);
    expect(notice).toContain('nominee');
    expect(notice).not.toContain('Rao');
  });

  it('tells of the first nominee after a declaration to name none', async () => {
    const user = await aUser();
    const email = anEmail();
    await verifyEmail(user.api, email);
    await nominate(user.api, SKIP);
    await nominate(user.api);
    expect(await noticesTo(email)).toHaveLength(1);
  });

  it('tells of each change of nominees, at most once an hour, and of none without a verified address', async () => {
    const user = await aUser();
    const email = anEmail();
    await nominate(user.api, aNominee({ share_percentage: 1 }));
    await nominate(user.api, aNominee({ share_percentage: 1 }));
    expect(await rowsOf(user)).toEqual([]);
    await verifyEmail(user.api, email);
    const add = (): Promise<unknown> => postNominee(user.api, aNominee({ share_percentage: 1 }));
    await inParallel(2, add);
    expect(await noticesTo(email)).toHaveLength(1);
    const { nominees } = (
      (await user.api.get(NOMINEE_PATH)).body as { payload: { nominees: { nominee_id: string }[] } }
    ).payload;
    for (const { nominee_id } of nominees.slice(0, 2)) await user.api.delete(`${NOMINEE_PATH}/${nominee_id}`);
    expect(await noticesTo(email)).toHaveLength(1);
    const passHour = () =>
      service.dataSource.query(
        `UPDATE onboarding.mail_notices
            SET due_since = due_since - interval '1 hour', next_try_at = next_try_at - interval '1 hour'
          WHERE user_id = $1`,
        [user.user_id],
      );
    await passHour();
    expect(await noticesTo(email)).toHaveLength(2);
    await passHour();
    await add();
    expect(await noticesTo(email)).toHaveLength(3);
  });

  it('lets an operator erase a user while a mail waits for the end of the hour', async () => {
    const user = await aUser();
    const email = anEmail();
    await verifyEmail(user.api, email);
    const add = (): Promise<unknown> => postNominee(user.api, aNominee({ share_percentage: 1 }));
    for (let mails = 0; mails < 2; mails++) {
      await add();
      await add();
      expect(await noticesTo(email)).toHaveLength(1);
    }
    expect((await rowsOf(user)).map(({ state }) => state).sort()).toEqual(['DUE', 'SENT']);
    await runUsers(service, '', 'erase', '--user', user.user_id, ...WHO);
    expect(await rowsOf(user)).toEqual([]);
  });

  it('tells each verified address of a change of nominees, also within the hour', async () => {
    const user = await aUser();
    const [first, second] = [anEmail(), anEmail()];
    const { nominees } = await nominate(user.api);
    const change = (relationship: string): Promise<unknown> =>
      user.api.put(`${NOMINEE_PATH}/${nominees[0]!.nominee_id}`, { relationship });
    await verifyEmail(user.api, second);
    await change('SISTER');
    await verifyEmail(user.api, first);
    for (const relationship of ['MOTHER', 'DAUGHTER']) await change(relationship);
    const ofNominees = async (email: string): Promise<string[]> =>
      (await noticesTo(email)).filter((text) => text.includes('nominee'));
    expect([await ofNominees(first), await ofNominees(second)]).toEqual([
      [expect.any(String)],
      [expect.any(String)],
    ]);
  });

  it('tells of a nominee who is added after all were removed', async () => {
    const user = await aUser();
    const email = anEmail();
    const { nominees } = await nominate(user.api);
    // its owner was told of nothing before
    await user.api.delete(`${NOMINEE_PATH}/${nominees[0]!.nominee_id}`);
    await verifyEmail(user.api, email);
    await nominate(user.api);
    expect(await noticesTo(email)).toHaveLength(1);
  });

  it('sends a notice by one of two replicas once the mail server is back, and deletes it after 30 days', async () => {
    const replica = await service.replica();
    // its job would take this notice, or that of the next test
    await replica.app.get(Jobs).beforeApplicationShutdown();
    const user = await aUser();
    const email = anEmail();
    await verifyEmail(user.api, email);
    await verifyEmail(user.api);
    await send(away);
    expect(await rowsOf(user)).toEqual([{ kind: 'EMAIL_CHANGED', state: 'DUE' }]);
    await service.dataSource.query('UPDATE onboarding.mail_notices SET next_try_at = now()');
    await Promise.all([send(service), send(replica)]);
    expect(await noticesTo(email)).toHaveLength(1);
    expect(await mailed(user)).toEqual(['CHANGE_MAILED EMAIL_CHANGED']);
    await service.dataSource.query(
      "UPDATE onboarding.mail_notices SET settled_at = settled_at - interval '30 days'",
    );
    await service.app.get(Jobs).runCleanup();
    expect(await rowsOf(user)).toEqual([]);
  });

  it('gives a notice up after a day, with an audit event', async () => {
    const user = await aUser();
    await verifyEmail(user.api);
    await verifyEmail(user.api);
    await service.dataSource.query(
      "UPDATE onboarding.mail_notices SET due_since = now() - interval '25 hours' WHERE state = 'DUE'",
    );
    await send(away);
    expect(await rowsOf(user)).toEqual([{ kind: 'EMAIL_CHANGED', state: 'ABANDONED' }]);
    expect(await mailed(user)).toEqual(['CHANGE_MAILED FAILED EMAIL_CHANGED']);
  });
});
