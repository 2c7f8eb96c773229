import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { effectsOf } from '../support/outside-call.js';
import { bootSandbox } from '../support/sandbox.js';

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
