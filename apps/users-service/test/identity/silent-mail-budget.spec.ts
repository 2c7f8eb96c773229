import { EmailErrors } from '@fd/errors';
import { expectRefusal, inParallel } from '@fd/testing';
import { MAX_MAILS_PER_DAY } from '../../src/identity/otp/otp.policy.js';
import { anEmail, sendEmailCode } from '../support/email.js';
import { as, logIn } from '../support/login.js';
import { ScriptedMailServer } from '../support/scripted-mail-server.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('POST /api/v1/email/send-otp', () => {
  it.concurrent.each([
    ['does not confirm the text', { message: 'silence' }],
    ['hangs up after the text', { message: 'reset' }],
    ['does not answer about the recipient', { RCPT: 'silence' }],
  ])(
    'counts a mail that may still arrive against the daily limit when the mail server %s',
    async (_name, script) => {
      const mail = await ScriptedMailServer.start();
      const user = await logIn(service);
      const slow = as((await service.replica({ MAIL_SMTP_URL: mail.url })).api, user);
      const usual = as(service.api, user);
      for (let i = 2; i < MAX_MAILS_PER_DAY; i++) {
        expect((await sendEmailCode(usual, anEmail())).status).toBe(200);
      }
      // a refused mail cannot arrive and is not counted
      mail.script = { message: '554 no' };
      for (let i = 0; i < 3; i++)
        expectRefusal(await sendEmailCode(slow, anEmail()), EmailErrors.mailUnavailable);
      mail.script = script;
      for (const refused of await inParallel(2, () => sendEmailCode(slow, anEmail())))
        expectRefusal(refused, EmailErrors.mailUnavailable);
      expectRefusal(await sendEmailCode(usual, anEmail()), EmailErrors.tooManyOtps);
      await mail.stop();
    },
  );
});
