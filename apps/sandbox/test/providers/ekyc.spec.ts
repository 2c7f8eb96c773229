import { randomUUID } from 'node:crypto';
import type { ApiClient } from '@fd/testing';
import request from 'supertest';
import { FakeClock } from '../support/fake-clock.js';
import { buttonsOf, press, visit } from '../support/hosted-page.js';
import { portsOf } from '../support/mail.js';
import { ask, effectsOf, look, refusal } from '../support/outside-call.js';
import { bootSandbox, documentedClient } from '../support/sandbox.js';

const REQUESTS = '/providers/ekyc/requests';
const OUTCOMES = ['verified', 'failed', 'expired'];

const aRequest = (changes: object = {}) => ({
  reference: 'ekyc-1',
  issuer_code: 'kaveri',
  method: 'HOSTED',
  redirect_url: null,
  expected: { name: 'ASHA RAO', date_of_birth: '1990-05-23' },
  ...changes,
});

describe('hosted eKYC', () => {
  const clock = new FakeClock();
  const sandbox = bootSandbox(clock);

  async function create(changes: object = {}): Promise<{ request_id: string; url: string }> {
    const { body } = await ask(sandbox, REQUESTS, aRequest(changes)).expect(201);
    return body;
  }
  async function stateOf(reference = 'ekyc-1'): Promise<string> {
    return (await look(sandbox, `${REQUESTS}/${reference}`).expect(200)).body.state;
  }
  const end = (outcome: unknown, reference = 'ekyc-1') =>
    request(sandbox.baseUrl).post(`/api/ekyc/${reference}/outcome`).send({ outcome });
  async function listed(): Promise<{ ekyc_request_id: string; state: string }[]> {
    return (await request(sandbox.baseUrl).get('/api/ekyc').expect(200)).body.requests;
  }

  it('opens a request with its page for 30 minutes', async () => {
    const { https } = await portsOf(sandbox);
    const { body } = await ask(sandbox, REQUESTS, aRequest()).expect(201);
    expect(body).toEqual({
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      reference: 'ekyc-1',
      url: `https://localhost:${https}/ekyc/${body.request_id}`,
      state: 'created',
      expires_at: expect.stringMatching(/\+05:30$/),
    });
    const lifeSeconds = (Date.parse(body.expires_at) - Date.now()) / 1_000;
    expect(lifeSeconds).toBeGreaterThan(1_700);
    expect(lifeSeconds).toBeLessThanOrEqual(1_800);
    const found = await look(sandbox, `${REQUESTS}/ekyc-1`).expect(200);
    expect(found.body).toEqual({ ...body, failure: null, holder: null });
  });

  it('opens one for an idempotency key, and repeats the first answer', async () => {
    const first = await ask(sandbox, REQUESTS, aRequest(), 'key').expect(201);
    await end('failed').expect(200);
    const again = await ask(sandbox, REQUESTS, aRequest(), 'key').expect(201);
    expect(again.body).toEqual(first.body);
    expect(await effectsOf(sandbox, { provider: 'ekyc' })).toMatchObject([
      { kind: 'request', subject: 'ekyc-1', idempotency_key: 'key', calls: 2 },
    ]);
  });

  it('opens one request for each reference', async () => {
    await ask(sandbox, REQUESTS, aRequest(), 'one').expect(201);
    const { body } = await ask(sandbox, REQUESTS, aRequest(), 'two').expect(409);
    expect(body).toEqual(refusal('duplicate_reference'));
    expect(await effectsOf(sandbox, { provider: 'ekyc' })).toHaveLength(1);
  });

  it.each([
    ['no reference', { reference: undefined }],
    ['another method', { method: 'VIDEO' }],
    ['no issuer', { issuer_code: '' }],
    ['a redirect that a browser would run', { redirect_url: 'javascript:alert(1)' }],
    ['a redirect to nowhere', { redirect_url: '/back' }],
    ['a birthday that does not exist', { expected: { name: 'A', date_of_birth: '1990-02-30' } }],
    ['no time', { valid_for_seconds: 0 }],
    ['too much time', { valid_for_seconds: 1_801 }],
  ])('refuses a body with %s', async (_, changes) => {
    const { body } = await ask(sandbox, REQUESTS, aRequest(changes)).expect(422);
    expect(body).toEqual(refusal('invalid_request'));
    expect(await listed()).toEqual([]);
  });

  it('requires a key, and answers not found for unknown ids', async () => {
    await request(sandbox.baseUrl).post(REQUESTS).send(aRequest()).expect(401);
    expect((await look(sandbox, `${REQUESTS}/nobody`).expect(404)).body).toEqual(refusal('not_found'));
    expect((await ask(sandbox, `${REQUESTS}/nobody/close`, {}).expect(404)).body).toEqual(
      refusal('not_found'),
    );
  });

  describe('page', () => {
    it('shows issuer, method and the three outcomes, and records that it was opened', async () => {
      const { url } = await create({ method: 'AADHAAR_OTP' });
      expect(await stateOf()).toBe('created');
      const { text, headers } = await visit(url).expect(200);
      expect(headers['content-type']).toMatch(/^text\/html/);
      for (const part of ['kaveri', 'Aadhaar OTP']) expect(text).toContain(part);
      expect(Object.keys(buttonsOf(text))).toEqual(['Verified', 'Failed', 'Expired']);
      expect(await stateOf()).toBe('opened');
    });

    it('has no script, and its form leads only to the sandbox and the redirect', async () => {
      const { url } = await create({ redirect_url: 'https://app.partner.example/back?step=1' });
      const { text, headers } = await visit(url);
      expect(text).not.toMatch(/<script|\son[a-z]+=|\sstyle=/);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; " +
          "form-action 'self' https://app.partner.example; frame-ancestors 'none'",
      );
      for (const [, path] of text.matchAll(/(?:src|<link [^>]*href)="([^"]+)"/g)) {
        await visit(new URL(path!, url).href).expect(200);
      }
    });

    it("escapes the caller's texts", async () => {
      const { url } = await create({ issuer_code: '<img src=x onerror=alert(1)>' });
      const { text } = await visit(url);
      expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
      expect(text).not.toContain('<img src=x');
    });

    it.each(OUTCOMES)('ends as %s, and remains on the page without a redirect', async (outcome) => {
      const { url } = await create();
      const { text } = await visit(url);
      const action = Object.values(buttonsOf(text)).find((path) => path.endsWith(`/${outcome}`))!;
      const { headers } = await press(url, action).expect(303);
      expect(await stateOf()).toBe(outcome);
      const after = await visit(new URL(headers['location']!, url).href).expect(200);
      expect(after.text).toContain('This eKYC is over');
      expect(buttonsOf(after.text)).toEqual({});
    });

    it('redirects the person with the outcome added to the address', async () => {
      const { url } = await create({
        redirect_url: 'https://app.partner.example/back?step=1&status=forged#end',
      });
      const { headers } = await press(url, buttonsOf((await visit(url)).text)['Failed']!).expect(303);
      expect(headers['location']).toBe(
        'https://app.partner.example/back?step=1&status=failed&ekyc_request_id=ekyc-1#end',
      );
      expect((await look(sandbox, `${REQUESTS}/ekyc-1`)).body.failure).toBe('identity_not_confirmed');
    });

    it('redirects only once', async () => {
      const { url } = await create({ redirect_url: 'https://app.partner.example/back' });
      const { Verified, Failed } = buttonsOf((await visit(url)).text);
      await press(url, Verified!).expect(303);
      const { text, headers } = await press(url, Failed!).expect(409);
      expect(headers['location']).toBeUndefined();
      expect(text).toContain('This eKYC is over');
      expect(await stateOf()).toBe('verified');
    });

    it('answers not found for other pages and refuses other outcomes', async () => {
      const { url, request_id } = await create();
      await visit(url.replace(request_id, 'ekyc-1')).expect(404);
      await press(url, `/ekyc/${request_id}/approved`).expect(404);
      expect(await stateOf()).toBe('created');
    });
  });

  describe('time', () => {
    it('ends request and page after 30 minutes', async () => {
      const { url } = await create();
      const buttons = buttonsOf((await visit(url)).text);
      clock.advanceSeconds(1_799);
      expect(await stateOf()).toBe('opened');
      clock.advanceSeconds(1);
      expect(await stateOf()).toBe('expired');
      expect(await listed()).toEqual([]);
      await press(url, buttons['Verified']!).expect(409);
      await end('verified').expect(409);
      expect(buttonsOf((await visit(url).expect(200)).text)).toEqual({});
      expect(await stateOf()).toBe('expired');
    });

    it('ends a request earlier when the caller sets a shorter time', async () => {
      await create({ valid_for_seconds: 5 });
      clock.advanceSeconds(5);
      expect(await stateOf()).toBe('expired');
    });
  });

  it.each(['created', 'opened', 'failed', 'expired'])(
    'closes a request that is %s when the person is verified elsewhere',
    async (state) => {
      const { url } = await create();
      if (state === 'opened') await visit(url);
      if (state === 'failed' || state === 'expired') await end(state);
      for (let n = 0; n < 2; n++) {
        const { body } = await ask(sandbox, `${REQUESTS}/ekyc-1/close`, {}).expect(200);
        expect(body).toMatchObject({ reference: 'ekyc-1', state: 'closed', failure: null, holder: null });
      }
      expect(await listed()).toEqual([]);
    },
  );

  describe('from a script', () => {
    let api: ApiClient;
    beforeAll(() => {
      api = documentedClient(sandbox);
    });

    it.each([
      [
        { name: 'Asha Rao', date_of_birth: '1990-05-23' },
        { name: 'ASHA RAO', date_of_birth: '1990-05-23', year_of_birth: '1990' },
      ],
      [null, { name: 'MEENA KULKARNI', date_of_birth: '1985-08-15', year_of_birth: '1985' }],
    ])('names the person who is verified when %j is expected', async (expected, holder) => {
      await create({ expected });
      await end('verified').expect(200);
      const { body } = await look(sandbox, `${REQUESTS}/ekyc-1`);
      expect(body).toMatchObject({ state: 'verified', holder });
    });

    it.each(OUTCOMES)('ends as %s', async (outcome) => {
      await create();
      const { status, body } = await api.post('/api/ekyc/ekyc-1/outcome', { outcome });
      expect([status, body]).toEqual([200, { ekyc_request_id: 'ekyc-1', state: outcome }]);
      expect(await stateOf()).toBe(outcome);
    });

    it('is refused after the end, for unknown requests and for other outcomes', async () => {
      await create();
      await end('approved').expect(400);
      await end(undefined).expect(400);
      await end('verified', 'nobody').expect(404);
      await end('verified').expect(200);
      await end('failed').expect(409);
      expect(await stateOf()).toBe('verified');
    });

    it('lists open requests, newest first', async () => {
      const { url } = await create();
      await create({ reference: 'ekyc-2' });
      await create({ reference: 'ekyc-3' });
      await visit(url);
      await end('failed', 'ekyc-2');
      const { body } = await api.get('/api/ekyc');
      expect(body.requests).toMatchObject([
        { ekyc_request_id: 'ekyc-3', issuer_code: 'kaveri', method: 'HOSTED', state: 'created' },
        { ekyc_request_id: 'ekyc-1', state: 'opened', url },
      ]);
    });
  });

  it('logs neither references nor names', async () => {
    const { url, request_id } = await create();
    await visit(url);
    await end('verified');
    expect(sandbox.log.join('')).toContain('"/api/ekyc/:ekyc_request_id/outcome"');
    for (const secret of ['ekyc-1', 'ASHA', '1990', request_id]) {
      expect(sandbox.log.join('')).not.toContain(secret);
    }
  });
});

