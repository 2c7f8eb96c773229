import type { ApiClient } from '@fd/testing';
import request from 'supertest';
import { Inbox, INBOX_CAPACITY } from '../../src/inbox/inbox.store.js';
import { anSms, bootSandbox, documentedClient, sendSms } from '../support/sandbox.js';

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
