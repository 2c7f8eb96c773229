import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { FakeClock } from '../support/fake-clock.js';
import { buttonsOf, press, visit } from '../support/hosted-page.js';
import { effectsOf } from '../support/outside-call.js';
import { bootSandbox } from '../support/sandbox.js';

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

  const end = (url: string, outcome: string, person?: object) =>
    request(sandbox.baseUrl)
      .post(`/api/locker/${url.split('/').at(-1)!}/outcome`)
      .send({ outcome, person })
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
        year_of_birth: '1990',
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
