import { FakeClock } from '../support/fake-clock.js';
import { aStatusQuery, anAddition, anEnquiry } from '../support/outside-bodies.js';
import { ask, effectsOf, refusal } from '../support/outside-call.js';
import { bootSandbox } from '../support/sandbox.js';

const ISSUERS = ['kaveri', 'vindhya'];

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

  describe.each(ISSUERS)('%s', (slug) => {
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
      const other = ISSUERS.find((issuer) => issuer !== slug);
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
