import { once } from 'node:events';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpServer } from '@fd/platform';
import { eventually } from '@fd/testing';
import request from 'supertest';
import { REMEMBERED_KEYS } from '../../src/effects/effects.service.js';
import { MAX_SILENT_CALLS, SilentCalls } from '../../src/http/silent-calls.service.js';
import { ShortMessages } from '../../src/providers/sms/short-messages.service.js';
import { anSms, bootSandbox, type Sandbox, sendSms, startSandbox } from '../support/sandbox.js';

const PROVIDERS = ['primary', 'fallback'];

describe('SMS providers', () => {
  const sandbox = bootSandbox();

  async function delivered(to?: string): Promise<{ id: string; to: string }[]> {
    const { body } = await request(sandbox.baseUrl)
      .get('/api/messages')
      .query(to ? { to } : {});
    return body.messages;
  }

  describe.each(PROVIDERS)('%s', (provider) => {
    it('delivers a message', async () => {
      const { body } = await sendSms(sandbox, anSms(), { provider }).expect(202);
      expect(body).toEqual({ message_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      expect(await delivered('919812345678')).toMatchObject([{ id: body.message_id }]);
    });

    it('delivers once for an idempotency key and repeats the id', async () => {
      const first = await sendSms(sandbox, anSms(), { provider, idempotencyKey: 'k-1' });
      const again = await sendSms(sandbox, anSms(), { provider, idempotencyKey: 'k-1' });
      expect(again.status).toBe(202);
      expect(again.body).toEqual(first.body);
      expect(await delivered()).toHaveLength(1);
    });

    it('is down for phones that end in 0503', async () => {
      const answer = await sendSms(sandbox, anSms({ to: '919876540503' }), { provider });
      expect(answer.status).toBe(503);
      expect(answer.body).toEqual({
        error: { type: 'service_unavailable', message: expect.any(String) },
      });
      expect(await delivered()).toEqual([]);
    });
  });

  it.each([
    ['no header', undefined],
    ['an empty one', ''],
    ['a scheme without a key', 'Bearer'],
    ['another scheme', 'Basic YTpi'],
  ])('asks for a key: %s', async (_, authorization) => {
    const call = request(sandbox.baseUrl).post('/providers/sms/primary/messages').send(anSms());
    const answer = await (authorization === undefined ? call : call.set('Authorization', authorization));
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    // the provider's style, not our envelope
    expect(answer.body).toEqual({ error: { type: 'authentication_failed', message: expect.any(String) } });
    expect(await delivered()).toEqual([]);
  });

  it('checks the key before anything else', async () => {
    await request(sandbox.baseUrl).post('/providers/sms/nobody/messages').send('{').expect(401);
  });

  it('serves two SMS providers only', async () => {
    const { body } = await sendSms(sandbox, anSms(), { provider: 'third' }).expect(404);
    expect(body).toEqual({ error: { type: 'not_found', message: expect.any(String) } });
  });

  it.each([
    ['nothing in it', {}],
    ['no phone', { ...anSms(), to: undefined }],
    ['a phone without its country code', anSms({ to: '98765' })],
    ['a phone that is a number', { ...anSms(), to: 919876543210 }],
    ['a phone with letters', anSms({ to: '9198765x3210' })],
    ['no template', { ...anSms(), template_id: undefined }],
    ['an empty text', anSms({ text: '' })],
    ['a text that is no text', { ...anSms(), text: { toString: 'x' } }],
    ['a text of more than ten segments', anSms({ text: 'x'.repeat(1_531) })],
    ['an array around it', [anSms()]],
  ])('refuses a body with %s', async (_, body) => {
    const answer = await sendSms(sandbox, body).expect(422);
    expect(answer.body).toEqual({ error: { type: 'invalid_request', message: expect.any(String) } });
    expect(await delivered()).toEqual([]);
  });

  it.each([
    ['no JSON', 'application/json', '{"to":'],
    ['another media type', 'application/x-www-form-urlencoded', 'to=919812345678'],
    ['no UTF-8', 'application/json', Buffer.from([0x7b, 0xff, 0x7d])],
    ['far too much', 'application/json', JSON.stringify(anSms({ text: 'x'.repeat(70_000) }))],
  ])('refuses a body that is %s', async (_, type, bytes) => {
    const answer = await request(sandbox.baseUrl)
      .post('/providers/sms/primary/messages')
      .set('Authorization', 'Bearer any-key')
      .set('Content-Type', type)
      .serialize((body: unknown) => body as string)
      .send(bytes as string);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ error: { type: 'invalid_request', message: expect.any(String) } });
  });

  it('ignores the plus sign of a phone', async () => {
    await sendSms(sandbox, anSms({ to: '+919812345678' })).expect(202);
    expect(await delivered()).toMatchObject([{ to: '919812345678' }]);
    await sendSms(sandbox, anSms({ to: '+919876540503' })).expect(503);
  });

  it.each(['919999900001', '919876540408', '910503050300', '915030504000'])('delivers to %s', async (to) => {
    await sendSms(sandbox, anSms({ to })).expect(202);
    expect(await delivered(to)).toHaveLength(1);
  });

  it('delivers each message without a key, and once for each key', async () => {
    await sendSms(sandbox);
    await sendSms(sandbox);
    await sendSms(sandbox, anSms(), { idempotencyKey: 'a' });
    await sendSms(sandbox, anSms(), { idempotencyKey: 'b' });
    expect(await delivered()).toHaveLength(4);
  });

  it('does not share keys between providers', async () => {
    const [one, other] = await Promise.all(
      PROVIDERS.map((provider) => sendSms(sandbox, anSms(), { provider, idempotencyKey: 'same' })),
    );
    expect(one!.body).not.toEqual(other!.body);
    expect(await delivered()).toHaveLength(2);
  });

  it('does not store a key while it is down', async () => {
    await sendSms(sandbox, anSms({ to: '919876540503' }), { idempotencyKey: 'k' }).expect(503);
    await sendSms(sandbox, anSms(), { idempotencyKey: 'k' }).expect(202);
    expect(await delivered()).toHaveLength(1);
  });

  it('refuses a key that is too long', async () => {
    await sendSms(sandbox, anSms(), { idempotencyKey: 'k'.repeat(255) }).expect(202);
    await sendSms(sandbox, anSms(), { idempotencyKey: 'k'.repeat(256) }).expect(422);
  });

  it('drops the oldest keys', async () => {
    const messages = sandbox.app.get(ShortMessages, { strict: false });
    const send = (idempotencyKey: string) => messages.deliver('primary', { ...anSms(), idempotencyKey });
    const ids = await Promise.all(Array.from({ length: REMEMBERED_KEYS + 1 }, (_, n) => send(`k${n}`)));
    expect(await send('k1')).toBe(ids[1]);
    expect(await send('k0')).not.toBe(ids[0]);
  });

  it('accepts 50 parallel messages', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => sendSms(sandbox, anSms({ to: `9198000000${10 + n}` }))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(202));
    const ids = answers.map(({ body }) => body.message_id as string);
    expect((await delivered()).map(({ id }) => id).sort()).toEqual([...new Set(ids)].sort());
  });

  it('delivers once for 50 parallel calls with one key', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => sendSms(sandbox, anSms(), { idempotencyKey: 'one' })),
    );
    expect(new Set(answers.map(({ body }) => body.message_id)).size).toBe(1);
    expect(await delivered()).toHaveLength(1);
  });

  it('logs neither phones nor texts nor keys', async () => {
    await sendSms(sandbox, anSms({ to: '919812345678', text: 'code 482913' }), {
      idempotencyKey: 'secret-key',
    });
    await sendSms(sandbox, anSms({ to: '919876540503' }));
    await delivered('919812345678');
    const log = sandbox.log.join('');
    expect(log).toContain('"/providers/sms/:provider/messages"');
    expect(log).not.toMatch(/9198[\d*]{8}|482913|secret-key|any-key/);
  });
});

