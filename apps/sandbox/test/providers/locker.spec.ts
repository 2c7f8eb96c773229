import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { FakeClock } from '../support/fake-clock.js';
import { buttonsOf, press, visit } from '../support/hosted-page.js';
import { portsOf } from '../support/mail.js';
import { ask, effectsOf, look, refusal } from '../support/outside-call.js';
import { bootSandbox, documentedClient } from '../support/sandbox.js';

const SESSIONS = '/providers/locker/sessions';

const aSession = (changes: object = {}) => ({
  reference: 'locker-1',
  redirect_url: null,
  expected: { name: 'ASHA RAO', date_of_birth: '1990-05-23' },
  ...changes,
});

const OWNER = { name: 'ASHA RAO', date_of_birth: '1990-05-23', year_of_birth: '1990' };
const present = (holder: object) => ({
  present: true,
  reference_id: expect.any(String),
  last_four: expect.stringMatching(/^\d{4}$/),
  holder: { ...OWNER, phone: null, ...holder },
});
const ANOTHER_PERSON = { name: 'GOPAL VENKATARAMAN' };
const ANOTHER_BIRTH_DATE = { date_of_birth: '1991-01-01', year_of_birth: '1991' };

/** Buttons and their outcomes. */
const OUTCOMES = [
  { outcome: 'allow', button: 'Allow', status: 'AUTHORISED', aadhaar: present({}) },
  {
    outcome: 'birth_year',
    button: 'Year of birth only',
    status: 'AUTHORISED',
    aadhaar: present({ date_of_birth: null }),
  },
  { outcome: 'deny', button: 'Deny', status: 'DENIED', aadhaar: null },
  { outcome: 'take_back', button: 'Take back', status: 'DENIED', aadhaar: null },
  { outcome: 'no_aadhaar', button: 'No Aadhaar', status: 'AUTHORISED', aadhaar: { present: false } },
  {
    outcome: 'another_person',
    button: 'Another person',
    status: 'AUTHORISED',
    aadhaar: present(ANOTHER_PERSON),
  },
  {
    outcome: 'another_birth_date',
    button: 'Another date of birth',
    status: 'AUTHORISED',
    aadhaar: present(ANOTHER_BIRTH_DATE),
  },
  { outcome: 'expired', button: 'Expired', status: 'EXPIRED', aadhaar: null },
];

