import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { ProviderFailure } from '@fd/errors';
import type { Environment } from '@fd/platform';
import { eventually } from '@fd/testing';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { bankAccounts } from '../../src/banking/verification/adapters/bank-adapters.js';
import type {
  AccountFinding,
  AccountToVerify,
  BankAccounts,
} from '../../src/banking/verification/bank-accounts.port.js';
import { usersConfig } from '../../src/config/users-config.js';
import { ProviderClients } from '../../src/integrations/index.js';
import { RESILIENCE_LIMITS } from '../../src/integrations/providers/resilience.js';
import { nameHolder } from '../support/bank-holders.js';
import { effectsOf } from '../support/effects.js';
import { anAccount } from '../support/issuers.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { answersJson, type Behaviour, BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { providerSettings, settings, vendorSettings } from '../support/settings.js';
import { LIVE_LIMIT_MS, placesOf, type VendorName } from '../support/vendor-places.config.js';

const HOLDER = 'Asha Kumari Rao';

/** A provider in this contract test, by its name in BANK_PROVIDERS. */
interface Provider {
  /** Returns the settings that reach it below a base URL. */
  readonly at: (base: string) => Environment;
  /** Its name in the sandbox's ledger. */
  readonly provider: string;
  readonly begun: Behaviour;
  /** The state that it reports for a closed account. */
  readonly closed: AccountFinding['state'];
  /** Its answer while the bank of the account is unavailable. */
  readonly away: 'put-off' | ProviderFailure;
  /** Test accounts of its documentation, with a finding or a failure, and the places where they are known. */
  readonly place?: VendorName;
  readonly documented: readonly (readonly [account: string, ifsc: string, finding: object])[];
}

const PROVIDERS: Readonly<Record<string, Provider>> = {
  verification: {
    at: (base) => ({ BANK_VERIFICATION_URL: base }),
    provider: 'bank',
    begun: answersJson(202, { verification_id: 'v-1', status: 'PROCESSING' }),
    closed: 'closed',
    away: 'unavailable',
    documented: [],
  },
  cashfree: {
    at: (base) => ({ CASHFREE_URL: base }),
    provider: 'cashfree',
    begun: answersJson(200, { account_status: 'RECEIVED', account_status_code: 'VALIDATION_IN_PROGRESS' }),
    closed: 'no-such-account',
    away: 'put-off',
    place: 'cashfree',
    documented: [
      ['026291800001191', 'YESB0000262', { state: 'valid', nameAtBank: 'JOHN DOE' }],
      ['7766666585146', 'YESB0000001', { state: 'no-such-account' }],
      ['7766667287515', 'ICIC0000001', { state: 'no-such-account' }],
      ['7766667989884', 'RATN0000070', { state: 'frozen' }],
      ['7766667755761', 'ICIC0000001', { state: 'not-usable' }],
      ['7766674831270', 'SBIN0000003', { state: 'put-off' }],
      ['7766668692253', 'SBIN0000003', { state: 'put-off' }],
    ],
  },
  setu: {
    at: (base) => ({ SETU_URL: base }),
    provider: 'setu',
    begun: answersJson(200, { id: 'v-1' }),
    closed: 'closed',
    away: 'put-off',
    place: 'setu-bank',
    documented: [
      ['1234567890', 'ABCD0123456', { state: 'valid' }],
      ['1234567890', 'ABCD0123457', { state: 'not-usable' }],
      ['1234567890', 'ABCD0123458', { state: 'put-off' }],
      ['1234567890', 'ABCD0123459', { failure: 'timeout' }],
      ['1234567890', 'ABCD0123450', { state: 'processing' }],
      ['1234567890', 'ABCD0123467', { state: 'no-such-account' }],
    ],
  },
};

/** The texts in Setu's guide, its code table and its OpenAPI document, where they come without a code. */
const SETU_TEXTS: readonly (readonly [text: string, state: AccountFinding['state']])[] = [
  ['This account does not exist or is invalid.', 'no-such-account'],
  ['this account does not exist or is invalid', 'no-such-account'],
  ['Either IFSC or bank account is invalid', 'no-such-account'],
  ['This transaction is not valid for this account.', 'not-usable'],
  ['The transaction limit for this account may have been reached.', 'put-off'],
];

