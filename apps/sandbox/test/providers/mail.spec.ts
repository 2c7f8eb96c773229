import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from '@fd/testing';
import { MailServer, MAX_MAIL_BYTES } from '../../src/providers/mail/mail-server.service.js';
import { MAX_SILENT_RECIPIENTS, SilentRecipients } from '../../src/providers/mail/silent-recipients.js';
import { inboxOf, portsOf, sendMail } from '../support/mail.js';
import { effectsOf } from '../support/outside-call.js';
import { bootSandbox, startSandbox } from '../support/sandbox.js';

describe('mail', () => {
  const sandbox = bootSandbox();

  it('arrives in the inbox with its code, and is found by its address in any case', async () => {
    await sendMail(sandbox, { to: 'Asha.Rao@example.com', text: 'Your code is 482913.' });
    expect(await inboxOf(sandbox, 'asha.rao@EXAMPLE.com')).toEqual([
      {
        id: expect.any(String),
        to: 'Asha.Rao@example.com',
        channel: 'email',
        text: 'Your code is 482913.',
        code: '482913',
        sent_at: expect.any(String),
      },
    ]);
    expect(await inboxOf(sandbox, 'rao@example.com')).toEqual([]);
  });

  it('delivers a mail once to each recipient of the envelope, not to those in its headers', async () => {
    await sendMail(sandbox, {
      to: 'somebody@example.com',
      envelope: { from: 'a@deposits.example', to: ['one@example.com', 'two@example.com', 'ONE@example.com'] },
      text: 'hello',
    });
    expect(await inboxOf(sandbox, 'somebody@example.com')).toEqual([]);
    for (const to of ['one@example.com', 'two@example.com'])
      expect(await inboxOf(sandbox, to)).toHaveLength(1);
  });

  it.each([
    ['no user', undefined],
    ['any user by PLAIN', { user: 'anybody', pass: 'anything', method: 'PLAIN' }],
    ['any user by LOGIN', { user: 'anybody', pass: 'anything', method: 'LOGIN' }],
  ])('accepts a mail from %s', async (_, auth) => {
    await sendMail(sandbox, { to: 'asha@example.com', text: 'hello' }, auth && { auth });
    expect(await inboxOf(sandbox, 'asha@example.com')).toHaveLength(1);
  });

  it('decodes a mail, and prefers its text form', async () => {
    const text = `नमस्ते, ${'a long line '.repeat(20)}\n482913\n\n<b>bold</b>`;
    await sendMail(sandbox, {
      to: 'asha@example.com',
      text,
      html: '<p>Another <b>111111</b></p>',
      attachments: [{ filename: 'a.txt', content: 'attached 222222' }],
    });
    expect(await inboxOf(sandbox, 'asha@example.com')).toMatchObject([{ text, code: '482913' }]);
  });

  it('shows HTML as text when there is no other form', async () => {
    const html = '<script>alert(1)</script><p>482913</p>';
    await sendMail(sandbox, { to: 'asha@example.com', html });
    expect(await inboxOf(sandbox, 'asha@example.com')).toMatchObject([{ text: html, code: '482913' }]);
  });

  it('delivers a mail once for a Message-ID, and counts every call', async () => {
    const mail = { to: 'asha@example.com', messageId: '<one@deposits.example>', text: 'hello' };
    for (let n = 0; n < 3; n++) await sendMail(sandbox, mail);
    await sendMail(sandbox, { ...mail, to: 'ASHA@example.com' });
    expect(await inboxOf(sandbox, 'asha@example.com')).toHaveLength(1);
    expect(await effectsOf(sandbox, { provider: 'mail' })).toMatchObject([
      { kind: 'message', subject: 'asha@example.com', calls: 4 },
    ]);
    await sendMail(sandbox, { ...mail, to: 'ravi@example.com' });
    await sendMail(sandbox, { ...mail, messageId: '<two@deposits.example>' });
    expect(await effectsOf(sandbox, { provider: 'mail' })).toHaveLength(3);
  });

  it.each([
    ['for the moment', 'asha.0503@example.com', 451],
    ['for good', 'asha.0505@example.com', 550],
  ])('refuses a mail %s', async (_, to, responseCode) => {
    await expect(sendMail(sandbox, { to, text: 'hello' })).rejects.toMatchObject({ responseCode });
    expect(await inboxOf(sandbox, to)).toEqual([]);
    expect(await effectsOf(sandbox, { provider: 'mail' })).toEqual([]);
  });

  it.each(['asha.0408@example.com', '0503.asha@example.com', 'asha@0505.example', 'asha@0503.example'])(
    'accepts a mail for %s',
    async (to) => {
      await sendMail(sandbox, { to, text: 'hello' });
      expect(await inboxOf(sandbox, to)).toHaveLength(1);
    },
  );

  it('leaves a mail to an address that hangs without an answer until the sender disconnects', async () => {
    const server = sandbox.app.get(MailServer, { strict: false });
    const sending = sendMail(sandbox, { to: 'asha.0504@example.com', text: 'hello' }, { timeoutMs: 500 });
    const refused = expect(sending).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await eventually(() => expect(server.silentCount).toBe(1));
    await sendMail(sandbox, { to: 'ravi@example.com', text: 'hello' });
    await refused;
    await eventually(() => expect(server.silentCount).toBe(0));
    expect(await inboxOf(sandbox, 'asha.0504@example.com')).toEqual([]);
  });

  it('refuses a mail that is too large', async () => {
    const mail = (bytes: number) => ({ to: 'asha@example.com', text: 'abc\n'.repeat(bytes / 4) });
    await sendMail(sandbox, mail(MAX_MAIL_BYTES / 2));
    await expect(sendMail(sandbox, mail(MAX_MAIL_BYTES))).rejects.toMatchObject({ responseCode: 552 });
    expect(await inboxOf(sandbox, 'asha@example.com')).toHaveLength(1);
  });

  it('logs nothing of a mail', async () => {
    await sendMail(
      sandbox,
      { to: 'asha@example.com', text: 'code 482913' },
      { auth: { user: 'mailuser', pass: 'mailpass' } },
    );
    await sendMail(sandbox, { to: 'asha.0505@example.com', text: 'x' }).catch(() => undefined);
    const log = sandbox.log.join('');
    expect(log).toContain('"mail recipient"');
    expect(log).not.toMatch(/asha|example\.com|482913|mailuser|mailpass/);
  });
});

describe('senders that wait', () => {
  it('ends although senders of mails wait', async () => {
    const ending = await startSandbox();
    const server = ending.app.get(MailServer, { strict: false });
    const { smtp } = await portsOf(ending);
    const sending = sendMail(ending, { to: 'asha.0504@example.com', text: 'hello' });
    const cut = expect(sending).rejects.toThrow();
    await eventually(() => expect(server.silentCount).toBe(1));
    await ending.app.close();
    await cut;
    const [error] = await once(connect(smtp, '127.0.0.1').on('connect', fail), 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('drops the oldest sender when too many wait', () => {
    const silent = new SilentRecipients();
    const letGo: number[] = [];
    const sessions = Array.from({ length: MAX_SILENT_RECIPIENTS + 2 }, () => ({}));
    sessions.forEach((session, n) => silent.hold(session, () => letGo.push(n)));
    expect(letGo).toEqual([0, 1]);
    silent.forget(sessions.at(-1)!);
    expect(silent.count).toBe(MAX_SILENT_RECIPIENTS - 1);
  });
});

function fail(): never {
  throw new Error('the port is still in use');
}