describe('SMS providers that hang', () => {
  const sandbox = bootSandbox();
  const opened: ClientRequest[] = [];
  let isOver: boolean;

  beforeEach(() => {
    isOver = false;
  });
  afterEach(async () => {
    isOver = true;
    for (const call of opened.splice(0)) call.destroy();
    await eventually(() => expect(silentCalls(sandbox).count).toBe(0));
  });

  /** A call to a phone that ends in 0504. Resolves with its outcome. */
  function hang(
    provider = 'primary',
    { baseUrl } = sandbox,
  ): { call: ClientRequest; ended: Promise<string> } {
    const call = httpRequest(`${baseUrl}/providers/sms/${provider}/messages`, {
      method: 'POST',
      agent: false,
      headers: { authorization: 'Bearer any-key', 'content-type': 'application/json' },
    });
    const ended = Promise.race([
      once(call, 'response').then(() => 'answered'),
      new Promise<string>((resolve) => call.on('error', () => resolve('cut'))),
    ]);
    call.end(JSON.stringify(anSms({ to: '919876540504' })));
    opened.push(call);
    return { call, ended };
  }

  const silentCalls = ({ app }: Sandbox) => app.get(SilentCalls, { strict: false });

  async function untilHeld(count: number, at: Sandbox = sandbox): Promise<void> {
    while (silentCalls(at).count !== count) {
      // ends the loop even if the test fails
      if (isOver) throw new Error(`${silentCalls(at).count} calls are held, not ${count}`);
      await sleep(5);
    }
  }

  it.each(PROVIDERS)('hang and deliver nothing: %s', async (provider) => {
    const { ended } = hang(provider);
    await untilHeld(1);
    await sendSms(sandbox, anSms()).expect(202);
    const { body } = await request(sandbox.baseUrl).get('/api/messages?to=919876540504');
    expect(body).toEqual({ messages: [] });
    expect(await Promise.race([ended, Promise.resolve('waiting')])).toBe('waiting');
  });

  it('drop a client that disconnects, and continue', async () => {
    const calls = Array.from({ length: 20 }, () => hang());
    await untilHeld(20);
    for (const { call } of calls) call.destroy();
    await untilHeld(0);
    await request(sandbox.baseUrl).get('/health/live').expect(200);
    await sendSms(sandbox, anSms()).expect(202);
  });

  it('ends although senders of messages wait', async () => {
    const ending = await startSandbox();
    const { ended } = hang('primary', ending);
    await untilHeld(1, ending);
    await ending.app.close();
    expect(await ended).toBe('cut');
    await untilHeld(0, ending);
    expect(ending.app.get(HttpServer).server!.listening).toBe(false);
  });

  it('cut the oldest call over the limit', async () => {
    const first = hang();
    await untilHeld(1);
    for (let n = 1; n < MAX_SILENT_CALLS; n++) hang();
    await untilHeld(MAX_SILENT_CALLS);
    hang();
    expect(await first.ended).toBe('cut');
    await untilHeld(MAX_SILENT_CALLS);
  });
});