describe('document locker', () => {
  const clock = new FakeClock();
  const sandbox = bootSandbox(clock);

  async function create(changes: object = {}): Promise<{ session_id: string; url: string }> {
    const { body } = await ask(sandbox, SESSIONS, aSession(changes)).expect(201);
    return body;
  }
  const find = async (id: string) => (await look(sandbox, `${SESSIONS}/${id}`).expect(200)).body;
  const end = (id: string, outcome: unknown) =>
    request(sandbox.baseUrl).post(`/api/locker/${id}/outcome`).send({ outcome });

  it('opens a session with its page for 10 minutes', async () => {
    const { https } = await portsOf(sandbox);
    const { body } = await ask(sandbox, SESSIONS, aSession()).expect(201);
    expect(body).toEqual({
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: `https://localhost:${https}/locker/${body.session_id}`,
      status: 'CREATED',
      expires_at: expect.stringMatching(/\+05:30$/),
    });
    const lifeSeconds = (Date.parse(body.expires_at) - Date.now()) / 1_000;
    expect(lifeSeconds).toBeGreaterThan(500);
    expect(lifeSeconds).toBeLessThanOrEqual(600);
    expect(await find(body.session_id)).toEqual({ ...body, aadhaar: null });
  });

  it('opens one for an idempotency key, and repeats the first answer', async () => {
    const first = await ask(sandbox, SESSIONS, aSession(), 'key').expect(201);
    await end(first.body.session_id, 'allow').expect(200);
    const again = await ask(sandbox, SESSIONS, aSession(), 'key').expect(201);
    expect(again.body).toEqual(first.body);
    expect(await effectsOf(sandbox, { provider: 'locker', subject: 'locker-1' })).toMatchObject([
      { kind: 'session', idempotency_key: 'key', calls: 2 },
    ]);
  });

  it('opens another one for the same reference with another key, so that the person can try again', async () => {
    const [one, two] = [await create(), await create()];
    expect(one.session_id).not.toBe(two.session_id);
  });

  it.each([
    ['no reference', { reference: '' }],
    ['half a person', { expected: { name: 'ASHA RAO' } }],
    ['a redirect that a browser would run', { redirect_url: 'data:text/html,x' }],
  ])('refuses a body with %s', async (_, changes) => {
    const { body } = await ask(sandbox, SESSIONS, aSession(changes)).expect(422);
    expect(body).toEqual(refusal('invalid_request'));
  });

  it('requires a key, and answers not found for unknown ids', async () => {
    await request(sandbox.baseUrl).post(SESSIONS).send(aSession()).expect(401);
    await request(sandbox.baseUrl).get(`${SESSIONS}/nobody`).expect(401);
    expect((await look(sandbox, `${SESSIONS}/nobody`).expect(404)).body).toEqual(refusal('not_found'));
  });

  it.each(OUTCOMES)('ends by the page: $button', async ({ button, status, aadhaar }) => {
    const { url, session_id } = await create();
    const { text } = await visit(url).expect(200);
    expect(Object.keys(buttonsOf(text))).toEqual(OUTCOMES.map((known) => known.button));
    const { headers } = await press(url, buttonsOf(text)[button]!).expect(303);
    expect(await find(session_id)).toMatchObject({ status, aadhaar });
    const after = await visit(new URL(headers['location']!, url).href).expect(200);
    expect(buttonsOf(after.text)).toEqual({});
  });

  it.each(OUTCOMES)('ends by a script: $outcome', async ({ outcome, status, aadhaar }) => {
    const api = documentedClient(sandbox);
    const { session_id } = await create();
    const answer = await api.post(`/api/locker/${session_id}/outcome`, { outcome });
    expect([answer.status, answer.body]).toEqual([200, { session_id, status }]);
    expect(await find(session_id)).toMatchObject({ status, aadhaar });
    expect((await api.get('/api/locker')).body).toEqual({ sessions: [] });
  });

  it('reports the phone of the outcome', async () => {
    const { session_id } = await create();
    const give = (phone: string) =>
      request(sandbox.baseUrl).post(`/api/locker/${session_id}/outcome`).send({ outcome: 'allow', phone });
    await give('9876543210').expect(400);
    await give('919876543210').expect(200);
    expect((await find(session_id)).aadhaar.holder.phone).toBe('919876543210');
  });

  it("ends the newest session of a caller's reference by a script", async () => {
    const [older, newer] = [await create({ reference: 'a-visit' }), await create({ reference: 'a-visit' })];
    const { body } = await end('a-visit', 'deny').expect(200);
    expect(body).toEqual({ session_id: newer.session_id, status: 'DENIED' });
    expect((await find(older.session_id)).status).toBe('CREATED');
  });

  it.each(['allow', 'birth_year', 'another_person', 'another_birth_date'])(
    'returns the Aadhaar of a generated person after %s when the request names none',
    async (outcome) => {
      const { session_id } = await create({ expected: null });
      await end(session_id, outcome).expect(200);
      const { holder } = (await find(session_id)).aadhaar;
      expect(holder).toEqual({
        name: expect.stringMatching(/^[A-Z]+ [A-Z]+$/),
        date_of_birth: outcome === 'birth_year' ? null : expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        year_of_birth: expect.stringMatching(/^\d{4}$/),
        phone: null,
      });
    },
  );

  it('returns the same Aadhaar for a person in every session', async () => {
    const digits: string[] = [];
    for (const name of ['ASHA RAO', 'ASHA RAO', 'RAVI RAO']) {
      const { session_id } = await create({ expected: { name, date_of_birth: '1990-05-23' } });
      await end(session_id, 'allow').expect(200);
      digits.push((await find(session_id)).aadhaar.last_four);
    }
    expect(digits[0]).toBe(digits[1]);
    expect(digits[0]).not.toBe(digits[2]);
  });

  it('redirects the person with the outcome', async () => {
    const { url, session_id } = await create({ redirect_url: 'http://localhost:3001/back?step=2' });
    const { text, headers: shown } = await visit(url);
    expect(shown['content-security-policy']).toContain("form-action 'self' http://localhost:3001;");
    const { headers } = await press(url, buttonsOf(text)['Deny']!).expect(303);
    expect(headers['location']).toBe(
      `http://localhost:3001/back?step=2&session_id=${session_id}&status=DENIED`,
    );
  });

  it('refuses a second end of a session with 409', async () => {
    const { url, session_id } = await create({ redirect_url: 'https://app.partner.example/' });
    const buttons = buttonsOf((await visit(url)).text);
    await press(url, buttons['Allow']!).expect(303);
    const again = await press(url, buttons['Deny']!).expect(409);
    expect(again.headers['location']).toBeUndefined();
    await end(session_id, 'deny').expect(409);
    expect(await find(session_id)).toMatchObject({ status: 'AUTHORISED' });
  });

  it('expires with its page after 10 minutes', async () => {
    const { url, session_id } = await create();
    const buttons = buttonsOf((await visit(url)).text);
    clock.advanceSeconds(599);
    expect((await find(session_id)).status).toBe('CREATED');
    clock.advanceSeconds(1);
    expect(await find(session_id)).toMatchObject({ status: 'EXPIRED', aadhaar: null });
    await press(url, buttons['Allow']!).expect(409);
    await end(session_id, 'allow').expect(409);
    expect((await visit(url).expect(200)).text).toContain('This request is over');
  });

  it('answers not found for other pages and sessions, and refuses other outcomes', async () => {
    const { url, session_id } = await create();
    await visit(url.replace(session_id, 'nobody')).expect(404);
    await press(url, `/locker/${session_id}/AUTHORISED`).expect(404);
    await end('nobody', 'allow').expect(404);
    await end(session_id, 'AUTHORISED').expect(400);
    expect((await find(session_id)).status).toBe('CREATED');
  });

  it('lists open sessions, newest first', async () => {
    const [one, two, three] = [await create(), await create({ reference: 'locker-2' }), await create()];
    await end(two.session_id, 'deny');
    const { body } = await request(sandbox.baseUrl).get('/api/locker').expect(200);
    expect(body.sessions).toMatchObject([
      { session_id: three.session_id },
      { session_id: one.session_id, reference: 'locker-1', url: one.url },
    ]);
  });

  it('logs neither references nor names', async () => {
    const { url, session_id } = await create();
    await visit(url);
    await end(session_id, 'allow');
    expect(sandbox.log.join('')).toContain('"/api/locker/:session_id/outcome"');
    for (const secret of ['locker-1', 'ASHA', '1990', session_id]) {
      expect(sandbox.log.join('')).not.toContain(secret);
    }
  });
});

