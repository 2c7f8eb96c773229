import request, { type Response } from 'supertest';
import { isFault } from '../../src/magic/magic-value.js';
import { behaviourOf, MAGIC_VALUES } from '../../src/magic/magic-values.table.js';
import * as body from '../support/outside-bodies.js';
import { ask, effectsOf, expectSilence, refusal } from '../support/outside-call.js';
import { bootSandbox, documentedClient } from '../support/sandbox.js';
import { slowVendors } from '../support/slow-vendors.js';
import { vendorCalls } from '../support/vendor-calls.js';

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

describe('magic values', () => {
  const sandbox = bootSandbox();
  const played = MAGIC_VALUES.flatMap(({ provider, ...row }) => (provider ? [{ ...row, provider }] : []));

  it('lists the magic values with their input and their effect', async () => {
    const { body } = await documentedClient(sandbox).get('/api/magic-values');
    const listed = (body as { magic_values: Record<string, unknown>[] }).magic_values;
    const described = MAGIC_VALUES.map(({ what, value, effect, sample }) => ({
      what,
      value,
      effect,
      sample,
    }));
    expect(listed).toEqual(described.map((row) => expect.objectContaining(row)));
    expect(listed[0]).toMatchObject({ input: 'phone', provider: null });
    expect(listed.find(({ sample }) => sample === 'ABCPR0404K')).toMatchObject({
      input: 'pan',
      provider: 'pan',
    });
  });

  it('lists no value twice for an input', () => {
    const values = MAGIC_VALUES.map(({ what, value }) => `${what}: ${value}`);
    expect(new Set(values).size).toBe(values.length);
  });

  it.each(played)(
    'gives a value its listed effect: $provider, $input $value',
    ({ provider, input, behaviour, sample }) => {
      expect(behaviourOf(provider, input, sample)).toBe(behaviour);
    },
  );

  it.each(played)('gives a value one meaning: $input $sample', ({ input, sample }) => {
    const providers = new Set(played.map(({ provider }) => provider));
    const moved = [...providers].filter((provider) => behaviourOf(provider, input, sample) !== undefined);
    expect(moved).toHaveLength(1);
  });

  it.each([
    ['phone', '910503050300'],
    ['pan', 'ABCPR1234K'],
    ['account', '050305041234'],
    ['aadhaar', '204221230503'],
  ] as const)('gives no effect to %s %s', (input, value) => {
    for (const { provider } of played) expect(behaviourOf(provider, input, value)).toBeUndefined();
  });
});

describe('vendors that answer with XML, or after 8 seconds', () => {
  const sandbox = bootSandbox();
  // the last test reports a failure
  beforeAll(() => void slowVendors().catch(() => undefined));

  const { CALLS, READS } = vendorCalls(sandbox);

  const expectXml = ({ status, headers, text }: Response): void => {
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/xml/)]);
    expect(text).toMatch(/^<answer>/);
  };

  it.each(Object.keys(CALLS))('answers with XML and has no effect: %s', async (name) => {
    expectXml(await CALLS[name]!('0506'));
    expect(await effectsOf(sandbox)).toEqual([]);
  });

  it.each(Object.keys(READS))(
    'answers the first read with XML, and the second one as asked: %s',
    async (name) => {
      const read = await READS[name]!('ABCPR0706K');
      expectXml(await read());
      const { status, body } = await read();
      expect([status, JSON.stringify(body)]).toEqual([200, expect.stringMatching(/xxxx-?\d{4}"/)]);
      const reads = (await effectsOf(sandbox)).filter(({ kind }) => kind === 'aadhaar_read');
      expect(reads).toHaveLength(2);
    },
  );

  it('answers after 8 seconds, with its effect', async () => {
    const { answers, effects } = await slowVendors();
    expect(answers).toHaveLength(9);
    for (const { status, contentType, milliseconds } of answers) {
      expect([status < 300, contentType]).toEqual([true, expect.stringMatching(/json/)]);
      expect(milliseconds).toBeGreaterThan(7_900);
      expect(milliseconds).toBeLessThan(20_000);
    }
    const kinds = effects.map(({ kind }) => kind);
    for (const [kind, count] of [
      ['message', 2],
      ['pan', 5],
      ['penny_drop', 2],
      ['aadhaar_read', 3],
    ] as const)
      expect([kind, kinds.filter((given) => given === kind).length]).toEqual([kind, count]);
  }, 40_000);
});
