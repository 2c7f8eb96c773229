import { once } from 'node:events';
import { connect } from 'node:net';
import { type ApiClient, eventually } from '@fd/testing';
import request from 'supertest';
import { Inbox, INBOX_CAPACITY } from '../../src/inbox/inbox.store.js';
import { MailServer, MAX_MAIL_BYTES } from '../../src/providers/mail/mail-server.service.js';
import { MAX_SILENT_RECIPIENTS, SilentRecipients } from '../../src/providers/mail/silent-recipients.js';
import { inboxOf, portsOf, sendMail } from '../support/mail.js';
import { effectsOf } from '../support/outside-call.js';
import { anSms, bootSandbox, documentedClient, sendSms, startSandbox } from '../support/sandbox.js';

interface MessageBody {
  readonly id: string;
  readonly to: string;
  readonly text: string;
  readonly code: string | null;
  readonly sent_at: string;
}

describe('inbox', () => {
  const sandbox = bootSandbox();
  let api: ApiClient;

  beforeAll(() => {
    api = documentedClient(sandbox);
  });

  async function messages(to?: string): Promise<MessageBody[]> {
    const { status, body } = await api.get('/api/messages', { query: to === undefined ? {} : { to } });
    expect(status).toBe(200);
    return (body as { messages: MessageBody[] }).messages;
  }

  it('shows a message with its code', async () => {
    const sent = await sendSms(sandbox, anSms({ to: '919999900001', text: '123456 is your code.' })).expect(
      202,
    );
    expect(await messages()).toEqual([
      {
        id: sent.body.message_id,
        to: '919999900001',
        channel: 'sms',
        text: '123456 is your code.',
        code: '123456',
        sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+05:30$/),
      },
    ]);
  });

  it('shows the time of sending', async () => {
    const before = Date.now();
    await sendSms(sandbox);
    const [message] = await messages();
    const sentAt = Date.parse(message!.sent_at);
    expect(sentAt).toBeGreaterThanOrEqual(before);
    expect(sentAt).toBeLessThanOrEqual(Date.now());
  });

  it('lists the newest message first', async () => {
    for (const text of ['first', 'second', 'third']) await sendSms(sandbox, anSms({ text }));
    expect((await messages()).map(({ text }) => text)).toEqual(['third', 'second', 'first']);
  });

  it.each([
    ['as it was sent', '919000000001'],
    ['with a plus sign', '+919000000001'],
    ['without the country code', '9000000001'],
    ['with spaces and dashes', '+91 90000-00001'],
  ])('finds the messages to a phone written %s', async (_, to) => {
    await sendSms(sandbox, anSms({ to: '919000000001' }));
    await sendSms(sandbox, anSms({ to: '919000000002' }));
    expect((await messages(to)).map((message) => message.to)).toEqual(['919000000001']);
  });

  it('finds the messages to an email address in any case', async () => {
    const inbox = sandbox.app.get(Inbox, { strict: false });
    inbox.deliver({ to: 'Asha.Rao@example.com', channel: 'sms', text: 'hello' });
    expect(await messages('asha.rao@EXAMPLE.com')).toHaveLength(1);
    expect(await messages('rao@example.com')).toEqual([]);
  });

  it.each(['919000000009', '900000000', 'nobody', '@'])('finds nothing for %s', async (to) => {
    await sendSms(sandbox, anSms({ to: '919000000001' }));
    expect(await messages(to)).toEqual([]);
  });

  it('shows all messages without an address', async () => {
    await sendSms(sandbox);
    expect(await messages('')).toHaveLength(1);
  });

  it('refuses two addresses', async () => {
    await request(sandbox.baseUrl).get('/api/messages?to=1&to=2').expect(400);
  });

  it.each([
    ['Your code is 482913.', '482913'],
    ['482913', '482913'],
    ['<#>482913:app', '482913'],
    ['Reference 9876543210, code 000007, valid for 10 minutes', '000007'],
    ['111111 and 222222', '111111'],
    ['12345 or 1234567', null],
    ['४८२९१३', null],
    ['no digits', null],
  ])('reads the code out of %j', async (text, code) => {
    await sendSms(sandbox, anSms({ text })).expect(202);
    expect((await messages())[0]!.code).toBe(code);
  });

  it('returns text as it was sent, HTML or not', async () => {
    const text = '<img src=x onerror=alert(1)> & "482913"\u0000\n\u202eend';
    await sendSms(sandbox, anSms({ text })).expect(202);
    const answer = await api.get('/api/messages');
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect((answer.body as { messages: MessageBody[] }).messages[0]!.text).toBe(text);
  });

  it('returns 100 messages without an address, and all of one address', async () => {
    const inbox = sandbox.app.get(Inbox, { strict: false });
    for (let n = 0; n < 150; n++) inbox.deliver({ to: '919000000001', channel: 'sms', text: `${n}` });
    const newest = await messages();
    expect([newest.length, newest[0]!.text, newest.at(-1)!.text]).toEqual([100, '149', '50']);
    expect(await messages('919000000001')).toHaveLength(150);
  });

  it('stores only the newest messages', async () => {
    const inbox = sandbox.app.get(Inbox, { strict: false });
    for (let n = 0; n < INBOX_CAPACITY + 5; n++) {
      inbox.deliver({ to: '919000000001', channel: 'sms', text: `${n}` });
    }
    const kept = await messages('919000000001');
    expect([kept.length, kept[0]!.text, kept.at(-1)!.text]).toEqual([1_000, '1004', '5']);
  });

  it('deletes all messages of the inbox on request', async () => {
    await sendSms(sandbox);
    expect((await api.delete('/api/messages')).status).toBe(204);
    expect(await messages()).toEqual([]);
  });
});

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
