import request from 'supertest';
import { AADHAAR, AADHAAR_PATH, anOtpRequest } from '../support/outside-bodies.js';
import { FakeClock } from '../support/fake-clock.js';
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