/** Every code of a verification that has ended without a name, as Cashfree and Setu document them. */
const DOCUMENTED_ENDS = {
  cashfree: {
    'no-such-account': 'INVALID: INVALID_ACCOUNT_FAIL INVALID_IFSC_FAIL',
    'not-usable': 'INVALID: NRE_ACCOUNT_FAIL',
    frozen: 'INVALID: ACCOUNT_BLOCKED; REJECTED: FRAUD_ACCOUNT BAV_BLOCKED',
    'put-off':
      'REJECTED: INSUFFICIENT_BALANCE VERIFICATION_ALREADY_UNDER_PROCESS; FAILED: FAILED_AT_BANK NPCI_UNAVAILABLE ' +
      'CONNECTION_TIMEOUT SOURCE_BANK_DECLINED BENE_BANK_DECLINED IMPS_MODE_FAIL BENEFICIARY_BANK_OFFLINE',
  },
  setu: {
    'no-such-account': 'BAV52 BAV92 BAV1008 BAVM1 BAVMJ BAVMS BAVNR',
    'not-usable': 'BAV03 BAV12 BAVM4 BAVM7 BAVMN BAVMP BAVMW',
    frozen: 'BAV34 BAV84 BAVM3',
    closed: 'BAVM5',
    'put-off':
      'BAV08 BAV17 BAV20 BAV51 BAV76 BAV78 BAV91 BAV1012 BAV2000 BAV2001 BAVCU BAVFLD BAVIU BAVM2 BAVM6 BAVM8 BAVMI ' +
      'BAVMT BAVNC BAVNF BAVREF BAVRET BAVRM1 BAVXF BAVXU',
    'no-result':
      'BAV19 BAV94 BAV1000 BAV1001 BAV1004 BAV1009 BAV1010 BAV1013 BAV1014 BAV1015 BAV1016 BAV1017 BAVMQ',
  },
} as const;

const sandboxSettings = (): Environment => ({
  ...providerSettings(sandboxUrl()),
  ...vendorSettings(sandboxUrl()),
});

/**
 * Builds an adapter with its own circuit breaker.
 * @param silence time limit of calls to a provider that never answers
 */
function adapterOf(name: string, environment: Environment, silence?: { ms: number }): BankAccounts {
  const { providers } = usersConfig(
    settings({
      ...vendorSettings('http://127.0.0.1:1'),
      BANK_PROVIDERS: name,
      ...(silence && { PROVIDER_TIMEOUT_MS: String(silence.ms) }),
      ...environment,
    }),
  );
  return bankAccounts(providers, new ProviderClients(providers, new Registry()), silence?.ms).inOrder[0]!;
}

/** Short, since such a call fails by its time limit on any machine. */
const SILENCE = { ms: 100 };
const silenceIf = (what: string) => (what === 'hangs' ? SILENCE : undefined);

const anAccountOf = (account = anAccount(), ifsc = 'HDFC0001234'): AccountToVerify => ({
  account,
  ifsc,
  holderName: HOLDER,
});

const failing = (failure: ProviderFailure) => expect.objectContaining({ name: 'ProviderError', failure });

/** Begins a verification and polls its result a few times, as the worker does. */
async function resultOf(
  provider: BankAccounts,
  given: AccountToVerify,
  { polls = 2, pauseMs = 0 } = {},
): Promise<AccountFinding | undefined> {
  let finding: AccountFinding | undefined = await provider.begin(given, randomUUID());
  for (let poll = 0; finding?.state === 'processing' && poll < polls; poll++) {
    await sleep(pauseMs);
    finding = await provider.outcome(given, finding.receipt);
  }
  return finding;
}

const XML: Behaviour = (response) =>
  response.writeHead(200, { 'content-type': 'text/xml' }).end('<Error><code>E-98</code></Error>');

