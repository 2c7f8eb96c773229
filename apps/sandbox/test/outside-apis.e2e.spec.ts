import request from 'supertest';
import { Effects, EFFECTS_CAPACITY, REMEMBERED_KEYS } from '../src/effects/effects.service.js';
import { isTrouble } from '../src/magic/magic-value.js';
import { MAGIC_VALUES } from '../src/magic/magic-values.table.js';
import * as body from './support/outside-bodies.js';
import { ask, effectsOf, expectSilence, refusal } from './support/outside-call.js';
import { type Sandbox, startSandbox } from './support/sandbox.js';

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

/** Calls that carry an input to a party, by where its magic values are looked for. */
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

const TROUBLED = MAGIC_VALUES.flatMap(({ plays, sample }) => {
  if (!plays || !isTrouble(plays.behaviour)) return [];
  const calls = CALLS[`${plays.party} ${plays.input}`] ?? [];
  return calls.map((call) => {
    const [path, asked] = call(sample);
    return { path, sample, asked, behaviour: plays.behaviour };
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
};

describe('APIs of the outside world', () => {
  let sandbox: Sandbox;

  beforeEach(async () => {
    sandbox = await startSandbox();
  });
  afterEach(() => sandbox.app.close());

  it.each([...REFUSE_BODIES, ...CORE_BANKING])('ask for a key: %s', async (path) => {
    const { body: answer, headers } = await request(sandbox.baseUrl).post(path).send('{').expect(401);
    expect(answer).toEqual(refusal('authentication_failed'));
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  it.each(['/providers/bank/account-verifications/some-id', '/issuers/sahyadri/leads/some-id'])(
    'ask for a key: %s',
    async (path) => {
      await request(sandbox.baseUrl).get(path).expect(401);
    },
  );

  it.each(REFUSE_BODIES)('refuse a body that is none: %s', async (path) => {
    for (const sent of [{}, [], { pan: 1 }]) {
      expect((await ask(sandbox, path, sent).expect(422)).body).toEqual(refusal('invalid_request'));
    }
  });

  it('cover every magic value that is trouble of the parties here', () => {
    const rows = MAGIC_VALUES.filter(({ plays }) => plays && CALLS[`${plays.party} ${plays.input}`]);
    expect(rows.filter(({ plays }) => isTrouble(plays?.behaviour))).toHaveLength(4 + 4 + 2 + 4 + 4);
  });

  it.each(TROUBLED)(
    'are in trouble as listed: $path $sample $behaviour',
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

  it('log nothing personal', async () => {
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

describe('ledger of effects', () => {
  let sandbox: Sandbox;

  beforeEach(async () => {
    sandbox = await startSandbox();
  });
  afterEach(() => sandbox.app.close());

  it('has one entry for each effect, newest first, and counts the calls', async () => {
    await ask(sandbox, body.PAN_PATH, body.aPanVerification());
    for (let n = 0; n < 3; n++) await ask(sandbox, body.BANK_PATH, body.aBankVerification(), 'k-1');
    await ask(sandbox, body.BANK_PATH, body.aBankVerification());
    expect(await effectsOf(sandbox)).toMatchObject([
      { party: 'bank', kind: 'penny_drop', subject: '501000121234', idempotency_key: null, calls: 1 },
      { party: 'bank', kind: 'penny_drop', subject: '501000121234', idempotency_key: 'k-1', calls: 3 },
      { party: 'pan', kind: 'lookup', subject: 'ABCPR1234K', idempotency_key: null, calls: 1 },
    ]);
  });

  it('shows the effects of a party and to a subject', async () => {
    await ask(sandbox, body.PAN_PATH, body.aPanVerification());
    await ask(sandbox, body.BANK_PATH, body.aBankVerification());
    await ask(sandbox, body.BANK_PATH, body.aBankVerification({ account_number: '501000129999' }));
    const subjects = async (query: object) => (await effectsOf(sandbox, query)).map(({ subject }) => subject);
    expect(await subjects({ party: 'bank' })).toEqual(['501000129999', '501000121234']);
    expect(await subjects({ subject: 'ABCPR1234K' })).toEqual(['ABCPR1234K']);
    expect(await subjects({ party: 'bank', subject: '501000121234' })).toEqual(['501000121234']);
    expect(await subjects({ party: 'nobody' })).toEqual([]);
    await request(sandbox.baseUrl).get('/api/effects?party=a&party=b').expect(400);
  });

  it('says when, in Indian time, and gives each an id', async () => {
    await ask(sandbox, body.PAN_PATH, body.aPanVerification());
    const [effect] = await effectsOf(sandbox);
    expect(effect).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+05:30$/),
    });
  });

  it('has messages to phones too, one for each provider that delivered', async () => {
    const sms = { to: '919812345678', template_id: 'login_otp', text: '482913' };
    await ask(sandbox, '/providers/sms/primary/messages', sms, 'k');
    await ask(sandbox, '/providers/sms/fallback/messages', sms, 'k');
    await ask(sandbox, '/providers/sms/fallback/messages', sms, 'k');
    expect(await effectsOf(sandbox, { party: 'sms', subject: '919812345678' })).toMatchObject([
      { kind: 'message', idempotency_key: 'k', calls: 2 },
      { kind: 'message', idempotency_key: 'k', calls: 1 },
    ]);
  });

  it('keeps the newest only, and so does the memory of keys', () => {
    const effects = sandbox.app.get(Effects, { strict: false });
    const once = (n: number) =>
      effects.once({ party: 'p', kind: 'k', subject: `s${n}`, idempotencyKey: `k${n}` }, () => ({ n }));
    const first = once(0);
    const second = once(1);
    for (let n = 2; n <= REMEMBERED_KEYS; n++) once(n);
    expect(effects.list()).toHaveLength(EFFECTS_CAPACITY);
    expect(effects.list()[0]!.subject).toBe(`s${REMEMBERED_KEYS}`);
    expect(once(1)).toBe(second);
    expect(once(0)).not.toBe(first);
  });

  it('does not remember the key of what failed', () => {
    const effects = sandbox.app.get(Effects, { strict: false });
    const effect = { party: 'p', kind: 'k', subject: 's', idempotencyKey: 'key' };
    const fail = () => {
      throw new Error('failed');
    };
    expect(() => effects.once(effect, fail)).toThrow('failed');
    expect(effects.list()).toEqual([]);
    expect(effects.once(effect, () => 'done')).toBe('done');
    expect(effects.once(effect, fail)).toBe('done');
  });
});
