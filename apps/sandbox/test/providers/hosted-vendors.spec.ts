import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { FakeClock } from '../support/fake-clock.js';
import { buttonsOf, press, visit } from '../support/hosted-page.js';
import { effectsOf } from '../support/outside-call.js';
import { bootSandbox } from '../support/sandbox.js';

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
