import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { FakeClock } from '../support/fake-clock.js';
import {
  AADHAAR,
  AADHAAR_PATH,
  anOtpRequest,
  aPanVerification,
  PAN_PATH,
} from '../support/outside-bodies.js';
import { ask, effectsOf, refusal } from '../support/outside-call.js';
import { bootSandbox } from '../support/sandbox.js';

const OTHER_PERSON = '234567804272';
const DEAD_CODE = '234567804083';

describe('Aadhaar', () => {
  const clock = new FakeClock();
  const sandbox = bootSandbox(clock);

  const send = (aadhaar?: string, key?: string) => ask(sandbox, AADHAAR_PATH, anOtpRequest(aadhaar), key);

  const verify = (id: string, otp: string) =>
    ask(sandbox, `${AADHAAR_PATH}/verify`, {
      transaction_id: id,
      otp,
      expected: { name: 'Asha Rao', date_of_birth: '1990-05-23' },
    });

  async function codesOf(aadhaar = AADHAAR): Promise<string[]> {
    const { body } = await request(sandbox.baseUrl).get('/api/messages').query({ to: aadhaar });
    return (body.messages as { code: string }[]).map(({ code }) => code);
  }

  async function sent(aadhaar = AADHAAR): Promise<{ id: string; otp: string }> {
    const { body } = await send(aadhaar).expect(200);
    return { id: body.transaction_id, otp: (await codesOf(aadhaar))[0]! };
  }

  const otherThan = (otp: string) => (otp === '000000' ? '000001' : '000000');

  it('sends a code to the mobile of the number', async () => {
    const { body } = await send().expect(200);
    expect(body).toEqual({
      transaction_id: expect.any(String),
      masked_mobile: expect.stringMatching(/^XXXXXX[0-9]{4}$/),
      expires_at: expect.stringMatching(/\+05:30$/),
      resend_after_seconds: 30,
    });
    const lifeMs = new Date(body.expires_at).getTime() - clock.now().getTime();
    expect(lifeMs).toBe(600_000);
    expect(await codesOf()).toEqual([expect.stringMatching(/^[0-9]{6}$/)]);
    expect(await effectsOf(sandbox, { provider: 'aadhaar', subject: AADHAAR })).toMatchObject([
      { kind: 'otp' },
    ]);
  });

  it.each([
    ['of which the check digit is wrong', '234567812345'],
    ['of which two digits are swapped', '324567812346'],
    ['that begins with 0', '012345678908'],
    ['that begins with 1', '123456789010'],
  ])('refuses a number %s', async (_, aadhaar) => {
    expect((await send(aadhaar).expect(422)).body).toEqual(refusal('invalid_aadhaar'));
    expect(await codesOf(aadhaar)).toEqual([]);
  });

  it.each([
    ['11 digits', { aadhaar_number: '23456781234' }],
    ['no consent', { consent: false }],
  ])('refuses %s', async (_, changes) => {
    const answer = await ask(sandbox, AADHAAR_PATH, { ...anOtpRequest(), ...changes }).expect(422);
    expect(answer.body).toEqual(refusal('invalid_request'));
  });

  it('sends nothing to a number without a mobile', async () => {
    expect((await send('234567804229').expect(422)).body).toEqual(refusal('no_mobile_linked'));
    expect(await effectsOf(sandbox)).toEqual([]);
  });

  it('sends another code after 30 seconds only', async () => {
    const first = await send(AADHAAR, 'a').expect(200);
    const early = await send(AADHAAR, 'b').expect(429);
    expect(early.body).toEqual(refusal('too_soon'));
    expect(early.headers['retry-after']).toBe('30');
    // the same key gets the same code
    expect((await send(AADHAAR, 'a').expect(200)).body).toEqual(first.body);
    await send('234567800015', 'c').expect(200);
    clock.advanceSeconds(29);
    expect((await send(AADHAAR, 'b').expect(429)).headers['retry-after']).toBe('1');
    clock.advanceSeconds(1);
    const second = await send(AADHAAR, 'b').expect(200);
    expect(second.body.transaction_id).not.toBe(first.body.transaction_id);
    expect(await codesOf()).toHaveLength(2);
  });

  it('sends one code for parallel calls with one key', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => send(AADHAAR, 'one')));
    expect(new Set(answers.map(({ body }) => body.transaction_id)).size).toBe(1);
    expect(await codesOf()).toHaveLength(1);
    expect(await effectsOf(sandbox, { provider: 'aadhaar' })).toMatchObject([{ calls: 30 }]);
  });

  it.each([
    [AADHAAR, 'ASHA RAO', '2346'],
    [OTHER_PERSON, 'GOPAL VENKATARAMAN', '4272'],
  ])('returns the holder of %s', async (aadhaar, name, lastFour) => {
    const { id, otp } = await sent(aadhaar);
    expect((await verify(id, otp).expect(200)).body).toEqual({
      reference_id: expect.any(String),
      last_four: lastFour,
      holder: { name, date_of_birth: '1990-05-23', year_of_birth: '1990' },
    });
  });

  it('repeats a success for 10 minutes', async () => {
    const { id, otp } = await sent();
    const first = await verify(id, otp).expect(200);
    clock.advanceSeconds(599);
    expect((await verify(id, otp).expect(200)).body).toEqual(first.body);
    expect((await verify(id, otherThan(otp)).expect(410)).body).toEqual(refusal('expired'));
    clock.advanceSeconds(1);
    expect((await verify(id, otp).expect(410)).body).toEqual(refusal('expired'));
  });

  it('returns the same answer to parallel calls', async () => {
    const { id, otp } = await sent();
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(id, otp)));
    expect(new Set(answers.map(({ body }) => body.reference_id)).size).toBe(1);
  });

  it('ends a transaction after five wrong codes', async () => {
    const { id, otp } = await sent();
    for (let n = 0; n < 5; n++) {
      expect((await verify(id, otherThan(otp)).expect(422)).body).toEqual(refusal('wrong_otp'));
    }
    expect((await verify(id, otp).expect(410)).body).toEqual(refusal('expired'));
  });

  it('accepts the right code after four wrong ones', async () => {
    const { id, otp } = await sent();
    for (let n = 0; n < 4; n++) await verify(id, otherThan(otp)).expect(422);
    await verify(id, otp).expect(200);
  });

  it('expires a code after 600 seconds', async () => {
    const { id, otp } = await sent();
    clock.advanceSeconds(599);
    await verify(id, otherThan(otp)).expect(422);
    clock.advanceSeconds(1);
    expect((await verify(id, otp).expect(410)).body).toEqual(refusal('expired'));
  });

  it('delivers an expired code', async () => {
    const { id, otp } = await sent(DEAD_CODE);
    expect(otp).toMatch(/^[0-9]{6}$/);
    expect((await verify(id, otp).expect(410)).body).toEqual(refusal('expired'));
  });

  it('refuses unknown transactions and malformed codes', async () => {
    expect((await verify('unknown', '123456').expect(410)).body).toEqual(refusal('expired'));
    expect((await verify('unknown', '12345').expect(422)).body).toEqual(refusal('invalid_request'));
  });
});

