import { LEAD_LIFE_SECONDS } from '../../src/issuers/rest/rest-leads.controller.js';
import { FakeClock } from '../support/fake-clock.js';
import {
  aLead,
  anAddition,
  anEnquiry,
  aRegistration,
  aSearch,
  aStatusQuery,
} from '../support/outside-bodies.js';
import { ask, effectsOf, look, refusal } from '../support/outside-call.js';
import { bootSandbox } from '../support/sandbox.js';

const REST_ISSUERS = ['aravalli', 'nilgiri', 'sahyadri'];
const LEADS = '/issuers/sahyadri/leads';

describe('issuers with the protocol rest', () => {
  const clock = new FakeClock();
  const sandbox = bootSandbox(clock);

  describe.each(REST_ISSUERS)('%s', (slug) => {
    const register = (account?: string, key?: string) =>
      ask(sandbox, `/issuers/${slug}/bank-accounts`, aRegistration(account), key);

    it.each(['1234', '0200', '0201'])('knows no customer: %s', async (digits) => {
      const { body } = await ask(
        sandbox,
        `/issuers/${slug}/customers/search`,
        aSearch(`ABCPR${digits}K`),
      ).expect(200);
      expect(body).toEqual({ found: false, customer: null });
    });

    it('registers an account', async () => {
      const { body } = await register().expect(201);
      expect(body).toEqual({ beneficiary_id: expect.any(String), state: 'ACTIVE' });
    });

    it('registers once for parallel calls with one key', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => register('501000121234', 'one')));
      expect(new Set(answers.map(({ body }) => body.beneficiary_id)).size).toBe(1);
      expect(await effectsOf(sandbox)).toMatchObject([
        { provider: `issuer:${slug}`, kind: 'account_registration', subject: '501000121234', calls: 20 },
      ]);
    });

    it('withdraws an account once for one key', async () => {
      const { beneficiary_id } = (await register('501000121234')).body;
      const withdraw = () =>
        ask(sandbox, `/issuers/${slug}/bank-accounts/${beneficiary_id}/withdrawal`, {}, 'two');
      for (const { status, body } of await Promise.all([withdraw(), withdraw()]))
        expect([status, body]).toEqual([200, { beneficiary_id, state: 'WITHDRAWN' }]);
      expect(await effectsOf(sandbox)).toMatchObject([
        { kind: 'account_withdrawal', subject: '501000121234', calls: 2 },
        { kind: 'account_registration' },
      ]);
    });

    it("does not know another issuer's account", async () => {
      const { beneficiary_id } = (await register()).body;
      const other = REST_ISSUERS.find((issuer) => issuer !== slug)!;
      const answer = await ask(
        sandbox,
        `/issuers/${other}/bank-accounts/${beneficiary_id}/withdrawal`,
        {},
      ).expect(404);
      expect(answer.body).toEqual(refusal('unknown_beneficiary'));
    });

    it('refuses an account that ends in 1454', async () => {
      expect((await register('501000121454').expect(422)).body).toEqual(refusal('invalid_beneficiary'));
      expect(await effectsOf(sandbox)).toEqual([]);
    });

    it.each([
      ['no name', { beneficiary_name: '' }],
      ['an account with letters', { account_no: '50100012123x' }],
      ['no reference', { customer_ref: undefined }],
    ])('refuses a registration with %s', async (_, changes) => {
      const sent = { ...aRegistration(), ...changes };
      const { body } = await ask(sandbox, `/issuers/${slug}/bank-accounts`, sent).expect(422);
      expect(body).toEqual(refusal('invalid_request'));
    });
  });

  it('counts an idempotency key separately at every issuer', async () => {
    for (const slug of REST_ISSUERS)
      await ask(sandbox, `/issuers/${slug}/bank-accounts`, aRegistration(), 'same');
    expect((await effectsOf(sandbox)).map(({ provider }) => provider).sort()).toEqual(
      REST_ISSUERS.map((slug) => `issuer:${slug}`),
    );
  });

  it.each(['kaveri', 'vindhya', 'nobody', 'constructor'])(
    'answers 404 for %s, which has another protocol or is unknown',
    async (slug) => {
      for (const path of ['customers/search', 'bank-accounts']) {
        expect((await ask(sandbox, `/issuers/${slug}/${path}`, {}).expect(404)).body).toEqual(
          refusal('not_found'),
        );
      }
    },
  );

  describe('leads of sahyadri', () => {
    const open = (reference?: string, key?: string) => ask(sandbox, LEADS, aLead(reference), key);

    it('keeps a lead open for 7 days', async () => {
      const { body } = await open().expect(201);
      expect(body).toEqual({
        lead_id: expect.any(String),
        state: 'OPEN',
        expires_at: expect.stringMatching(/\+05:30$/),
      });
      clock.advanceSeconds(LEAD_LIFE_SECONDS - 1);
      expect((await look(sandbox, `${LEADS}/${body.lead_id}`).expect(200)).body).toEqual(body);
      clock.advanceSeconds(1);
      expect((await look(sandbox, `${LEADS}/${body.lead_id}`).expect(200)).body).toEqual({
        ...body,
        state: 'EXPIRED',
      });
    });

    it('need only a reference', async () => {
      const nothing = { amount: null, tenure_days: null, payout: null, source: null, campaign: null };
      await ask(sandbox, LEADS, { reference: 'r', ...nothing }).expect(201);
    });

    it('opens one lead for parallel calls with one key', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => open('ref-7', 'one')));
      expect(new Set(answers.map(({ body }) => body.lead_id)).size).toBe(1);
      expect(await effectsOf(sandbox, { provider: 'issuer:sahyadri', subject: 'ref-7' })).toMatchObject([
        { kind: 'lead', idempotency_key: 'one', calls: 20 },
      ]);
    });

    it('returns one KYC context for each lead', async () => {
      const { body: lead } = await open();
      const context = () => ask(sandbox, `${LEADS}/${lead.lead_id}/kyc-context`, {});
      const { body } = await context().expect(201);
      expect(body).toEqual({
        context_id: expect.any(String),
        documents: ['PAN', 'AADHAAR', 'PHOTO'],
        declarations: expect.arrayContaining([{ code: expect.any(String), text: expect.any(String) }]),
      });
      expect((await context().expect(200)).body).toEqual(body);
    });

    it('returns no KYC context for an expired lead', async () => {
      const { body: lead } = await open();
      clock.advanceSeconds(LEAD_LIFE_SECONDS);
      const { body } = await ask(sandbox, `${LEADS}/${lead.lead_id}/kyc-context`, {}).expect(410);
      expect(body).toEqual(refusal('lead_expired'));
    });

    it('answers 404 for a lead with another id', async () => {
      expect((await look(sandbox, `${LEADS}/unknown`).expect(404)).body).toEqual(refusal('unknown_lead'));
      const { body } = await ask(sandbox, `${LEADS}/unknown/kyc-context`, {}).expect(404);
      expect(body).toEqual(refusal('unknown_lead'));
    });

    it.each(['aravalli', 'kaveri'])('accepts no lead at %s', async (slug) => {
      await ask(sandbox, `/issuers/${slug}/leads`, aLead()).expect(404);
    });
  });
});

