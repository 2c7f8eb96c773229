import request from 'supertest';
import { isFault } from '../../src/magic/magic-value.js';
import { MAGIC_VALUES } from '../../src/magic/magic-values.table.js';
import * as body from '../support/outside-bodies.js';
import { ask, effectsOf, expectSilence, refusal } from '../support/outside-call.js';
import { bootSandbox } from '../support/sandbox.js';

const REFUSE_BODIES = [
  body.PAN_PATH,
  body.BANK_PATH,
  body.AADHAAR_PATH,
  `${body.AADHAAR_PATH}/verify`,
  '/issuers/aravalli/customers/search',
  '/issuers/nilgiri/bank-accounts',
  '/issuers/sahyadri/leads',
];
const CORE_BANKING = ['customerEnquiry', 'beneficiaryAdd', 'beneficiaryStatus'].map(
  (call) => `/issuers/kaveri/cbs/${call}`,
);

/** Calls that carry an input, by player and input. */
const CALLS: Record<string, ((value: string) => [path: string, body: object])[]> = {
  'pan pan': [(pan) => [body.PAN_PATH, body.aPanVerification(pan)]],
  'bank account': [(account) => [body.BANK_PATH, body.aBankVerification({ account_number: account })]],
  'aadhaar aadhaar': [(aadhaar) => [body.AADHAAR_PATH, body.anOtpRequest(aadhaar)]],
  'issuer pan': [
    (pan) => ['/issuers/aravalli/customers/search', body.aSearch(pan)],
    (pan) => ['/issuers/vindhya/cbs/customerEnquiry', body.anEnquiry(pan)],
  ],
  'issuer account': [
    (account) => ['/issuers/sahyadri/bank-accounts', body.aRegistration(account)],
    (account) => ['/issuers/kaveri/cbs/beneficiaryAdd', body.anAddition(account)],
  ],
};

const FAULTY_CALLS = MAGIC_VALUES.flatMap(({ provider, input, behaviour, sample }) => {
  if (!isFault(behaviour)) return [];
  const calls = CALLS[`${provider} ${input}`] ?? [];
  return calls.map((call) => {
    const [path, asked] = call(sample);
    return { path, sample, asked, behaviour };
  });
});
const ANSWERS: Record<string, [status: number, type: RegExp, text: RegExp]> = {
  unavailable: [
    503,
    /^application\/json/,
    /^\{"error":\{"type":"service_unavailable","message":"[^"]+"\}\}$/,
  ],
  broken: [500, /^application\/json/, /^\{"error":\{"type":"internal","message":"[^"]+"\}\}$/],
  garbled: [200, /^text\/html/, /^<h1>Welcome<\/h1>$/],
  xml: [200, /^application\/xml/, /^<answer>.+<\/answer>$/],
};

describe('simulated APIs', () => {
  const sandbox = bootSandbox();

  it.each([...REFUSE_BODIES, ...CORE_BANKING])('require a key: %s', async (path) => {
    const { body: answer, headers } = await request(sandbox.baseUrl).post(path).send('{').expect(401);
    expect(answer).toEqual(refusal('authentication_failed'));
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  it.each(['/providers/bank/account-verifications/some-id', '/issuers/sahyadri/leads/some-id'])(
    'require a key: %s',
    async (path) => {
      await request(sandbox.baseUrl).get(path).expect(401);
    },
  );

  it.each(REFUSE_BODIES)('refuse a malformed body: %s', async (path) => {
    for (const sent of [{}, [], { pan: 1 }]) {
      expect((await ask(sandbox, path, sent).expect(422)).body).toEqual(refusal('invalid_request'));
    }
  });

  it('cover every magic value that is a fault', () => {
    const rows = MAGIC_VALUES.filter(({ provider, input }) => CALLS[`${provider} ${input}`]);
    expect(rows.filter(({ behaviour }) => isFault(behaviour))).toHaveLength(5 + 5 + 2 + 4 + 4);
  });

  it.each(FAULTY_CALLS)(
    'play faults as listed: $path $sample $behaviour',
    async ({ path, asked, behaviour }) => {
      if (behaviour === 'silent') {
        await expectSilence(sandbox, path, asked);
      } else {
        const { status, text, headers } = await ask(sandbox, path, asked, 'key');
        const [expected, type, content] = ANSWERS[behaviour]!;
        expect(status).toBe(expected);
        expect(headers['content-type']).toMatch(type);
        expect(text).toMatch(content);
      }
      expect(await effectsOf(sandbox)).toEqual([]);
    },
  );

  it('log no personal data', async () => {
    await ask(sandbox, body.PAN_PATH, body.aPanVerification());
    await ask(sandbox, body.BANK_PATH, body.aBankVerification(), 'secret-key');
    await ask(sandbox, body.AADHAAR_PATH, body.anOtpRequest());
    await ask(sandbox, '/issuers/aravalli/customers/search', body.aSearch());
    await ask(sandbox, '/issuers/kaveri/cbs/beneficiaryAdd', body.anAddition());
    await ask(sandbox, body.BANK_PATH, body.aBankVerification({ ifsc: 'nonsense' }));
    await effectsOf(sandbox, { subject: '501000121234' });
    const log = sandbox.log.join('');
    expect(log).toContain('"/providers/bank/account-verifications"');
    expect(log).not.toMatch(/ABCPR|50100012|23456781|9198|rao|1990|secret-key|any-key|nonsense/i);
  });
});
