import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ApiClient, eventually } from '@fd/testing';
import request from 'supertest';
import { Effects, EFFECTS_CAPACITY, REMEMBERED_KEYS } from '../../src/effects/effects.service.js';
import {
  BODY_CHARACTERS,
  Wire,
  WIRE_CAPACITY,
  WIRE_CHARACTERS,
  type WireCall,
} from '../../src/wire/wire.store.js';
import * as body from '../support/outside-bodies.js';
import { ask, effectsOf, expectSilence } from '../support/outside-call.js';
import { anSms, bootSandbox, documentedClient, sendSms } from '../support/sandbox.js';

interface View {
  readonly id: string;
  readonly kind: string;
  readonly provider: string;
  readonly path: string;
  readonly request_body: string;
  readonly response_body: string;
}

const INDIA_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+05:30$/;
const CASHFREE = '/vendors/cashfree/verification';
const SETU_KEYS = { 'x-client-id': 'setu-1', 'x-client-secret': 'live-key', 'x-product-instance-id': 'p' };
const CASHFREE_KEYS = { 'x-client-id': 'cf-1', 'x-client-secret': 'live-key', 'x-api-version': '2024-12-01' };

const aCall = (changes: Partial<WireCall> = {}): WireCall => ({
  kind: 'call',
  provider: 'msg91',
  at: new Date(),
  method: 'POST',
  path: '/vendors/msg91/api/v5/flow',
  requestHeaders: {},
  requestBody: '{}',
  status: 200,
  responseBody: '{}',
  durationMs: 1,
  ...changes,
});