const FLOW = '/vendors/msg91/api/v5/flow';
const MESSAGES = '/vendors/twilio/2010-04-01/Accounts/AC1/Messages.json';
const aFlow = (mobiles = '919812345678') => ({
  template_id: 'f1',
  recipients: [{ mobiles, code: '493027' }],
});
const AWS = '/vendors/aws/';
const aSignature = (day = '20261124', service = 'sms-voice') => ({
  'x-amz-date': '20261124T101112Z',
  authorization: `AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/${day}/ap-south-1/${service}/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=${'0'.repeat(64)}`,
});
const aText = (more: object = {}) => ({
  DestinationPhoneNumber: '+919812345678',
  OriginationIdentity: 'FDEPOS',
  MessageBody: '493027 is your code',
  MessageType: 'TRANSACTIONAL',
  DestinationCountryParameters: { IN_ENTITY_ID: '1101', IN_TEMPLATE_ID: '1107' },
  ...more,
});
const aForm = (To = '+919812345678') => ({ To, From: 'FDEPOS', Body: '493027 is your code' });

describe('SMS vendors', () => {
  const sandbox = bootSandbox();

  const flow = (body: object, authkey = 'key') =>
    request(sandbox.baseUrl).post(FLOW).set('authkey', authkey).send(body);
  const message = (form: object) =>
    request(sandbox.baseUrl).post(MESSAGES).auth('AC1', 'token').type('form').send(form);
  const text = (body: object, headers: Record<string, string> = aSignature()) =>
    request(sandbox.baseUrl)
      .post(AWS)
      .set({
        'x-amz-target': 'PinpointSMSVoiceV2.SendTextMessage',
        'content-type': 'application/x-amz-json-1.0',
        ...headers,
      })
      .send(JSON.stringify(body));
  const delivered = async (): Promise<unknown[]> =>
    (await request(sandbox.baseUrl).get('/api/messages')).body.messages;

  it('delivers the values of a flow of MSG91', async () => {
    const { status, body } = await flow(aFlow());
    expect([status, body]).toEqual([
      200,
      { type: 'success', message: expect.stringMatching(/^[0-9a-f]{24}$/) },
    ]);
    expect(await delivered()).toMatchObject([{ to: '919812345678', text: 'Template f1, code: 493027' }]);
  });

  it.each([
    ['no recipient', { template_id: 'f1', recipients: [] }],
    ['a number with a plus', aFlow('+919812345678')],
    ['no template', { recipients: aFlow().recipients }],
  ])('answers at MSG91 for %s with an error and status 200', async (_what, body) => {
    const answer = await flow(body);
    expect([answer.status, answer.body.type]).toEqual([200, 'error']);
    expect(await delivered()).toEqual([]);
  });

  it("requires MSG91's own header", async () => {
    const answer = await request(sandbox.baseUrl).post(FLOW).set('authorization', 'Bearer key').send(aFlow());
    expect([answer.status, answer.body.type]).toEqual([401, 'error']);
  });

  it('delivers the form body of a Twilio call', async () => {
    const { status, body } = await message(aForm());
    expect([status, body.status, body.to]).toEqual([201, 'queued', '+919812345678']);
    expect(body.sid).toMatch(/^SM[0-9a-f]{32}$/);
    expect(await delivered()).toMatchObject([{ to: '919812345678', text: '493027 is your code' }]);
  });

  it.each([
    ['a number without a plus', aForm('919812345678')],
    ['no sender', { To: '+919812345678', Body: 'x' }],
    ['no text', { To: '+919812345678', From: 'FDEPOS' }],
  ])("refuses at Twilio %s in Twilio's format", async (_what, form) => {
    const answer = await message(form);
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.objectContaining({ code: 21211, status: 400 }),
    ]);
  });

  it('delivers a text of AWS, and nothing in a dry run', async () => {
    const dry = await text(aText({ DryRun: true }));
    expect([dry.status, await delivered()]).toEqual([200, []]);
    const { status, body } = await text(aText({ TimeToLive: 600 }));
    expect([status, body]).toEqual([200, { MessageId: expect.stringMatching(/./) }]);
    expect(await delivered()).toMatchObject([{ to: '919812345678', text: '493027 is your code' }]);
  });

  it.each([
    ['no signature', { authorization: 'Bearer key' }, aText(), 'UnrecognizedClientException'],
    ['the signature of another day', aSignature('20261123'), aText(), 'UnrecognizedClientException'],
    [
      'the signature of another service',
      aSignature(undefined, 'sns'),
      aText(),
      'UnrecognizedClientException',
    ],
    ['another operation', { ...aSignature(), 'x-amz-target': 'x.Y' }, aText(), 'UnknownOperationException'],
    ['another protocol', { ...aSignature(), 'content-type': 'text/plain' }, aText(), 'ValidationException'],
    ['no JSON', aSignature(), 'x', 'ValidationException'],
    ['a number without a plus', aSignature(), aText({ DestinationPhoneNumber: '91' }), 'ValidationException'],
    ['no registration', aSignature(), aText({ DestinationCountryParameters: {} }), 'ValidationException'],
  ])('refuses at AWS %s with an exception', async (_what, headers, body, type) => {
    const answer = await text(body as object, headers);
    expect([answer.status, answer.body.__type]).toEqual([400, type]);
    expect(await delivered()).toEqual([]);
  });

  it('plays an AWS that is down for phones that end in 0503', async () => {
    const down = await text(aText({ DestinationPhoneNumber: '+919876540503' }));
    expect([down.status, down.body.__type]).toEqual([503, 'ServiceUnavailableException']);
  });

  it("requires Twilio's own credentials, and is down for phones that end in 0503", async () => {
    const unknown = await request(sandbox.baseUrl).post(MESSAGES).type('form').send(aForm());
    expect([unknown.status, unknown.body.code]).toEqual([401, 20003]);
    const down = await message(aForm('+919876540503'));
    expect([down.status, down.body.code]).toEqual([503, 20503]);
  });

  it.each([
    ['1'.repeat(32), 200, { sid: `MG${'1'.repeat(32)}` }],
    ['0'.repeat(32), 404, { code: 20404 }],
  ])('looks up the messaging service MG%s at Twilio: %i', async (id, status, expected) => {
    const answer = await request(sandbox.baseUrl).get(`/vendors/twilio/v1/Services/MG${id}`).auth('AC1', 't');
    expect([answer.status, answer.body]).toMatchObject([status, expected]);
  });
});
