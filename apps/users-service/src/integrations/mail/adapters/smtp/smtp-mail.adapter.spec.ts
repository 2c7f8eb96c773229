import { Registry } from 'prom-client';
import { ScriptedMailServer } from '../../../../../test/support/scripted-mail-server.js';
import { Resilience } from '../../../providers/resilience.js';
import { MAIL_TIMEOUT_MS, SmtpMailAdapter } from './smtp-mail.adapter.js';

describe('SmtpMailAdapter', () => {
  let server: ScriptedMailServer;
  beforeEach(async () => {
    server = await ScriptedMailServer.start();
  });
  afterEach(() => server.stop());

  const sender = (isTlsRequired: boolean) =>
    new SmtpMailAdapter(
      { smtpUrl: server.url, from: 'Deposits <no-reply@deposits.example>', isTlsRequired, maxCalls: 20 },
      new Resilience('mail', MAIL_TIMEOUT_MS),
      new Registry(),
    );
  const mail = { to: 'asha@example.com', subject: 'Hello', text: 'one text', id: 'mail-1' };

  it('sends nothing in clear where TLS is required', async () => {
    const adapter = sender(true);
    await expect(adapter.send(mail)).rejects.toMatchObject({
      name: 'ProviderError',
      failure: 'misconfigured',
    });
    expect([server.mails, server.recipients]).toEqual([[], []]);
    adapter.onApplicationShutdown();
  });

  it('does not try TLS where it is not', async () => {
    server.script = { EHLO: '250-mail.example\r\n250 STARTTLS' };
    const adapter = sender(false);
    expect(await adapter.send(mail)).toBe('taken');
    expect(server.mails).toHaveLength(1);
    adapter.onApplicationShutdown();
  });

  it.each(['asha@example.com\r\nBcc: x@example.com', 'asha@example.com>\r\nRCPT TO:<x@example.com'])(
    'writes to nobody else, whatever the address is: %j',
    async (to) => {
      const adapter = sender(false);
      await adapter.send({ ...mail, to }).catch(() => undefined);
      expect(server.recipients.filter((recipient) => /<x@example\.com>/.test(recipient))).toEqual([]);
      expect(server.mails.join('')).not.toMatch(/^(Bcc|To): x@/m);
      adapter.onApplicationShutdown();
    },
  );
});
