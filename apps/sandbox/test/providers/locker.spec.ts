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
  holder: { ...OWNER, ...holder },
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