const FAULTS: readonly [what: string, behaviour: Behaviour, failure: ProviderFailure][] = [
  ['refuses our key (401)', answersJson(401, { message: 'who are you' }), 'misconfigured'],
  ['refuses our address (403)', answersJson(403, { message: 'not from here' }), 'misconfigured'],
  ['refuses the request (400)', answersJson(400, { message: 'no' }), 'refused'],
  ['throttles (429)', answersJson(429, { message: 'slow down' }), 'unavailable'],
  ['is down (503)', answersJson(503, {}), 'unavailable'],
  ['fails (500)', answersJson(500, {}), 'timeout'],
  ['fails at a proxy (502)', answersJson(502, {}), 'timeout'],
  ['answers a web page', BEHAVIOURS.answersHtml, 'malformed'],
  ['answers XML', XML, 'malformed'],
  ['answers nothing', BEHAVIOURS.answersNothing, 'malformed'],
  ['answers other JSON', answersJson(200, { status: 'fine' }), 'malformed'],
  ['answers too much', BEHAVIOURS.answersHuge, 'malformed'],
  ['redirects', BEHAVIOURS.redirects, 'timeout'],
  ['hangs', BEHAVIOURS.hangs, 'timeout'],
  ['breaks off', BEHAVIOURS.breaksOff, 'timeout'],
];

beforeAll(() => Logger.overrideLogger(false));