const CORE_BANKING_ISSUERS = ['kaveri', 'vindhya'];

const answer = (code: string, body: object) => ({
  header: { responseCode: code, responseDesc: expect.any(String), txnRef: 'txn-1' },
  body,
});

describe('issuers with the protocol core-banking', () => {
  const clock = new FakeClock();
  const sandbox = bootSandbox(clock);

  const enquire = (slug: string, digits: string) =>
    ask(sandbox, `/issuers/${slug}/cbs/customerEnquiry`, anEnquiry(`ABCPR${digits}K`)).expect(200);

  it.each([
    ['0200', 'Y'],
    ['0201', 'N'],
  ])('finds a customer of vindhya: %s', async (digits, kycFlag) => {
    const { body } = await enquire('vindhya', digits);
    expect(body).toEqual(
      answer('00', { custId: expect.stringMatching(/^[0-9]{10}$/), kycFlag, matchFlags: 'PM' }),
    );
    expect((await enquire('vindhya', digits)).body).toEqual(body);
  });

  it.each([
    ['vindhya', '1234'],
    ['kaveri', '1234'],
    ['kaveri', '0200'],
    ['kaveri', '0201'],
  ])('finds at %s no customer: %s', async (slug, digits) => {
    expect((await enquire(slug, digits)).body).toEqual(answer('14', {}));
  });

  describe.each(CORE_BANKING_ISSUERS)('%s', (slug) => {
    const add = (account?: string, key?: string) =>
      ask(sandbox, `/issuers/${slug}/cbs/beneficiaryAdd`, anAddition(account), key).expect(200);
    const status = async (ackNo: string) =>
      (await ask(sandbox, `/issuers/${slug}/cbs/beneficiaryStatus`, aStatusQuery(ackNo)).expect(200)).body;

    it('accepts an account first and registers it later', async () => {
      const { body } = await add();
      expect(body).toEqual(answer('01', { ackNo: expect.any(String) }));
      expect(await status(body.body.ackNo)).toEqual(answer('01', { benStatus: 'P' }));
      clock.advanceSeconds(0.3);
      const active = await status(body.body.ackNo);
      expect(active).toEqual(answer('00', { benStatus: 'A', benId: expect.any(String) }));
      expect(await status(body.body.ackNo)).toEqual(active);
    });

    it('rejects a beneficiary that ends in 1454 later', async () => {
      const { body } = await add('501000121454');
      expect(body).toEqual(answer('01', { ackNo: expect.any(String) }));
      clock.advanceSeconds(1);
      expect(await status(body.body.ackNo)).toEqual(answer('57', { benStatus: 'R' }));
    });

    it('accepts once for parallel calls with one key', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => add('501000121234', 'one')));
      expect(new Set(answers.map(({ body }) => body.body.ackNo)).size).toBe(1);
      expect(await effectsOf(sandbox)).toMatchObject([
        { provider: `issuer:${slug}`, kind: 'account_registration', subject: '501000121234', calls: 20 },
      ]);
    });

    it('answers not found for unknown acceptances and those of other issuers', async () => {
      expect(await status('unknown')).toEqual(answer('14', {}));
      const other = CORE_BANKING_ISSUERS.find((issuer) => issuer !== slug);
      const { body } = await ask(sandbox, `/issuers/${other}/cbs/beneficiaryAdd`, anAddition());
      expect(await status(body.body.ackNo)).toEqual(answer('14', {}));
    });

    it.each([
      ['customerEnquiry', { panNumber: 'nonsense' }],
      ['customerEnquiry', { birthDate: '1990-05-23' }],
      ['customerEnquiry', { birthDate: '30-02-1990' }],
      ['customerEnquiry', { mobileNumber: '919812345678' }],
      ['beneficiaryAdd', { benAcctNo: 501000121234 }],
      ['beneficiaryAdd', { benIfsc: '' }],
      ['beneficiaryStatus', { ackNo: null }],
    ])('answers a format error for an unreadable call: %s %j', async (call, changes) => {
      const bodies = {
        customerEnquiry: anEnquiry(),
        beneficiaryAdd: anAddition(),
        beneficiaryStatus: aStatusQuery('a'),
      };
      const { header, body } = bodies[call as keyof typeof bodies];
      const sent = { header, body: { ...body, ...changes } };
      const { body: got } = await ask(sandbox, `/issuers/${slug}/cbs/${call}`, sent).expect(200);
      expect(got).toEqual(answer('30', {}));
      expect(await effectsOf(sandbox)).toEqual([]);
    });
  });

  it('answer a call without a header', async () => {
    const { body } = await ask(sandbox, '/issuers/kaveri/cbs/customerEnquiry', {}).expect(200);
    expect(body).toEqual({
      header: { responseCode: '30', responseDesc: 'FORMAT ERROR', txnRef: null },
      body: {},
    });
  });

  it.each(['aravalli', 'nobody'])(
    'answers 404 for %s, which has another protocol or is unknown',
    async (slug) => {
      for (const call of ['customerEnquiry', 'beneficiaryAdd', 'beneficiaryStatus']) {
        const { body } = await ask(sandbox, `/issuers/${slug}/cbs/${call}`, {}).expect(404);
        expect(body).toEqual(refusal('not_found'));
      }
    },
  );
});