describe('wire', () => {
  const sandbox = bootSandbox();
  let api: ApiClient;

  beforeAll(() => {
    api = documentedClient(sandbox);
  });

  const wire = (): Wire => sandbox.app.get(Wire, { strict: false });
  const calls = async (query: Record<string, string> = {}): Promise<View[]> =>
    ((await api.get('/api/wire', { query })).body as { calls: View[] }).calls;
  /** The sandbox records a call when its answer is closed, which may be after the client has read it. */
  const recorded = (count: number, query: Record<string, string> = {}): Promise<View[]> =>
    eventually(async () => {
      const shown = await calls(query);
      expect(shown).toHaveLength(count);
      return shown;
    });

  it('shows what a vendor was sent and answered, without the credentials', async () => {
    const sent = { template_id: 'f1', recipients: [{ mobiles: '919812345678', code: '493027' }] };
    await request(sandbox.baseUrl).post('/vendors/msg91/api/v5/flow').set('authkey', 'live-key').send(sent);
    const [call] = await recorded(1);
    expect(call).toMatchObject({
      kind: 'call',
      provider: 'msg91',
      at: expect.stringMatching(INDIA_TIME),
      method: 'POST',
      path: '/vendors/msg91/api/v5/flow',
      status: 200,
      duration_ms: expect.any(Number),
      request_headers: { authkey: '***', 'content-type': 'application/json' },
      request_body: JSON.stringify(sent),
      response_body: expect.stringMatching(/^\{"type":"success","message":"[0-9a-f]{24}"\}$/),
    });
    expect(JSON.stringify(call)).not.toContain('live-key');
  });

  it('names the provider of each played API, and shows its credentials nowhere', async () => {
    const as = (path: string, keys: Record<string, string>, sent?: object) =>
      sent
        ? request(sandbox.baseUrl).post(path).set(keys).send(sent)
        : request(sandbox.baseUrl).get(path).set(keys);
    const bearer = { authorization: 'Bearer live-key' };
    const basic = { authorization: `Basic ${Buffer.from('deposits:live-key').toString('base64')}` };
    const PLAYED: [provider: string, path: string, keys: Record<string, string>, sent?: object][] = [
      ['msg91', '/vendors/msg91/api/v5/flow', { authkey: 'live-key' }, {}],
      ['twilio', '/vendors/twilio/2010-04-01/Accounts/AC1/Balance.json', basic],
      ['cashfree', `${CASHFREE}/pan`, CASHFREE_KEYS, { pan: 'ABCPR1234K' }],
      ['setu', '/vendors/setu/api/verify/ban/async', SETU_KEYS, {}],
      ['fineract', '/vendors/fineract/fineract-provider/api/v1/clients', basic],
      ['sms', '/providers/sms/primary/messages', bearer, {}],
      ['pan', body.PAN_PATH, bearer, body.aPanVerification()],
      ['issuer:aravalli', '/issuers/aravalli/customers/search', bearer, body.aSearch()],
      ['issuer:kaveri', '/issuers/kaveri/cbs/customerEnquiry', bearer, body.anEnquiry()],
    ];
    for (const [n, [, path, keys, sent]] of PLAYED.entries()) {
      await as(path, keys, sent);
      await recorded(n + 1);
    }
    const shown = await calls();
    expect(shown.map(({ provider, path }) => [provider, path]).reverse()).toEqual(
      PLAYED.map(([provider, path]) => [provider, path]),
    );
    const text = JSON.stringify(shown);
    expect(text).not.toMatch(/live-key|ZGVwb3NpdHM6/);
    expect(text).toContain('Basic ***');
  });

  it('shows a form, a body that is no JSON, a refusal for a missing key and an unknown path', async () => {
    const messages = '/vendors/twilio/2010-04-01/Accounts/AC1/Messages.json';
    await request(sandbox.baseUrl)
      .post(messages)
      .auth('AC1', 'token')
      .type('form')
      .send({ To: '+91', Body: 'x' });
    await recorded(1);
    await request(sandbox.baseUrl).post(`${CASHFREE}/pan`).set(CASHFREE_KEYS).type('json').send('{"pan":');
    await recorded(2);
    await request(sandbox.baseUrl).post(body.PAN_PATH).send(body.aPanVerification());
    await recorded(3);
    await request(sandbox.baseUrl).get('/vendors/setu/old/path?api_key=live-key&x=1');
    expect((await recorded(4)).reverse()).toMatchObject([
      { status: 400, request_body: 'To=%2B91&Body=x', response_body: expect.stringContaining('21211') },
      { status: 400, request_body: '{"pan":', response_body: expect.stringContaining('validation_error') },
      { status: 401, response_body: expect.stringContaining('authentication_failed') },
      { status: 404, provider: 'setu', path: '/vendors/setu/old/path?api_key=***&x=1', request_body: '' },
    ]);
  });

  it('shows a call without an answer once its client has hung up', async () => {
    await expectSilence(sandbox, body.PAN_PATH, body.aPanVerification('ABCPR0504K'));
    expect(await recorded(1)).toMatchObject([{ provider: 'pan', status: null, response_body: '' }]);
  });

  it('shows webhooks with their answers, and one without an answer', async () => {
    const got: (string | undefined)[] = [];
    const receiver = createServer((incoming, response) => {
      got.push(String(incoming.headers['x-api-key']));
      response.end('{"taken":true}');
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const register = (client: string, target: string) =>
      request(sandbox.baseUrl).put(`/api/webhooks/${client}`).send({ url: target }).expect(204);
    try {
      await register('setu-1', url);
      await register('cf-1', 'http://127.0.0.1:1/hook');
      const sent = { accountNumber: '501000121234', ifsc: 'HDFC0001234' };
      await request(sandbox.baseUrl).post('/vendors/setu/api/verify/ban/async').set(SETU_KEYS).send(sent);
      const form = { bank_account: '501000121234', ifsc: 'HDFC0001234', user_id: 'u1' };
      await request(sandbox.baseUrl).post(`${CASHFREE}/bank-account/async`).set(CASHFREE_KEYS).send(form);
      const [webhook] = await recorded(4, { provider: 'setu' });
      expect(webhook).toMatchObject({
        kind: 'webhook',
        method: 'POST',
        path: url,
        status: 200,
        request_headers: { 'x-client-id': 'setu-1', 'x-api-key': '***' },
        request_body: expect.stringContaining('BAV_WEBHOOK_NOTIFICATION'),
        response_body: '{"taken":true}',
      });
      expect(new Set(got)).toEqual(new Set(['live-key']));
      const [refused] = await recorded(4, { provider: 'cashfree' });
      expect(refused).toMatchObject({ kind: 'webhook', status: null, response_body: '' });
    } finally {
      receiver.close();
    }
  });

  it('returns the calls of a provider, and those after a call', async () => {
    for (const provider of ['msg91', 'setu', 'msg91']) wire().record(aCall({ provider }));
    const [newest, middle, oldest] = await calls();
    expect(await calls({ provider: 'setu' })).toEqual([middle]);
    expect(await calls({ after: oldest!.id })).toEqual([newest, middle]);
    expect(await calls({ after: oldest!.id, provider: 'msg91' })).toEqual([newest]);
    expect(await calls({ after: newest!.id })).toEqual([]);
    expect(await calls({ provider: 'nobody' })).toEqual([]);
    for (const query of ['after=1', 'provider=a&provider=b'])
      await request(sandbox.baseUrl).get(`/api/wire?${query}`).expect(400);
  });

  it('does not show calls of the sandbox itself', async () => {
    await request(sandbox.baseUrl).get('/api/messages').expect(200);
    await ask(sandbox, body.PAN_PATH, body.aPanVerification());
    expect(await recorded(1)).toMatchObject([{ provider: 'pan' }]);
  });

  it('stores only the newest calls, and cuts long bodies', () => {
    const texts = Array.from({ length: WIRE_CAPACITY + 1 }, (_, n) => `"${n}"`);
    for (const requestBody of texts) wire().record(aCall({ requestBody }));
    const kept = wire().list();
    expect(kept).toHaveLength(WIRE_CAPACITY);
    expect(kept.map(({ requestBody }) => requestBody).reverse()).toEqual(texts.slice(1));
    const long = 'x'.repeat(BODY_CHARACTERS * 2);
    wire().record(aCall({ responseBody: long }));
    expect(wire().list()[0]!.responseBody).toBe(
      `${long.slice(BODY_CHARACTERS)}… (cut: ${long.length} characters)`,
    );
  });

  it('stores at most its bytes in all', () => {
    const long = 'x'.repeat(BODY_CHARACTERS);
    for (let n = 0; n < WIRE_CAPACITY; n++) wire().record(aCall({ requestBody: long, responseBody: long }));
    const kept = wire().list();
    const characters = JSON.stringify(kept).length;
    expect(characters).toBeLessThan(WIRE_CHARACTERS + kept.length + 2);
    expect(characters).toBeGreaterThan(WIRE_CHARACTERS * 0.95);
  });
});

describe('ledger of effects', () => {
  const sandbox = bootSandbox();

  it('lists one entry for each effect, newest first, and counts the calls', async () => {
    await ask(sandbox, body.PAN_PATH, body.aPanVerification());
    for (let n = 0; n < 3; n++) await ask(sandbox, body.BANK_PATH, body.aBankVerification(), 'k-1');
    await ask(sandbox, body.BANK_PATH, body.aBankVerification());
    expect(await effectsOf(sandbox)).toMatchObject([
      { provider: 'bank', kind: 'penny_drop', subject: '501000121234', idempotency_key: null, calls: 1 },
      { provider: 'bank', kind: 'penny_drop', subject: '501000121234', idempotency_key: 'k-1', calls: 3 },
      { provider: 'pan', kind: 'lookup', subject: 'ABCPR1234K', idempotency_key: null, calls: 1 },
    ]);
  });

  it('filters by provider and by subject', async () => {
    await ask(sandbox, body.PAN_PATH, body.aPanVerification());
    await ask(sandbox, body.BANK_PATH, body.aBankVerification());
    await ask(sandbox, body.BANK_PATH, body.aBankVerification({ account_number: '501000129999' }));
    const subjects = async (query: object) => (await effectsOf(sandbox, query)).map(({ subject }) => subject);
    expect(await subjects({ provider: 'bank' })).toEqual(['501000129999', '501000121234']);
    expect(await subjects({ subject: 'ABCPR1234K' })).toEqual(['ABCPR1234K']);
    expect(await subjects({ provider: 'bank', subject: '501000121234' })).toEqual(['501000121234']);
    expect(await subjects({ provider: 'nobody' })).toEqual([]);
    await request(sandbox.baseUrl).get('/api/effects?provider=a&provider=b').expect(400);
  });

  it('returns as many of the newest effects as requested', async () => {
    for (const to of ['919000000001', '919000000002', '919000000003']) await sendSms(sandbox, anSms({ to }));
    const { body } = await documentedClient(sandbox).get('/api/effects', { query: { limit: '2' } });
    const { effects } = body as { effects: { subject: string }[] };
    expect(effects.map(({ subject }) => subject)).toEqual(['919000000003', '919000000002']);
    for (const limit of ['0', '-1', '1.5', 'all'])
      await request(sandbox.baseUrl).get(`/api/effects?limit=${limit}`).expect(400);
  });

  it('gives each effect an id and a time in Indian time', async () => {
    await ask(sandbox, body.PAN_PATH, body.aPanVerification());
    const [effect] = await effectsOf(sandbox);
    expect(effect).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+05:30$/),
    });
  });

  it('lists a message for each SMS provider that delivered it', async () => {
    const sms = { to: '919812345678', template_id: 'login_otp', text: '482913' };
    await ask(sandbox, '/providers/sms/primary/messages', sms, 'k');
    await ask(sandbox, '/providers/sms/fallback/messages', sms, 'k');
    await ask(sandbox, '/providers/sms/fallback/messages', sms, 'k');
    expect(await effectsOf(sandbox, { provider: 'sms', subject: '919812345678' })).toMatchObject([
      { kind: 'message', idempotency_key: 'k', calls: 2 },
      { kind: 'message', idempotency_key: 'k', calls: 1 },
    ]);
  });

  it('stores only the newest effects and keys', () => {
    const effects = sandbox.app.get(Effects, { strict: false });
    const once = (n: number) =>
      effects.once({ provider: 'p', kind: 'k', subject: `s${n}`, idempotencyKey: `k${n}` }, () => ({ n }));
    const first = once(0);
    const second = once(1);
    for (let n = 2; n <= REMEMBERED_KEYS; n++) once(n);
    expect(effects.list()).toHaveLength(EFFECTS_CAPACITY);
    expect(effects.list()[0]!.subject).toBe(`s${REMEMBERED_KEYS}`);
    expect(once(1)).toBe(second);
    expect(once(0)).not.toBe(first);
  });

  it('does not store the key of failed work', () => {
    const effects = sandbox.app.get(Effects, { strict: false });
    const effect = { provider: 'p', kind: 'k', subject: 's', idempotencyKey: 'key' };
    const fail = () => {
      throw new Error('failed');
    };
    expect(() => effects.once(effect, fail)).toThrow('failed');
    expect(effects.list()).toEqual([]);
    expect(effects.once(effect, () => 'done')).toBe('done');
    expect(effects.once(effect, fail)).toBe('done');
  });
});
