import { EmailErrors, GeneralErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, TcpProxy } from '@fd/testing';
import {
  anEmail,
  emailCode,
  sendEmailCode,
  sentPayload,
  verifyEmail,
  verifyEmailCode,
} from '../support/email.js';
import { inboxOf } from '../support/inbox.js';
import { as, logIn } from '../support/login.js';
import { type MailAnswer, ScriptedMailServer } from '../support/scripted-mail-server.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

/** What a mail server may do: the script, by its name. */
const TROUBLE: Readonly<Record<string, Record<string, MailAnswer>>> = {
  'refuses connections for now': { greeting: '421 too busy' },
  'greets nobody': { greeting: 'silence' },
  'is no mail server': { greeting: 'HTTP/1.1 400 Bad Request' },
  'hangs up at once': { greeting: 'reset' },
  'does not answer our greeting': { EHLO: 'silence' },
  'refuses our sender': { MAIL: '550 5.7.1 who are you' },
  'refuses the recipient for now': { RCPT: '451 try again later' },
  'refuses us as senders to anybody': { RCPT: '550 5.7.1 relaying denied' },
  'does not answer about the recipient': { RCPT: 'silence' },
  'closes instead of answering about the recipient': { RCPT: 'reset' },
  'refuses the text for now': { message: '452 no room' },
  'refuses the text for good': { message: '554 looks like spam' },
  'takes the text and does not say so': { message: 'silence' },
  'takes the text and hangs up': { message: 'reset' },
  'goes away in the middle': { DATA: '421 shutting down' },
};

