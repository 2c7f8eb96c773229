import { aBankVerification, BANK_PATH } from '../support/outside-bodies.js';
import { ask, effectsOf, look, refusal } from '../support/outside-call.js';
import { FakeClock } from '../support/fake-clock.js';
import { bootSandbox } from '../support/sandbox.js';

describe('bank verification', () => {
  const clock = new FakeClock();
  const sandbox = bootSandbox(clock);

  const verify = (changes = {}, key?: string) => ask(sandbox, BANK_PATH, aBankVerification(changes), key);
  const ending = (digits: string) => ({ account_number: `50100012${digits}` });

  it('returns the sent name of the holder, repeatedly', async () => {
    const { body } = await verify().expect(200);
    expect(body).toEqual({
      verification_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'COMPLETED',
      result: 'VALID',
      name_at_bank: 'ASHA KUMARI RAO',
      bank_name: 'HDFC Bank',
    });
    expect((await look(sandbox, `${BANK_PATH}/${body.verification_id}`).expect(200)).body).toEqual(body);
  });

  it.each([
    ['0423', 'FROZEN', null],
    ['0424', 'CLOSED', null],
    ['0404', 'INVALID_ACCOUNT', null],
    ['0400', 'INVALID_ACCOUNT', null],
    ['0407', 'VALID', null],
    ['0409', 'FROZEN', null],
    ['0410', 'VALID', 'ASHA KUMARI RAO'],
    ['1454', 'VALID', 'ASHA KUMARI RAO'],
    ['2403', 'VALID', 'ASHA KUMARI RAO'],
    ['2404', 'VALID', 'ASHA KUMARI RAO'],
  ])('answers about %s as listed: %s', async (digits, result, name) => {
    const { body } = await verify(ending(digits)).expect(200);
    expect(body).toMatchObject({ status: 'COMPLETED', result, name_at_bank: name });
  });

  it.each(['Asha Kumari Rao', 'Gopal Venkataraman', 'fatima gopal'])(
    'knows 1055 by a name that shares nothing with %s',
    async (holder) => {
      const { body } = await verify({ ...ending('1055'), holder_name: holder }).expect(200);
      expect(body).toMatchObject({ result: 'VALID', name_at_bank: expect.stringMatching(/^[A-Z]+ [A-Z]+$/) });
      const names = holder.toUpperCase().split(' ');
      const atBank = (body.name_at_bank as string).split(' ');
      expect(atBank.filter((name) => names.includes(name))).toEqual([]);
    },
  );

  it('takes 5 seconds for 0202', async () => {
    const { body } = await verify(ending('0202'), 'k').expect(202);
    expect(body).toEqual({ verification_id: expect.any(String), status: 'PROCESSING' });
    const result = () => look(sandbox, `${BANK_PATH}/${body.verification_id}`).expect(200);
    clock.advanceSeconds(4.999);
    expect((await result()).body).toEqual(body);
    clock.advanceSeconds(0.001);
    const answer = { ...body, status: 'COMPLETED', result: 'VALID', name_at_bank: 'ASHA KUMARI RAO' };
    expect((await result()).body).toEqual({ ...answer, bank_name: 'HDFC Bank' });
    // repeats the first answer, although the result is known
    expect((await verify(ending('0202'), 'k').expect(202)).body).toEqual(body);
    expect(await effectsOf(sandbox, { provider: 'bank' })).toMatchObject([{ calls: 2 }]);
  });

  it('sends one penny for parallel calls with one key', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => verify({}, 'one')));
    expect(new Set(answers.map(({ body }) => body.verification_id)).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await effectsOf(sandbox, { provider: 'bank', subject: '501000121234' })).toMatchObject([
      { kind: 'penny_drop', idempotency_key: 'one', calls: 30 },
    ]);
  });

  it('sends another penny for another key', async () => {
    const [one, other] = [await verify({}, 'a'), await verify({}, 'b')];
    expect(one.body.verification_id).not.toBe(other.body.verification_id);
    expect(await effectsOf(sandbox, { provider: 'bank' })).toHaveLength(2);
  });

  it.each([
    ['SBIN0000300', 'State Bank of India'],
    ['ICIC0000001', 'ICICI Bank'],
    ['QXZY0ABC123', 'QXZY Bank'],
  ])('names the bank of %s', async (ifsc, name) => {
    expect((await verify({ ifsc })).body.bank_name).toBe(name);
  });

  it('does not know another verification', async () => {
    expect((await look(sandbox, `${BANK_PATH}/unknown`).expect(404)).body).toEqual(refusal('not_found'));
  });

  it.each([
    ['an account of 8 digits', { account_number: '12345678' }],
    ['an account that is a number', { account_number: 501000121234 }],
    ['an IFSC without its zero', { ifsc: 'HDFC1001234' }],
    ['no holder', { holder_name: ' ' }],
  ])('refuses %s', async (_, changes) => {
    expect((await verify(changes).expect(422)).body).toEqual(refusal('invalid_request'));
    expect(await effectsOf(sandbox)).toEqual([]);
  });

  it('refuses a key that is too long', async () => {
    await verify({}, 'k'.repeat(256)).expect(422);
  });
});