describe('PAN registry', () => {
  const sandbox = bootSandbox();

  const lookUp = (pan?: string) => ask(sandbox, PAN_PATH, aPanVerification(pan));

  it('returns the holder', async () => {
    const { body } = await lookUp('ABCPR1234K').expect(200);
    expect(body).toEqual({
      reference: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'VALID',
      name: {
        full: [body.name.first, body.name.middle, body.name.last].filter(Boolean).join(' '),
        first: expect.stringMatching(/^[A-Z]+$/),
        middle: body.name.middle,
        last: expect.stringMatching(/^R[A-Z]+$/),
      },
      father_name: expect.stringMatching(/^[A-Z]+ R[A-Z]+$/),
      date_of_birth_match: true,
      aadhaar_link: 'LINKED',
    });
  });

  it('returns the same holder for a PAN, and charges each look-up', async () => {
    const [first, again] = [await lookUp(), await lookUp()];
    expect({ ...again.body, reference: '' }).toEqual({ ...first.body, reference: '' });
    expect(again.body.reference).not.toBe(first.body.reference);
    expect(await effectsOf(sandbox, { provider: 'pan', subject: 'ABCPR1234K' })).toHaveLength(2);
  });

  it.each([
    ['0406', { status: 'VALID', date_of_birth_match: false, aadhaar_link: 'LINKED' }],
    ['0401', { status: 'VALID', date_of_birth_match: true, aadhaar_link: 'NOT_LINKED' }],
    ['0410', { status: 'INVALID', name: null, father_name: null, date_of_birth_match: false }],
    ['0603', { status: 'VALID', date_of_birth_match: true, aadhaar_link: 'LINKED' }],
    ['0200', { status: 'VALID', date_of_birth_match: true, aadhaar_link: 'LINKED' }],
  ])('answers about %s as listed', async (digits, answer) => {
    expect((await lookUp(`ABCPR${digits}K`).expect(200)).body).toMatchObject(answer);
  });

  it('answers not found for 0404, and charges for it', async () => {
    expect((await lookUp('ABCPR0404K').expect(404)).body).toEqual(refusal('not_found'));
    expect(await effectsOf(sandbox, { provider: 'pan' })).toHaveLength(1);
  });

  it.each([
    ['a PAN in lower case', { pan: 'abcpr1234k' }],
    ['no date', { date_of_birth: undefined }],
    ['a day that does not exist', { date_of_birth: '1990-02-30' }],
    ['a date in another order', { date_of_birth: '23-05-1990' }],
    ['no consent', { consent: undefined }],
    ['a consent that was not given', { consent: { given: false, purpose: 'KYC' } }],
    ['a consent to nothing', { consent: { given: true } }],
  ])('refuses %s', async (_, changes) => {
    const { body } = await ask(sandbox, PAN_PATH, { ...aPanVerification(), ...changes }).expect(422);
    expect(body).toEqual(refusal('invalid_request'));
    expect(await effectsOf(sandbox)).toEqual([]);
  });
});

const CASHFREE = '/vendors/cashfree/verification';
const SETU = '/vendors/setu/api/verify/pan';
/** Each is taken once. */
const anId = (): string => randomUUID();