/** To test a new adapter, add an entry to PROVIDERS. */
describe.each(Object.keys(PROVIDERS))('bank verification adapter: %s', (name) => {
  const { at, provider, begun, closed, away, place, documented } = PROVIDERS[name]!;
  let scripted: ScriptedProvider;
  beforeAll(async () => {
    scripted = await ScriptedProvider.start();
  });
  afterAll(() => scripted.stop());

  const played = (silence?: { ms: number }) => adapterOf(name, sandboxSettings(), silence);
  const pennies = (account: string) => effectsOf(provider, account);

  describe('at the sandbox', () => {
    it('finds the name of the holder for one penny', async () => {
      const given = anAccountOf();
      await nameHolder(given.account, HOLDER);
      expect(await resultOf(played(), given)).toEqual({
        state: 'valid',
        nameAtBank: 'ASHA KUMARI RAO',
        bankName: expect.stringMatching(/^HDFC/) as string,
      });
      expect(await pennies(given.account)).toHaveLength(1);
    });

    it.each<[string, AccountFinding['state']]>([
      ['0423', 'frozen'],
      ['0424', closed],
      ['0404', 'no-such-account'],
      ['0400', 'no-such-account'],
      ['0407', 'not-usable'],
      ['0409', 'frozen'],
    ])('reports accounts that end in %s as %s', async (ending, state) => {
      expect(await resultOf(played(), anAccountOf(anAccount(ending)))).toMatchObject({ state });
    });

    it('reports an account whose bank takes its time as processing', () =>
      // the bank takes five seconds: a later poll of an account does not show it
      eventually(async () =>
        expect(await resultOf(played(), anAccountOf(anAccount('0202')))).toMatchObject({
          state: 'processing',
        }),
      ));

    it.each<[string, string, ProviderFailure]>([
      ['is down', '0503', 'unavailable'],
      ['hangs', '0504', 'timeout'],
      ['fails', '0500', 'timeout'],
      ['answers a web page', '0502', 'malformed'],
      ['answers XML', '0506', 'malformed'],
      ['has an empty wallet', '0402', 'misconfigured'],
    ])('reports the failure of a verification when it %s', async (what, ending, failure) => {
      const given = anAccountOf(anAccount(ending));
      await expect(resultOf(played(silenceIf(what)), given)).rejects.toEqual(failing(failure));
      expect(await pennies(given.account)).toEqual([]);
    });

    it('does not take an error with status 200 as proof that nothing was sent', async () => {
      const begin = played().begin(anAccountOf(anAccount('0200')), randomUUID());
      await expect(begin).rejects.toEqual(
        expect.objectContaining({ failure: expect.stringMatching(/^(?:timeout|malformed)$/) as string }),
      );
    });

    it('waits while the bank of the account is unavailable', async () => {
      const outcome = await resultOf(played(), anAccountOf(anAccount('0422'))).catch(
        (error: unknown) => error,
      );
      expect(outcome).toMatchObject(away === 'put-off' ? { state: away } : { failure: away });
    });

    it('verifies other accounts while the bank of many accounts is unavailable', async () => {
      const provider = played();
      // more than open the circuit
      for (let n = 0; n <= RESILIENCE_LIMITS.minCalls; n++)
        await resultOf(provider, anAccountOf(anAccount('0422'))).catch(() => undefined);
      const given = anAccountOf();
      await nameHolder(given.account, HOLDER);
      expect(await resultOf(provider, given)).toMatchObject({ state: 'valid' });
    });

    it('sends no second penny after a start that got no answer', async () => {
      const given = anAccountOf(anAccount('0505'));
      const begin = () => played(SILENCE).begin(given, reference);
      const reference = randomUUID();
      await expect(begin()).rejects.toEqual(failing('timeout'));
      const found = await played()
        .find(given, reference)
        .catch((error: unknown) => error);
      if (found === undefined) await begin().catch(() => undefined);
      expect(await pennies(given.account)).toHaveLength(1);
    });
  });

  for (const { where, account: ours, pauseMs } of place ? placesOf(place) : []) {
    describe(`at ${where}`, () => {
      // with the time that a vendor has in production
      const adapter = (changes: Environment = {}): BankAccounts => {
        const { providers } = usersConfig(settings({ BANK_PROVIDERS: name, ...ours, ...changes }));
        return bankAccounts(providers, new ProviderClients(providers, new Registry())).inOrder[0]!;
      };

      it.each(documented)(
        'finds the documented %s, %s',
        async (account, ifsc, finding) => {
          const polled = resultOf(adapter(), anAccountOf(account, ifsc), { polls: 5, pauseMs });
          expect(await polled.catch((error: unknown) => error)).toMatchObject(finding);
        },
        LIVE_LIMIT_MS,
      );

      it(
        'reports a refused key',
        async () => {
          const key = { [`${name.toUpperCase()}_CLIENT_SECRET`]: 'unknown!wrong-key' };
          await expect(resultOf(adapter(key), anAccountOf())).rejects.toEqual(failing('misconfigured'));
        },
        LIVE_LIMIT_MS,
      );
    });
  }

  it.each(FAULTS)('reports the failure of a start when the provider %s', async (what, behaviour, failure) => {
    scripted.behaviour = behaviour;
    const provider = adapterOf(name, at(scripted.url), silenceIf(what));
    await expect(provider.begin(anAccountOf(), randomUUID())).rejects.toEqual(failing(failure));
  });

  it('reports that nothing was sent when the provider is unreachable', async () => {
    const gone = await ScriptedProvider.start();
    const nowhere = adapterOf(name, at(gone.url));
    await gone.stop();
    await expect(nowhere.begin(anAccountOf(), randomUUID())).rejects.toEqual(failing('unavailable'));
  });

  it('reads the acceptance as pending, and an unknown page as a failure instead of a result', async () => {
    const provider = adapterOf(name, at(scripted.url));
    const given = anAccountOf();
    scripted.behaviour = begun;
    const finding = await provider.begin(given, randomUUID());
    expect(finding).toMatchObject({ state: 'processing', receipt: expect.any(String) as string });
    scripted.behaviour = answersJson(404, { message: 'no such page' });
    const { receipt } = finding as { receipt: string };
    await expect(provider.outcome(given, receipt)).rejects.toEqual(
      expect.objectContaining({ name: 'ProviderError' }),
    );
  });
});

