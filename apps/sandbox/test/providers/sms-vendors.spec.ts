import request from 'supertest';
import { bootSandbox } from '../support/sandbox.js';

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