const REASON = 'To verify the PAN of a depositor';

describe('PAN vendors', () => {
  const sandbox = bootSandbox();

  const cashfree = (path: string, body: object) =>
    request(sandbox.baseUrl)
      .post(`${CASHFREE}${path}`)
      .set({ 'x-client-id': 'id', 'x-client-secret': 'secret', 'x-api-version': '2024-12-01' })
      .send(body);
  const setu = (body: object) =>
    request(sandbox.baseUrl)
      .post(SETU)
      .set({ 'x-client-id': 'id', 'x-client-secret': 'secret', 'x-product-instance-id': 'product' })
      .send(body);
  const paid = async (provider: string): Promise<string[]> =>
    (await effectsOf(sandbox, { provider })).map(({ kind, subject }) => `${kind} ${subject}`);

  it.each(['ABCPV1234D', 'XYZPP4321W', 'AZJPG7110R'])(
    'returns and matches the holder of %s at Cashfree',
    async (pan) => {
      const { status, body } = await cashfree('/pan', { pan, verification_id: anId() });
      expect([status, body]).toMatchObject([
        200,
        { pan, valid: true, pan_status: 'VALID', type: 'Individual' },
      ]);
      const person = { pan, name: body.registered_name, dob: '1990-05-23' };
      const match = await cashfree('/pan-lite', { ...person, verification_id: anId() });
      expect(match.body).toMatchObject({ pan_status: 'E', name_match: 'Y', dob_match: 'Y' });
      const other = await cashfree('/pan-lite', { ...person, name: 'Nobody Else', verification_id: anId() });
      expect(other.body.name_match).toBe('N');
      expect(await paid('cashfree')).toEqual([`pan_lite ${pan}`, `pan_lite ${pan}`, `pan ${pan}`]);
    },
  );

  it.each([
    ['DEFPV0126D', 'INVALID', 'N'],
    ['TUVPP5678W', 'INVALID', 'N'],
    ['ABCPR0404K', 'INVALID', 'N'],
    ['ABCPR0410K', 'DEACTIVATED', 'X'],
  ])('returns for %s at Cashfree the status %s', async (pan, state, code) => {
    expect((await cashfree('/pan', { pan })).body).toMatchObject({ valid: false, pan_status: state });
    const match = { pan, name: 'Asha Rao', dob: '1990-05-23', verification_id: anId() };
    expect((await cashfree('/pan-lite', match)).body).toMatchObject({ status: 'INVALID', pan_status: code });
  });

  it('charges a verification_id at Cashfree once and refuses its repeat', async () => {
    const body = { pan: 'ABCPR1234K', verification_id: anId() };
    const answers = await Promise.all([cashfree('/pan', body), cashfree('/pan', body)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect(refused.body.code).toBe('verification_id_already_exists');
    expect(await paid('cashfree')).toEqual(['pan ABCPR1234K']);
  });

  it.each([
    ['ABCPR0402K', 422, 'insufficient_balance'],
    ['ABCPR0208K', 200, 'api_error'],
  ])('fails at Cashfree for %s with %i %s, and charges nothing', async (pan, status, code) => {
    const answer = await cashfree('/pan', { pan });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(await paid('cashfree')).toEqual([]);
  });

  it("requires Cashfree's own headers, and a well-formed PAN", async () => {
    const bearer = request(sandbox.baseUrl).post(`${CASHFREE}/pan`).set('authorization', 'Bearer key');
    expect((await bearer.send({ pan: 'ABCPR1234K' })).status).toBe(401);
    const { status, body } = await cashfree('/pan', { pan: 'ABC' });
    expect([status, body]).toMatchObject([400, { type: 'validation_error', code: 'pan_length_short' }]);
  });

  it.each([
    ['ABCDE1234A', 200, 'success'],
    ['ABCDE1234B', 200, 'failed'],
    ['ABCPR0410K', 200, 'failed'],
    ['ABCPR0404K', 404, 'failed'],
  ])('answers at Setu for %s with %i %s, and charges for it', async (pan, status, verification) => {
    const answer = await setu({ pan, consent: 'Y', reason: REASON });
    expect([answer.status, answer.body.verification]).toEqual([status, verification]);
    expect(await paid('setu')).toEqual([`pan ${pan}`]);
  });

  it.each([
    ['no consent', { consent: 'N', reason: REASON }, 'consent_not_given'],
    ['a short reason', { consent: 'Y', reason: 'KYC' }, 'insufficient_reason_length'],
  ])('refuses at Setu %s', async (_what, body, code) => {
    const answer = await setu({ pan: 'ABCPR1234K', ...body });
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
    expect(await paid('setu')).toEqual([]);
  });

  it.each([
    ['ABCPR0402K', 403, 'insufficient_balance'],
    ['ABCPR0208K', 200, 'upstream_service_error'],
  ])('fails at Setu for %s with %i %s, and charges nothing', async (pan, status, code) => {
    const answer = await setu({ pan, consent: 'Y', reason: REASON });
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(await paid('setu')).toEqual([]);
  });
});