describe("answers in the vendors' formats", () => {
  let scripted: ScriptedProvider;
  beforeAll(async () => {
    scripted = await ScriptedProvider.start();
  });
  afterAll(() => scripted.stop());

  const outcomeOf = async (name: string, status: number, body: object): Promise<unknown> => {
    scripted.behaviour = answersJson(status, body);
    return adapterOf(name, PROVIDERS[name]!.at(scripted.url))
      .outcome(anAccountOf(), 'r-1')
      .catch((error: unknown) => error);
  };
  const answered = (status: string, code?: string, more: object = {}) => ({
    reference_id: 1,
    account_status: status,
    account_status_code: code,
    ...more,
  });
  const failed = (code: string | null | undefined, message?: string) => ({
    verification: 'failed',
    code,
    message,
  });

  it.each<[what: string, status: number, body: object, finding: object]>([
    [
      'a name without a bank',
      200,
      answered('VALID', 'ACCOUNT_IS_VALID', { name_at_bank: 'A RAO' }),
      { bankName: 'HDFC' },
    ],
    ...['', '  ', null, undefined].map(
      (name_at_bank) =>
        [
          `the name ${JSON.stringify(name_at_bank)}`,
          200,
          answered('VALID', 'ACCOUNT_IS_VALID', { name_at_bank }),
          { state: 'not-usable' },
        ] as [string, number, object, object],
    ),
    ['a fraud', 200, answered('INVALID', 'FRAUD_ACCOUNT'), { state: 'frozen' }],
    ['a rejection by hand', 200, answered('MANUALLY_REJECTED'), { state: 'no-result' }],
    ['a cancellation', 200, answered('CANCELLED', 'VALIDATION_IN_PROGRESS'), { state: 'no-result' }],
    ['another rejection', 200, answered('REJECTED', 'SOMETHING_NEW'), { state: 'no-result' }],
    ['no code of an invalid account', 200, answered('INVALID'), { failure: 'malformed' }],
    ['a pending approval', 200, answered('APPROVAL_PENDING'), { state: 'processing' }],
    [
      'an unavailable bank, in their spelling',
      200,
      answered('FAILED', 'BENFICIARY_BANK_OFFLINE'),
      { state: 'put-off' },
    ],
    ['an unknown failure', 200, answered('FAILED', 'SOMETHING_NEW'), { failure: 'malformed' }],
    ['an unknown status', 200, answered('DORMANT', 'ACCOUNT_IS_VALID'), { failure: 'malformed' }],
    ['an unknown reference', 404, { code: 'user_id_not_found' }, { failure: 'malformed' }],
    ['an error with status 200', 200, { type: 'internal_error', code: 'api_error' }, { failure: 'timeout' }],
    [
      'a refused address',
      403,
      { type: 'validation_error', code: 'ip_validation_failed' },
      { failure: 'misconfigured' },
    ],
  ])('reads an answer of Cashfree: %s', async (_what, status, body, finding) => {
    expect(await outcomeOf('cashfree', status, body)).toMatchObject(finding);
  });

  it.each<[what: string, status: number, body: object, finding: object]>([
    [
      'a success in capitals',
      200,
      { verification: 'SUCCESS', code: 'BAV00', data: { name: 'A RAO' } },
      { state: 'valid' },
    ],
    [
      'a failed credit with a name',
      200,
      { verification: 'success', code: 'BAVM0', data: { name: 'A RAO' } },
      { state: 'valid' },
    ],
    [
      'a success without a code',
      200,
      { verification: 'success', message: 'Account exists and is active.', data: { name: 'A RAO' } },
      { state: 'valid', nameAtBank: 'A RAO' },
    ],
    [
      'a success with another code',
      200,
      { verification: 'success', code: 'BAVM5', data: { name: 'A RAO' } },
      { failure: 'malformed' },
    ],
    [
      'a success without a name',
      200,
      { verification: 'success', code: 'BAV00', data: {} },
      { state: 'not-usable' },
    ],
    ['a success without data', 200, { verification: 'success', code: 'BAV00' }, { state: 'not-usable' }],
    ['a closed account', 200, failed('BAVM5'), { state: 'closed', bankName: 'HDFC' }],
    ...SETU_TEXTS.flatMap(([message, state]) =>
      (['BAVM1', undefined, null] as const).map(
        (code) =>
          [`"${message}" with the code ${code}`, 200, failed(code, message), { state }] as [
            string,
            number,
            object,
            object,
          ],
      ),
    ),
    ['BAVM1 of something else', 200, failed('BAVM1', 'Something'), { failure: 'malformed' }],
    ['another text without a code', 200, failed(undefined, 'Account is closed'), { failure: 'malformed' }],
    ['a failure without code and text', 200, failed(undefined), { failure: 'malformed' }],
    ['an unknown code', 200, failed('BAVZZ'), { failure: 'malformed' }],
    ['an error of the vendor', 500, { error: { code: 'upstream_service_error' } }, { failure: 'timeout' }],
  ])('reads an answer of Setu: %s', async (_what, status, body, finding) => {
    expect(await outcomeOf('setu', status, body)).toMatchObject(finding);
  });

  it.each(Object.entries(DOCUMENTED_ENDS.cashfree))(
    'reads the documented ends of Cashfree: %s',
    async (state, documented) => {
      for (const group of documented.split('; ')) {
        const [status, codes] = group.split(': ') as [string, string];
        for (const code of codes.split(' '))
          expect([code, await outcomeOf('cashfree', 200, answered(status, code))]).toMatchObject([
            code,
            { state },
          ]);
      }
    },
  );

  it.each(Object.entries(DOCUMENTED_ENDS.setu))(
    'reads the documented ends of Setu: %s',
    async (state, codes) => {
      for (const code of codes.split(' '))
        expect([code, await outcomeOf('setu', 200, failed(code))]).toMatchObject([code, { state }]);
    },
  );

  it('never takes an unknown value for a verdict', async () => {
    const word = fc.string({ minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(word, word, async (status, code) => {
        const both = [
          await outcomeOf('cashfree', 200, answered(status, code)),
          await outcomeOf('setu', 200, { verification: status, code, data: { name: 'A RAO' } }),
        ];
        expect(both).toEqual([failing('malformed'), failing('malformed')]);
      }),
      { numRuns: 25 },
    );
  });

  it.each<[status: number, code: string, finding: object]>([
    [422, 'invalid_account_fail', { state: 'no-such-account' }],
    [422, 'invalid_ifsc_fail', { state: 'no-such-account' }],
    [400, 'ifsc_value_invalid', { state: 'no-such-account' }],
    [400, 'bank_account_length_short', { state: 'no-such-account' }],
    [422, 'account_blocked', { state: 'frozen' }],
    [422, 'fraud_account', { state: 'frozen' }],
    [422, 'bav_blocked', { state: 'frozen' }],
    [422, 'nre_account_fail', { state: 'not-usable' }],
    [422, 'benficiary_bank_offline', { state: 'put-off' }],
    [422, 'beneficiary_bank_offline', { state: 'put-off' }],
    // the provider also answers so to the poll; a put-off one would lose its reference, which may be of the running one
    [422, 'verification_already_under_process', { failure: 'timeout' }],
    [422, 'insufficient_balance', { failure: 'misconfigured' }],
    [422, 'something_new', { failure: 'refused' }],
    [400, 'user_id_value_invalid', { failure: 'refused' }],
    // the provider also answers so to the poll, which is no result
    [400, 'user_id_already_exists', { failure: 'timeout' }],
    [409, 'user_id_already_exists', { failure: 'timeout' }],
  ])('reads how Cashfree refuses a start: %s %s', async (status, code, finding) => {
    scripted.behaviour = answersJson(status, { type: 'validation_error', code });
    const provider = adapterOf('cashfree', PROVIDERS['cashfree']!.at(scripted.url));
    const seen = await provider.begin(anAccountOf(), randomUUID()).catch((error: unknown) => error);
    expect(seen).toMatchObject(finding);
  });

  it.each([200, 400])('reads how Setu refuses a start: %s', async (status) => {
    const message = 'Either IFSC or bank account is invalid';
    scripted.behaviour = answersJson(status, { verification: 'failed', message });
    const provider = adapterOf('setu', PROVIDERS['setu']!.at(scripted.url));
    expect(await provider.begin(anAccountOf(), randomUUID())).toMatchObject({ state: 'no-such-account' });
  });

  it.each([
    [400, 'user_id_already_exists'],
    [409, 'user_id_already_exists'],
    [422, 'verification_already_under_process'],
  ])('polls a verification that Cashfree has begun before (%s %s)', async (status, code) => {
    scripted.behaviour = (response) => {
      const isPoll = scripted.calls.at(-1)!.method === 'GET';
      const body = isPoll ? answered('RECEIVED') : { code };
      answersJson(isPoll ? 200 : status, body)(response);
    };
    const provider = adapterOf('cashfree', PROVIDERS['cashfree']!.at(scripted.url));
    expect(await provider.begin(anAccountOf(), randomUUID())).toMatchObject({ state: 'processing' });
  });

  it("waits with its reference while another user's verification of the account runs at Cashfree", async () => {
    const startedWith: unknown[] = [];
    let isRunning = true;
    scripted.behaviour = (response) => {
      const { method, body } = scripted.calls.at(-1)!;
      if (method === 'GET') return answersJson(404, { code: 'user_id_not_found' })(response);
      startedWith.push(body['user_id']);
      if (isRunning) return answersJson(422, { code: 'verification_already_under_process' })(response);
      answersJson(200, answered('RECEIVED'))(response);
    };
    const provider = adapterOf('cashfree', PROVIDERS['cashfree']!.at(scripted.url));
    const [account, reference] = [anAccountOf(), randomUUID()];
    // not one of the failures after which another provider may begin
    await expect(provider.begin(account, reference)).rejects.toEqual(failing('timeout'));
    isRunning = false;
    expect(await provider.begin(account, reference)).toMatchObject({ state: 'processing' });
    expect(new Set(startedWith).size).toBe(1);
  });

  it('asks Setu by POST when it refuses GET', async () => {
    scripted.behaviour = answersJson(405, {});
    scripted.calls.length = 0;
    await outcomeOf('setu', 405, {});
    expect(scripted.calls.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  it('stops asking Cashfree after a verification has ended with an empty wallet', async () => {
    scripted.behaviour = answersJson(200, answered('REJECTED', 'INSUFFICIENT_BALANCE'));
    const provider = adapterOf('cashfree', PROVIDERS['cashfree']!.at(scripted.url));
    await provider.outcome(anAccountOf(), 'r-1');
    scripted.calls.length = 0;
    await expect(provider.begin(anAccountOf(), randomUUID())).rejects.toEqual(failing('unavailable'));
    expect(scripted.calls).toEqual([]);
  });
});

describe('requests to the vendors', () => {
  let scripted: ScriptedProvider;
  beforeAll(async () => {
    scripted = await ScriptedProvider.start();
  });
  afterAll(() => scripted.stop());

  const REFERENCE = '0198c0de-0000-4000-8000-00000000000a';
  const sent = async (name: string) => {
    scripted.behaviour = PROVIDERS[name]!.begun;
    await adapterOf(name, PROVIDERS[name]!.at(scripted.url)).begin(anAccountOf('50100012345678'), REFERENCE);
    const { method, path, headers, body } = scripted.calls.at(-1)!;
    const keys = Object.keys(headers).filter((key) => key.startsWith('x-') || key === 'authorization');
    return { method, path, keys: Object.fromEntries(keys.map((key) => [key, headers[key]])), body };
  };

  it('sends Cashfree the account with our reference, and no name', async () => {
    expect(await sent('cashfree')).toEqual({
      method: 'POST',
      path: '/messages/bank-account/async',
      keys: {
        'x-client-id': 'cashfree-id',
        'x-client-secret': 'cashfree-secret!charge-each-read',
        'x-api-version': '2024-12-01',
      },
      body: {
        bank_account: '50100012345678',
        ifsc: 'HDFC0001234',
        user_id: '0198c0de00004000800000000000000a',
      },
    });
  });

  it('sends Setu the account with a text for its statement, and no name', async () => {
    expect(await sent('setu')).toEqual({
      method: 'POST',
      path: '/messages/api/verify/ban/async',
      keys: {
        'x-client-id': 'setu-id',
        'x-client-secret': 'setu-secret!charge-each-read',
        'x-product-instance-id': 'setu-bank-product',
      },
      body: { accountNumber: '50100012345678', ifsc: 'HDFC0001234', narration: 'Account verification' },
    });
  });
});