const PERSON = { name: 'Asha Rao', date_of_birth: '1990-05-23' };
const DAY_MS = 86_400_000;

describe('hosted eKYC over vendors', () => {
  const clock = new FakeClock();
  const sandbox = bootSandbox(clock);

  const KEY = { 'x-client-id': 'id', 'x-client-secret': 'secret', 'x-api-version': '2024-12-01' };
  const vendor = '/vendors/cashfree/verification';

  const inDays = (days: number): string =>
    new Date(clock.now().getTime() + days * DAY_MS).toISOString().slice(0, 10);
  const make = (verification_id: string, changes: object = {}) =>
    request(sandbox.baseUrl)
      .post(`${vendor}/form`)
      .set(KEY)
      .send({
        verification_id,
        phone: '9876543210',
        template_name: 'Aadhaar_verification',
        link_expiry: inDays(1),
        ...changes,
      });
  const find = (query: object) => request(sandbox.baseUrl).get(`${vendor}/form`).query(query).set(KEY);
  const read = (reference_id: number) =>
    request(sandbox.baseUrl).get(`${vendor}/digilocker/document/AADHAAR`).query({ reference_id }).set(KEY);
  const end = (id: string, outcome: string, person?: object) =>
    request(sandbox.baseUrl).post(`/api/ekyc/${id}/outcome`).send({ outcome, person });

  it('returns the status of a link of Cashfree, and the holder of its Aadhaar for one charge', async () => {
    const id = randomUUID();
    const { body: made } = await make(id).expect(200);
    expect(made).toMatchObject({ verification_id: id, form_status: 'RECEIVED', phone: '9876543210' });
    expect((await find({ referenceID: made.reference_id }).expect(200)).body).toEqual(made);
    const { text } = await visit(made.form_link).expect(200);
    expect((await find({ verificationID: id })).body.form_status).toBe('PENDING');
    await press(made.form_link, buttonsOf(text)['Verified']!).expect(303);
    const { form_status, verification_details } = (await find({ verificationID: id })).body;
    expect([form_status, verification_details]).toEqual([
      'SUCCESS',
      [
        {
          reference_id: expect.any(Number) as number,
          type: 'OFFLINE_AADHAAR_VERIFICATION',
          status: 'SUCCESS',
        },
      ],
    ]);
    for (let time = 0; time < 2; time++)
      expect((await read(verification_details[0].reference_id).expect(200)).body).toMatchObject({
        status: 'SUCCESS',
        name: expect.stringMatching(/^[A-Z ]+$/) as string,
        uid: expect.stringMatching(/^xxxxxxxx\d{4}$/) as string,
      });
    expect(await effectsOf(sandbox, { provider: 'cashfree', subject: id })).toMatchObject([
      { kind: 'aadhaar_read' },
      { kind: 'aadhaar', calls: 2 },
      { kind: 'aadhaar_read' },
      { kind: 'kyc_link', calls: 1 },
    ]);
  });

  it('returns the person of the outcome from Cashfree', async () => {
    const id = randomUUID();
    await make(id);
    await end(id, 'verified', PERSON).expect(200);
    const { verification_details: details } = (await find({ verificationID: id })).body;
    expect((await read(details[0].reference_id)).body).toMatchObject({ name: 'ASHA RAO', dob: '23-05-1990' });
    await end(id, 'verified', { name: 'Asha Rao' }).expect(400);
  });

  it.each([
    ['failed', 'FAILED', 400],
    ['expired', 'EXPIRED', 404],
  ])('returns no Aadhaar from Cashfree after %s', async (outcome, status, read_) => {
    const id = randomUUID();
    await make(id);
    await end(id, outcome).expect(200);
    const { form_status, verification_details: details } = (await find({ verificationID: id })).body;
    expect(form_status).toBe(status);
    await read(details[0].reference_id).expect(read_);
  });

  it('accepts at Cashfree a verification_id once, only its own templates, and only dates in the next 30 days', async () => {
    const id = randomUUID();
    await make(id).expect(200);
    expect((await make(id).expect(409)).body.code).toBe('verification_id_already_exists');
    const refused: [changes: object, code: string][] = [
      [{ template_name: 'gone' }, 'Bad request, please check API documentation'],
      [{ link_expiry: inDays(-2) }, 'REQUEST_INVALID'],
      [{ link_expiry: inDays(32) }, 'REQUEST_INVALID'],
    ];
    for (const [changes, code] of refused)
      expect((await make(randomUUID(), changes).expect(400)).body).toMatchObject({
        type: 'validation_error',
        code,
      });
    await make(randomUUID(), { phone: '919876543210' }).expect(400);
    const { body: unknown } = await find({ verificationID: randomUUID() }).expect(404);
    expect(unknown).toEqual({
      type: 'not_found_error',
      code: 'Resource not found',
      message: 'No data found',
    });
  });
});
