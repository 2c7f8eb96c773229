import { EmailErrors } from '@fd/errors';
import { type ApiClient, expectRefusal } from '@fd/testing';
import { anEmail, expectRecovery, sendEmailCode } from '../support/email.js';
import { as, logIn } from '../support/login.js';
import { type MailAnswer, ScriptedMailServer } from '../support/scripted-mail-server.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

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