describe('the mail server', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const aUser = async (on: UsersApp) => {
    const user = await logIn(service);
    return { user, api: as(on.api, user) };
  };

  describe('that the sandbox plays', () => {
    it('refuses an address for now: 503, and the send is not counted', async () => {
      const { api } = await aUser(service);
      const email = anEmail('0503');
      for (let i = 0; i < 6; i++) {
        const refused = await sendEmailCode(api, email);
        expectRefusal(refused, EmailErrors.mailUnavailable);
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      }
    });

    it('hangs over an address: 503, and others are served', async () => {
      const { api } = await aUser(service);
      const [hanging, other] = await Promise.all([
        sendEmailCode(api, anEmail('0504')),
        sendEmailCode(api, anEmail()),
      ]);
      expectRefusal(hanging, EmailErrors.mailUnavailable);
      expect(other.status).toBe(200);
    });

    it('refuses an address for good: it is no address, and asking costs a send', async () => {
      const { api } = await aUser(service);
      const email = anEmail('0505');
      for (let i = 0; i < 5; i++) expectRefusal(await sendEmailCode(api, email), EmailErrors.invalid);
      expectRefusal(await sendEmailCode(api, email), EmailErrors.tooManyOtps);
    });
  });

  describe('that is told what to do', () => {
    let mail: ScriptedMailServer;
    let replica: UsersApp;
    let api: ApiClient;
    /** A replica for each test: what one does to the breaker is not the next one's. */
    beforeEach(async () => {
      mail = await ScriptedMailServer.start();
      replica = await service.replica({ MAIL_SMTP_URL: mail.url });
      ({ api } = await aUser(replica));
    });
    afterEach(() => mail.stop());

    it('gets one text for one recipient, from our sender, with an id of its own', async () => {
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

    it.each(Object.keys(TROUBLE))('%s: 503, not counted, and the service goes on', async (name) => {
      const email = anEmail();
      mail.script = TROUBLE[name]!;
      expectRefusal(await sendEmailCode(api, email), EmailErrors.mailUnavailable);
      mail.script = {};
      expect(sentPayload(await sendEmailCode(api, email))).toMatchObject({
        attemptsUsed: 0,
        attemptsLeft: 4,
      });
    });

    it.each(['550 no such mailbox', '550 5.1.1 unknown user', '551 moved', '553 malformed'])(
      'knows no such mailbox (%s): the address is refused',
      async (answer) => {
        mail.script = { RCPT: answer };
        expectRefusal(await sendEmailCode(api, anEmail()), EmailErrors.invalid);
      },
    );

    it('drops connections that nobody uses: the next mail goes over another', async () => {
      expect((await sendEmailCode(api, anEmail())).status).toBe(200);
      mail.dropConnections();
      expect((await sendEmailCode(api, anEmail())).status).toBe(200);
      expect(mail.mails).toHaveLength(2);
    });

    it('is silent: 20 mails wait for it, then nobody asks it any more for a while', async () => {
      mail.script = { RCPT: 'silence' };
      // one user's mails do not get that far
      const users = await Promise.all(Array.from({ length: 8 }, () => aUser(replica)));
      // on a busy machine some are cut short, which is not held against the mail server
      await eventually(async () => {
        const sends = users.flatMap((user) => [1, 2, 3].map(() => sendEmailCode(user.api, anEmail())));
        for (const response of await Promise.all(sends)) expectRefusal(response, EmailErrors.mailUnavailable);
        const { text } = await replica.api.get('/metrics');
        expect(text).toMatch(/provider_circuit_open\{provider="mail"\} 1/);
      });
      const asked = mail.recipients.length;
      mail.script = {};
      expectRefusal(await sendEmailCode(api, anEmail()), EmailErrors.mailUnavailable);
      expect(mail.recipients).toHaveLength(asked);
    });
  });

  it('is away: 503 without a name of it, readiness does not mind, and back when it is', async () => {
    const mail = await TcpProxy.before(service.environment['MAIL_SMTP_URL']!);
    const replica = await service.replica({ MAIL_SMTP_URL: mail.url });
    const { api } = await aUser(replica);
    const email = anEmail();
    await sendEmailCode(api, email);
    for (const fault of ['cut', 'freeze', 'loseExisting'] as const) {
      mail[fault]();
      if (fault !== 'loseExisting') {
        const refused = await sendEmailCode(api, anEmail());
        expectRefusal(refused, EmailErrors.mailUnavailable);
        expect(refused.text).not.toMatch(/smtp|ECONN|127\.0\.0\.1/i);
        expect((await replica.api.get('/health/ready')).status).toBe(200);
      }
      mail.heal();
      await eventuallySends(api);
    }
    await verifyEmail(api, email);
    await mail.close();
  });

  describe('apart from it', () => {
    it.each(['cut', 'freeze'] as const)('Redis %s: no code is mailed or compared', async (fault) => {
      const redis = await TcpProxy.before(service.environment['REDIS_URL']!);
      const { api } = await aUser(await service.replica({ REDIS_URL: redis.url }));
      const [email, silent] = [anEmail(), anEmail()];
      const code = await emailCode(api, email);
      redis[fault]();
      for (const refused of [await sendEmailCode(api, silent), await verifyEmailCode(api, email, code)]) {
        expectRefusal(refused, GeneralErrors.unavailable);
      }
      expect(await inboxOf(silent)).toEqual([]);
      redis.heal();
      await eventuallySends(api);
      expect((await verifyEmailCode(api, email, code)).status).toBe(200);
      await redis.close();
    });
  });

  it('is watched', async () => {
    const { text } = await service.api.get('/metrics');
    expect(text).toMatch(/mail_send_duration_seconds_count\{outcome="taken"\} [1-9]/);
    expect(text).toMatch(/mail_send_duration_seconds_count\{outcome="refused"\} [1-9]/);
    expect(text).toMatch(/mail_send_duration_seconds_count\{outcome="timeout"\} [1-9]/);
    expect(text).toMatch(/email_otp_sends_total\{outcome="taken"\} [1-9]/);
    expect(text).toMatch(/provider_circuit_open\{provider="mail"\} 0/);
  });
});

/** Redis is reconnected to, or a mail server's connections are made anew, in a moment. */
async function eventuallySends(api: ApiClient): Promise<void> {
  await eventually(async () => expect((await sendEmailCode(api, anEmail())).status).toBe(200));
}