const BACK = 'https://app.partner.example/back?step=2';
const PERSON = { name: 'Asha Rao', date_of_birth: '1990-05-23' };

describe('document lockers over vendors', () => {
  const clock = new FakeClock();
  const sandbox = bootSandbox(clock);

  const SETU = { 'x-client-id': 'id', 'x-client-secret': 'secret', 'x-product-instance-id': 'product' };
  const CASHFREE = { 'x-client-id': 'id', 'x-client-secret': 'secret', 'x-api-version': '2024-12-01' };
  const setuPath = '/vendors/setu/api/digilocker';
  const cashfreePath = '/vendors/cashfree/verification/digilocker';

  const setu = (path: string) => request(sandbox.baseUrl).get(`${setuPath}/${path}`).set(SETU);
  const cashfree = (path: string, verification_id: string) =>
    request(sandbox.baseUrl).get(`${cashfreePath}${path}`).query({ verification_id }).set(CASHFREE);

  async function beginAtSetu(): Promise<{ id: string; url: string; validUpto: string }> {
    const begun = request(sandbox.baseUrl).post(setuPath).set(SETU).send({ redirectUrl: BACK });
    return (await begun.expect(200)).body;
  }
  const beginAtCashfree = (verification_id: string, changes: object = {}) =>
    request(sandbox.baseUrl)
      .post(cashfreePath)
      .set(CASHFREE)
      .send({ verification_id, document_requested: ['AADHAAR'], redirect_url: BACK, ...changes });

  const end = (url: string, outcome: string, person?: object, phone?: string) =>
    request(sandbox.baseUrl)
      .post(`/api/locker/${url.split('/').at(-1)!}/outcome`)
      .send({ outcome, person, phone })
      .expect(200);
  const paid = async (provider: string): Promise<unknown[]> =>
    (await effectsOf(sandbox, { provider })).filter(({ kind }) => kind === 'aadhaar');
  const readsOf = async (provider: string): Promise<unknown[]> =>
    (await effectsOf(sandbox, { provider })).filter(({ kind }) => kind === 'aadhaar_read');

  it('returns the decision and the holder of the Aadhaar from Setu for one charge', async () => {
    const { id, url, validUpto } = await beginAtSetu();
    expect(Date.parse(validUpto)).toBeGreaterThan(Date.now());
    expect((await setu(`${id}/status`).expect(200)).body).toMatchObject({ id, status: 'unauthenticated' });
    expect((await setu(`${id}/aadhaar`).expect(401)).body.error.code).toBe('user_not_authenticated');
    await end(url, 'allow', PERSON);
    expect((await setu(`${id}/status`)).body.status).toBe('authenticated');
    for (let read = 0; read < 2; read++) {
      expect((await setu(`${id}/aadhaar`).expect(200)).body).toMatchObject({
        status: 'complete',
        aadhaar: {
          name: 'ASHA RAO',
          dateOfBirth: '23-05-1990',
          maskedNumber: expect.stringMatching(/^xxxx-xxxx-\d{4}$/),
        },
      });
    }
    expect(await paid('setu')).toMatchObject([{ subject: id, calls: 2 }]);
    expect(await readsOf('setu')).toMatchObject([{ subject: id }, { subject: id }]);
  });

  it.each([
    ['deny', 'revoked', 403, 'user_consent_not_given'],
    ['take_back', 'authenticated', 401, 'token_revoked'],
    ['no_aadhaar', 'authenticated', 400, 'aadhaar_not_linked'],
  ])('answers at Setu after %s with %s and %i %s', async (outcome, status, httpStatus, code) => {
    const { id, url } = await beginAtSetu();
    await end(url, outcome);
    expect((await setu(`${id}/status`)).body.status).toBe(status);
    expect((await setu(`${id}/aadhaar`).expect(httpStatus)).body.error.code).toBe(code);
    expect(await paid('setu')).toEqual([]);
  });

  it('answers an ended request at Setu like an unknown one', async () => {
    const { id } = await beginAtSetu();
    clock.advanceSeconds(600);
    for (const forgotten of [id, randomUUID()])
      expect((await setu(`${forgotten}/status`).expect(404)).body.error.code).toBe('request_not_found');
  });

  it.each([
    ['Allow', /^https:\/\/app\.partner\.example\/back\?step=2&success=True&id=/],
    ['Deny', /[?&]success=False&id=\S+&errCode=access_denied/],
  ])('redirects the person from Setu after %s', async (button, location) => {
    const { url } = await beginAtSetu();
    const { text } = await visit(url).expect(200);
    const { headers } = await press(url, buttonsOf(text)[button]!).expect(303);
    expect(headers['location']).toMatch(location);
  });

  it('leads back from Setu after a cancel, and stays open there alone', async () => {
    const { id, url } = await beginAtSetu();
    const button = buttonsOf((await visit(url).expect(200)).text)['Cancel, still open']!;
    const { headers } = await press(url, button).expect(303);
    expect(headers['location']).toMatch(/[?&]step=2&success=False&id=\S+&errCode=access_denied/);
    expect((await setu(`${id}/status`)).body.status).toBe('unauthenticated');
    await end(url, 'allow', PERSON);
    expect((await setu(`${id}/status`)).body.status).toBe('authenticated');
    await press(url, button).expect(409);
    const { body } = await beginAtCashfree(randomUUID());
    const other = body.url as string;
    expect(buttonsOf((await visit(other).expect(200)).text)).not.toHaveProperty('Cancel, still open');
    await press(other, `${new URL(other).pathname}/cancel`).expect(404);
  });

  it('returns the decision and the holder of the Aadhaar from Cashfree for one charge', async () => {
    const id = randomUUID();
    const { body } = await beginAtCashfree(id).expect(200);
    expect(body).toMatchObject({ verification_id: id, status: 'PENDING' });
    expect((await cashfree('', id).expect(200)).body.status).toBe('PENDING');
    expect((await cashfree('/document/AADHAAR', id).expect(400)).body.code).toBe('consent_not_granted');
    await end(body.url, 'birth_year', PERSON);
    expect((await cashfree('', id)).body).toMatchObject({ status: 'AUTHENTICATED' });
    for (let read = 0; read < 2; read++) {
      expect((await cashfree('/document/AADHAAR', id).expect(200)).body).toMatchObject({
        status: 'SUCCESS',
        name: 'ASHA RAO',
        dob: null,
        year_of_birth: 1990,
        uid: expect.stringMatching(/^xxxxxxxx\d{4}$/),
      });
    }
    expect(await paid('cashfree')).toMatchObject([{ subject: id, calls: 2 }]);
    expect(await readsOf('cashfree')).toMatchObject([{ subject: id }, { subject: id }]);
  });

  it('charge each read with a key that ends in !charge-each-read', async () => {
    const secret = { 'x-client-secret': 'secret!charge-each-read' };
    const { id, url } = await beginAtSetu();
    const reference = randomUUID();
    const { body } = await beginAtCashfree(reference).expect(200);
    await end(url, 'allow', PERSON);
    await end(body.url, 'allow', PERSON);
    for (let read = 0; read < 2; read++) {
      await setu(`${id}/aadhaar`).set(secret).expect(200);
      await cashfree('/document/AADHAAR', reference).set(secret).expect(200);
    }
    for (const [provider, subject] of [
      ['setu', id],
      ['cashfree', reference],
    ] as const)
      expect(await paid(provider)).toMatchObject([
        { subject, calls: 1 },
        { subject, calls: 1 },
      ]);
  });

  it.each([
    [undefined, null],
    ['919876543210', '9876543210'],
  ])(
    'report the phone of the outcome %s in ten digits, once the person has allowed it',
    async (phone, digits) => {
      const [{ id, url }, reference] = [await beginAtSetu(), randomUUID()];
      const { body } = await beginAtCashfree(reference).expect(200);
      const atSetu = async () => (await setu(`${id}/status`).expect(200)).body.digilockerUserDetails;
      const atCashfree = async () => (await cashfree('', reference).expect(200)).body.user_details;
      expect([await atSetu(), await atCashfree()]).toEqual([undefined, undefined]);
      await end(url, 'allow', PERSON, phone);
      await end(body.url, 'allow', PERSON, phone);
      expect(await atSetu()).toMatchObject({ phoneNumber: digits });
      expect(await atCashfree()).toMatchObject({ mobile: digits });
    },
  );

  it('accepts at Cashfree a verification_id once, and only https addresses', async () => {
    const id = randomUUID();
    await beginAtCashfree(id).expect(200);
    expect((await beginAtCashfree(id).expect(409)).body.code).toBe('verification_id_value_invalid');
    await beginAtCashfree(randomUUID(), { redirect_url: 'http://app.partner.example/' }).expect(400);
    expect((await cashfree('', randomUUID()).expect(404)).body.code).toBe('verification_id_value_invalid');
  });

  it.each([
    ['deny', 'CONSENT_DENIED'],
    ['expired', 'EXPIRED'],
  ])('answers at Cashfree after %s with %s', async (outcome, status) => {
    const id = randomUUID();
    const { body } = await beginAtCashfree(id);
    await end(body.url, outcome);
    expect((await cashfree('', id)).body.status).toBe(status);
  });

  it('belong to the person whose PAN was looked up last', async () => {
    const { body: sample } = await request(sandbox.baseUrl).get('/api/sample-person');
    const reason = 'To verify the PAN of a depositor';
    const { body: pan } = await request(sandbox.baseUrl)
      .post('/vendors/setu/api/verify/pan')
      .set(SETU)
      .send({ pan: sample.pan, consent: 'Y', reason });
    const { id, url } = await beginAtSetu();
    await end(url, 'allow');
    const { aadhaar } = (await setu(`${id}/aadhaar`).expect(200)).body;
    expect(aadhaar.name).toBe(pan.data.full_name);
    const [year, month, day] = (sample.dob as string).split('-');
    expect(aadhaar.dateOfBirth).toBe(`${day}-${month}-${year}`);
  });

  it('refuse an incomplete person', async () => {
    const { url } = await beginAtSetu();
    await request(sandbox.baseUrl)
      .post(`/api/locker/${url.split('/').at(-1)!}/outcome`)
      .send({ outcome: 'allow', person: { name: 'Asha Rao' } })
      .expect(400);
  });

  it('log no name, date of birth or id', async () => {
    const { id, url } = await beginAtSetu();
    await end(url, 'allow', PERSON);
    await setu(`${id}/aadhaar`);
    const log = sandbox.log.join('');
    for (const secret of ['ASHA', 'Asha', '1990', id]) expect(log).not.toContain(secret);
  });
});
