import { aPanVerification, PAN_PATH } from '../support/outside-bodies.js';
import { ask, effectsOf, refusal } from '../support/outside-call.js';
import { bootSandbox } from '../support/sandbox.js';

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
