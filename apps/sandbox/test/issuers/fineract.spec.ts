import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import request, { type Test as Call } from 'supertest';
import { FakeClock } from '../support/fake-clock.js';
import { effectsOf } from '../support/outside-call.js';
import { bootSandbox } from '../support/sandbox.js';

const API = '/vendors/fineract/fineract-provider/api';
const TABLE = `${API}/v1/datatables/fd_payout_accounts`;
const FORMATS = { locale: 'en', dateFormat: 'yyyy-MM-dd' };

const refusal = (status: number, userMessageGlobalisationCode: string) => ({
  developerMessage: expect.any(String),
  httpStatusCode: String(status),
  defaultUserMessage: expect.any(String),
  userMessageGlobalisationCode,
  errors: [],
});

describe('Fineract', () => {
  const clock = new FakeClock();
  const sandbox = bootSandbox(clock);

  const call = (
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    body?: object,
    tenant = 'vindhya',
  ): Call => {
    const client = request(sandbox.baseUrl);
    const made = client[method](path)
      .auth('deposits', 'any-password')
      .set('Fineract-Platform-TenantId', tenant);
    return body ? made.send(body) : made;
  };
  const search = (pan: string, tenant?: string) =>
    call('post', `${API}/v2/clients/search`, { request: { text: pan }, page: 0, size: 5 }, tenant);
  const createClient = (externalId = 'user-1') =>
    call('post', `${API}/v1/clients`, {
      ...FORMATS,
      officeId: 1,
      legalFormId: 1,
      fullname: 'Asha Rao',
      externalId,
      active: false,
    });
  const add = (clientId: number, changes: object = {}) =>
    call('post', `${TABLE}/${clientId}`, {
      ...FORMATS,
      reference: 'key-1',
      holder_name: 'Asha Rao',
      account_number: '501000121234',
      ifsc: 'HDFC0001234',
      status: 'PENDING',
      ...changes,
    });
  const rowOf = async (reference: string, tenant?: string) => {
    const query = `columnFilter=reference&valueFilter=${reference}&resultColumns=id,client_id,status`;
    return (await call('get', `${TABLE}/query?${query}`, undefined, tenant).expect(200)).body;
  };

  it('issues tokens to a client, and accepts them until they expire', async () => {
    const ask = () =>
      request(sandbox.baseUrl).post('/vendors/fineract/oauth2/token').type('form').auth('fd', 'any secret');
    const { body } = await ask().send({ grant_type: 'client_credentials' }).expect(200);
    expect(body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 60 });
    const search = () =>
      request(sandbox.baseUrl)
        .get(`${API}/v1/clients?externalId=x`)
        .set({ Authorization: `Bearer ${body.access_token}`, 'Fineract-Platform-TenantId': 'vindhya' });
    await search().expect(200);
    jest.spyOn(Date, 'now').mockReturnValue(clock.now().getTime() + 60_000);
    await search().expect(401);
    const { body: refused } = await ask().send({ grant_type: 'password' }).expect(400);
    expect(refused).toMatchObject({ error: 'invalid_request' });
    const { body: unknown } = await request(sandbox.baseUrl)
      .post('/vendors/fineract/oauth2/token')
      .expect(401);
    expect(unknown).toMatchObject({ error: 'invalid_client' });
  });

  it('requires Basic authentication and a known tenant', async () => {
    const path = `${API}/v1/clients?externalId=x`;
    for (const key of ['', 'Bearer key']) {
      const { body } = await request(sandbox.baseUrl).get(path).set('Authorization', key).expect(401);
      expect(body).toEqual(refusal(401, 'error.msg.not.authenticated'));
    }
    expect((await call('get', path, undefined, 'default').expect(401)).body).toEqual(
      refusal(401, 'error.msg.invalid.tenant.identifier'),
    );
  });

  it('knows the customers of vindhya, with their PANs', async () => {
    const { content } = (await search('ABCPR0200K').expect(200)).body;
    expect(content).toEqual([expect.objectContaining({ id: expect.any(Number) })]);
    const client = `${API}/v1/clients/${content[0].id}`;
    expect((await call('get', client).expect(200)).body).toMatchObject({ status: { id: 300 }, active: true });
    expect((await call('get', `${client}/identifiers`).expect(200)).body).toMatchObject([
      { documentKey: 'ABCPR0200K', documentType: { name: 'PAN' } },
    ]);
    expect((await search('ABCPR0200K', 'kaveri').expect(200)).body.content).toEqual([]);
    expect((await search('ABCPR1234K').expect(200)).body.content).toEqual([]);
  });

  it('creates one client for an external id', async () => {
    const { resourceId } = (await createClient().expect(200)).body;
    expect((await createClient().expect(403)).body).toEqual(
      refusal(403, 'error.msg.client.duplicate.externalId'),
    );
    const found = (await call('get', `${API}/v1/clients?externalId=user-1`).expect(200)).body;
    expect(found).toMatchObject({ totalFilteredRecords: 1, pageItems: [{ id: resourceId, active: false }] });
    expect((await call('get', `${API}/v1/clients?externalId=user-2`)).body.pageItems).toEqual([]);
    expect((await call('get', `${API}/v1/clients/1`).expect(404)).body).toEqual(
      refusal(404, 'error.msg.resource.not.found'),
    );
    expect(await effectsOf(sandbox)).toMatchObject([{ provider: 'issuer:vindhya', kind: 'customer' }]);
  });

  it.each([
    ['501000121234', 'ACTIVE'],
    ['501000121454', 'REJECTED'],
  ])('decides later that %s is %s', async (account_number, status) => {
    const { resourceId: client_id } = (await createClient()).body;
    const { resourceId: id } = (await add(client_id, { account_number }).expect(200)).body;
    expect(await rowOf('key-1')).toEqual([{ id, client_id, status: 'PENDING' }]);
    clock.advanceSeconds(0.3);
    expect(await rowOf('key-1')).toEqual([{ id, client_id, status }]);
    expect(await rowOf('key-1', 'kaveri')).toEqual([]);
    expect(await rowOf('key-2')).toEqual([]);
  });

  it('stores one account for parallel calls with a reference', async () => {
    const { resourceId } = (await createClient()).body;
    const answers = await Promise.all(Array.from({ length: 20 }, () => add(resourceId)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.find(({ status }) => status === 403)!.body).toEqual(
      refusal(403, 'error.msg.datatable.entry.duplicate'),
    );
    expect(await effectsOf(sandbox, { subject: '501000121234' })).toMatchObject([
      { provider: 'issuer:vindhya', kind: 'account_registration', idempotency_key: 'key-1' },
    ]);
  });

  it('withdraws an account once', async () => {
    const { resourceId: client } = (await createClient()).body;
    const { resourceId: row } = (await add(client)).body;
    const withdraw = (path: string) => call('put', `${TABLE}/${path}`, { ...FORMATS, status: 'WITHDRAWN' });
    for (let time = 0; time < 2; time++) await withdraw(`${client}/${row}`).expect(200);
    clock.advanceSeconds(1);
    expect(await rowOf('key-1')).toMatchObject([{ status: 'WITHDRAWN' }]);
    await withdraw(`1/${row}`).expect(404);
    await withdraw(`${client}/1`).expect(404);
    const done = await effectsOf(sandbox, { subject: '501000121234' });
    expect(done.map(({ kind }) => kind)).toEqual(['account_withdrawal', 'account_registration']);
  });

  it('lists the regular vehicles of vindhya in the catalogue as products', async () => {
    interface Slab {
      fromPeriod: number;
      toPeriod: number;
      amountRangeFrom: number;
      amountRangeTo: number;
      annualInterestRate: number;
      incentives: { amount: number }[];
    }
    const products: { id: number; name: string }[] = (
      await call('get', `${API}/v1/fixeddepositproducts`).expect(200)
    ).body;
    const sold: string[] = [];
    for (const { id, name } of products) {
      const [chart] = (await call('get', `${API}/v1/interestratecharts?productId=${id}`).expect(200)).body;
      for (const slab of chart.chartSlabs as Slab[]) {
        const { fromPeriod, toPeriod, amountRangeFrom, amountRangeTo, annualInterestRate } = slab;
        sold.push([name, fromPeriod, toPeriod, amountRangeFrom, amountRangeTo, annualInterestRate].join());
        expect(slab.incentives.map(({ amount }) => amount)).toEqual([0.5, 0.05]);
      }
      const product = (await call('get', `${API}/v1/fixeddepositproducts/${id}`).expect(200)).body;
      expect(product).toEqual({ ...products.find((one) => one.id === id), activeChart: chart });
    }
    expect(sold.sort()).toEqual((await regularVehicles()).sort());
  });

  it('knows products of vindhya only', async () => {
    const products = `${API}/v1/fixeddepositproducts`;
    expect((await call('get', products, undefined, 'kaveri').expect(200)).body).toEqual([]);
    for (const [path, tenant] of [
      [`${products}/6`, 'vindhya'],
      [`${products}/1`, 'kaveri'],
    ] as const) {
      expect((await call('get', path, undefined, tenant).expect(404)).body).toEqual(
        refusal(404, 'error.msg.resource.not.found'),
      );
    }
    expect((await call('get', `${API}/v1/interestratecharts?productId=6`).expect(200)).body).toEqual([]);
  });

  describe('applications for deposits', () => {
    const DEPOSITS = `${API}/v1/fixeddepositaccounts`;
    const activeClient = async (): Promise<number> => (await search('ABCPR0200K')).body.content[0].id;
    const apply = (clientId: number, changes: object = {}) =>
      call('post', DEPOSITS, {
        ...FORMATS,
        clientId,
        productId: 1,
        submittedOnDate: '2025-11-10',
        depositAmount: 100_000,
        depositPeriod: 545,
        depositPeriodFrequencyId: 0,
        ...changes,
      });

    it('returns amount and date of maturity of an application until it is deleted', async () => {
      const clientId = await activeClient();
      const { resourceId: id } = (await apply(clientId).expect(200)).body;
      expect((await call('get', `${DEPOSITS}/${id}`).expect(200)).body).toMatchObject({
        id,
        clientId,
        status: { submittedAndPendingApproval: true },
        // rests on 1 January, April, July and October; 6.6 per cent of days over 365
        maturityAmount: 110_275.42,
        maturityDate: [2027, 5, 9],
      });
      await call('get', `${DEPOSITS}/${id}`, undefined, 'kaveri').expect(404);
      await call('delete', `${DEPOSITS}/${id}`).expect(200);
      expect((await call('get', `${DEPOSITS}/${id}`).expect(404)).body).toEqual(
        refusal(404, 'error.msg.resource.not.found'),
      );
      await call('delete', `${DEPOSITS}/${id}`).expect(404);
    });

    it('refuses applications of pending and unknown clients, for unknown products, and without a slab', async () => {
      const clientId = await activeClient();
      const { resourceId: pending } = (await createClient()).body;
      expect((await apply(pending).expect(403)).body).toEqual(
        refusal(403, 'error.msg.client.not.active.exception'),
      );
      await apply(1).expect(404);
      await apply(clientId, { productId: 6 }).expect(404);
      for (const changes of [{ depositAmount: 999 }, { depositPeriod: 6 }, { depositPeriodFrequencyId: 2 }])
        expect((await apply(clientId, changes).expect(400)).body).toEqual(
          refusal(400, 'validation.msg.validation.errors.exist'),
        );
    });
  });

  it('refuses bodies that Fineract cannot read', async () => {
    const { resourceId } = (await createClient()).body;
    for (const changes of [{ locale: undefined }, { status: 'DONE' }, { unknown_column: 'x' }]) {
      expect((await add(resourceId, changes).expect(400)).body).toEqual(
        refusal(400, 'validation.msg.validation.errors.exist'),
      );
    }
  });

  it('simulates the faults of all issuers', async () => {
    const { resourceId } = (await createClient()).body;
    expect((await search('ABCPR0603K').expect(503)).body).toEqual(
      refusal(503, 'error.msg.platform.service.unavailable'),
    );
    expect((await add(resourceId, { account_number: '501000122405' }).expect(500)).body).toEqual(
      refusal(500, 'error.msg.platform.server.side.error'),
    );
    expect((await add(resourceId, { account_number: '501000122402' }).expect(200)).text).toBe(
      '<h1>Welcome</h1>',
    );
    expect(await rowOf('key-1')).toEqual([]);
  });
});

/** Frequency, days, amounts and rate of each row of vindhya's two regular cards in the shipped catalogue. */
async function regularVehicles(): Promise<string[]> {
  const path = join(import.meta.dirname, '../../../master-service/catalogue/vindhya.yaml');
  const text = await readFile(path, 'utf8');
  expect(text).toContain('senior_citizen: 0.50\n  women: 0.05\n');
  const amountOf = (part: string) => /^ {2,4}amount: \[(\d+), (\d+)\]$/m.exec(part)!.slice(1);
  const [before, ...cards] = text.split(/^ {2}- name: /m);
  return cards.slice(0, 2).flatMap((card) => {
    const amount = amountOf(card.includes('amount:') ? card : before!);
    let frequency = '';
    return card.split('\n').flatMap((line) => {
      frequency = /^ {6}(\w+):$/.exec(line)?.[1] ?? frequency;
      const row = /days: \[(\d+), (\d+)\], rate: ([\d.]+)/.exec(line);
      return row ? [[frequency, row[1], row[2], ...amount, Number(row[3])].join()] : [];
    });
  });
}
