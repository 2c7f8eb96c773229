import { EmailErrors, GeneralErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel, TcpProxy } from '@fd/testing';
import {
  anEmail,
  emailCode,
  expectOpenMailsCounted,
  expectRecovery,
  sendEmailCode,
  verifyEmail,
  verifyEmailCode,
} from '../support/email.js';
import { inboxOf } from '../support/inbox.js';
import { as, logIn } from '../support/login.js';
import { type MailAnswer, ScriptedMailServer } from '../support/scripted-mail-server.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

/** Scripts of a mail server for which the service waits until its time limit. */
const SILENCE: Readonly<Record<string, Record<string, MailAnswer>>> = {
  'sends no greeting': { greeting: 'silence' },
  'does not answer the greeting of the service': { EHLO: 'silence' },
  'does not answer about the recipient': { RCPT: 'silence' },
  'does not confirm the text': { message: 'silence' },
};

const CIRCUIT_OPEN = /provider_circuit_open\{provider="mail"\} 1/;

describe('delivery of email codes by a silent mail server', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const aUser = async (on: UsersApp) => as(on.api, await logIn(service));

  describe('with a scripted mail server', () => {
    it('opens the circuit after 20 mails to a silent mail server, and then sends none', async () => {
      const mail = await ScriptedMailServer.start();
      const replica = await service.replica({ MAIL_SMTP_URL: mail.url });
      const api = await aUser(replica);
      mail.script = { RCPT: 'silence' };
      // one user may not make enough calls to open the circuit
      const users = await inParallel(8, () => aUser(replica));
      // a call that runs out of time before it asks the server counts for no circuit
      await eventually(async () => {
        const answers = await inParallel(24, (i) => sendEmailCode(users[i % 8]!, anEmail()));
        for (const answer of answers) expectRefusal(answer, EmailErrors.mailUnavailable);
        expect((await replica.api.get('/metrics')).text).toMatch(CIRCUIT_OPEN);
      });
      const asked = mail.recipients.length;
      mail.script = {};
      expectRefusal(await sendEmailCode(api, anEmail()), EmailErrors.mailUnavailable);
      expect(mail.recipients).toHaveLength(asked);
      await mail.stop();
    });
  });

  describe('that waits for a time limit', () => {
    it.concurrent(
      'returns 503 without naming the mail server while it is unreachable, stays ready, and recovers',
      async () => {
        const mail = await TcpProxy.before(service.environment['MAIL_SMTP_URL']!);
        const replica = await service.replica({ MAIL_SMTP_URL: mail.url });
        const api = await aUser(replica);
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
      },
    );

    it.concurrent.each(Object.keys(SILENCE))(
      'returns 503, counts no send and recovers when the mail server %s',
      async (name) => {
        const mail = await ScriptedMailServer.start();
        const api = await aUser(await service.replica({ MAIL_SMTP_URL: mail.url }));
        await expectRecovery(api, mail, SILENCE[name]!);
        await mail.stop();
      },
    );

    it.concurrent.each(['does not confirm the text', 'does not answer about the recipient'])(
      'counts a mail that may still arrive against the daily limit when the mail server %s',
      (name) => expectOpenMailsCounted(service, SILENCE[name]!),
    );

    it.concurrent.each(['cut', 'freeze'] as const)(
      'returns 503 and neither mails nor compares a code after a %s of Redis',
      async (fault) => {
        const redis = await TcpProxy.before(service.environment['REDIS_URL']!);
        const api = await aUser(await service.replica({ REDIS_URL: redis.url }));
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
      },
    );

    it.concurrent(
      'returns 503 for an address at which the mail server hangs, and serves other addresses',
      async () => {
        const api = await aUser(service);
        const [hanging, other] = await Promise.all([
          sendEmailCode(api, anEmail('0504')),
          sendEmailCode(api, anEmail()),
        ]);
        expectRefusal(hanging, EmailErrors.mailUnavailable);
        expect(other.status).toBe(200);
      },
    );
  });

  it('exports outcomes of mails and the state of the circuit as metrics', async () => {
    expectRefusal(await sendEmailCode(await aUser(service), anEmail('0503')), EmailErrors.mailUnavailable);
    const { text } = await service.api.get('/metrics');
    expect(text).toMatch(/mail_send_duration_seconds_count\{outcome="taken"\} [1-9]/);
    expect(text).toMatch(/mail_send_duration_seconds_count\{outcome="refused"\} [1-9]/);
    expect(text).toMatch(/mail_send_duration_seconds_count\{outcome="timeout"\} [1-9]/);
    expect(text).toMatch(/email_otp_sends_total\{outcome="taken"\} [1-9]/);
    expect(text).toMatch(/provider_circuit_open\{provider="mail"\} 0/);
  });
});

/** Waits until the connections to Redis or the mail server are back. */
async function eventuallySends(api: ApiClient): Promise<void> {
  await eventually(async () => expect((await sendEmailCode(api, anEmail())).status).toBe(200));
}
