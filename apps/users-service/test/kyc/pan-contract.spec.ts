import { Logger } from '@nestjs/common';
import { ProviderError, type ProviderFailure } from '@fd/errors';
import type { Environment } from '@fd/platform';
import { Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { usersConfig } from '../../src/config/users-config.js';
import { ProviderClients } from '../../src/integrations/providers/provider-client.js';
import { panRegistries } from '../../src/kyc/pan/adapters/pan-registries.js';
import type { PanLookup } from '../../src/kyc/pan/pan-registry.port.js';
import { effectsOf } from '../support/effects.js';
import { aPan } from '../support/pan.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { answersJson, type Behaviour, BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { settings } from '../support/settings.js';
import { LIVE_LIMIT_MS, placesOf, type VendorName } from '../support/vendor-places.config.js';

interface Played {
  /** Returns the settings that reach the provider below a base URL. */
  readonly at: (base: string) => Environment;
  readonly sandboxPath: string;
  /** Its name in the sandbox's ledger; `charges` is the number of paid calls of one look-up. */
  readonly provider: string;
  readonly charges: number;
  readonly comparesBirthDate: boolean;
  /** Its documented answers to a look-up of `ABCPR1234K`, call by call. */
  readonly verified: readonly [object, ...object[]];
  /** Fields of the answers with enumerated values. */
  readonly words: readonly (readonly [call: number, field: string])[];
}

const PAN = 'ABCPR1234K';
const HOLDER = { fullName: 'ASHA KUMARI RAO', firstName: 'ASHA', middleName: 'KUMARI', lastName: 'RAO' };

/** To test a new adapter, add an entry here and its answers to VERDICTS and FAILURES. */
const PROVIDERS: Readonly<Record<'registry' | 'cashfree' | 'setu', Played>> = {
  registry: {
    at: (base) => ({ PAN_REGISTRY_URL: base, PAN_REGISTRY_API_KEY: 'key' }),
    sandboxPath: '/providers/pan',
    provider: 'pan',
    charges: 1,
    comparesBirthDate: true,
    verified: [
      {
        status: 'VALID',
        name: { full: 'ASHA KUMARI RAO', first: 'ASHA', middle: 'KUMARI', last: 'RAO' },
        father_name: 'GOPAL RAO',
        date_of_birth_match: true,
        aadhaar_link: 'LINKED',
      },
    ],
    words: [
      [0, 'status'],
      [0, 'aadhaar_link'],
    ],
  },
  cashfree: {
    at: (base) => ({ CASHFREE_URL: base, CASHFREE_CLIENT_ID: 'client', CASHFREE_CLIENT_SECRET: 'secret' }),
    sandboxPath: '/vendors/cashfree/verification',
    provider: 'cashfree',
    charges: 2,
    comparesBirthDate: true,
    verified: [
      {
        reference_id: 161,
        pan: PAN,
        type: 'Individual',
        registered_name: 'ASHA KUMARI RAO',
        name_pan_card: 'ASHA K RAO',
        father_name: 'GOPAL RAO',
        valid: true,
        message: 'PAN verified successfully',
        pan_status: 'VALID',
        aadhaar_seeding_status: 'Y',
      },
      { reference_id: 162, status: 'VALID', pan_status: 'E', name_match: 'Y', dob_match: 'Y' },
    ],
    words: [
      [0, 'pan_status'],
      [0, 'type'],
      [0, 'aadhaar_seeding_status'],
      [0, 'valid'],
      [0, 'pan'],
    ],
  },
  setu: {
    at: (base) => ({
      SETU_URL: base,
      SETU_CLIENT_ID: 'client',
      SETU_CLIENT_SECRET: 'secret',
      SETU_PAN_PRODUCT_ID: 'product',
    }),
    sandboxPath: '/vendors/setu',
    provider: 'setu',
    charges: 1,
    comparesBirthDate: false,
    verified: [
      {
        verification: 'success',
        message: 'PAN is valid',
        data: {
          full_name: 'ASHA KUMARI RAO',
          first_name: 'ASHA',
          middle_name: 'KUMARI',
          last_name: 'RAO',
          category: 'Individual',
          aadhaar_seeding_status: 'LINKED',
        },
        traceId: 't',
      },
    ],
    words: [
      [0, 'verification'],
      [0, 'data.category'],
      [0, 'data.aadhaar_seeding_status'],
    ],
  },
};
type Name = keyof typeof PROVIDERS;
const NAMES = Object.keys(PROVIDERS) as Name[];

/** Builds the list of these providers, each with its own base URL, without the failure history of other tests. */
function registriesOf(bases: Partial<Record<Name, string>>, more: Environment = {}) {
  const names = Object.keys(bases) as Name[];
  const addresses = names.map((name) => PROVIDERS[name].at(bases[name]!));
  const env = settings({ PAN_PROVIDERS: names.join(), ...Object.assign({}, ...addresses), ...more });
  const { providers } = usersConfig(env);
  return panRegistries(providers, new ProviderClients(providers, new Registry()));
}

const lookUp = (
  registries: ReturnType<typeof registriesOf>,
  pan = PAN,
  reference = uuidv7(),
): Promise<PanLookup> =>
  registries.begin(null, (registry) => registry.lookUp({ pan, dateOfBirth: '1990-04-21' }, reference));

/** Returns the end of a look-up: its outcome, or its failure. */
const endOf = (lookup: Promise<PanLookup>): Promise<string> =>
  lookup.then(
    ({ outcome }) => outcome,
    (error: unknown) => {
      expect(error).toBeInstanceOf(ProviderError);
      return (error as ProviderError).failure;
    },
  );

/** Answers calls with the given behaviours in order, then repeats the last one. */
function inTurn(scripted: ScriptedProvider, behaviours: readonly Behaviour[]): Behaviour {
  const before = scripted.calls.length;
  return (response) => {
    const call = Math.min(scripted.calls.length - before, behaviours.length) - 1;
    behaviours[call]!(response);
  };
}

const ok = (body: object): Behaviour => answersJson(200, body);

/** Returns a copy of an answer with some fields changed; a dot in a key separates levels. */
function withFields(answer: object, changes: Readonly<Record<string, unknown>>): object {
  const copy = structuredClone(answer) as Record<string, unknown>;
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split('.');
    const last = keys.pop()!;
    const holder = keys.reduce((part, key) => part[key] as Record<string, unknown>, copy);
    holder[last] = value;
  }
  return copy;
}

let scripted: ScriptedProvider;
const origin = (): string => new URL(scripted.url).origin;
beforeAll(async () => {
  Logger.overrideLogger(false);
  scripted = await ScriptedProvider.start();
});
afterAll(() => scripted.stop());

const FAULTS: readonly [what: string, behaviour: Behaviour, failure: ProviderFailure][] = [
  ['refuses our key (401)', answersJson(401, { message: 'who are you' }), 'misconfigured'],
  ['refuses our address (403)', answersJson(403, { message: 'not from here' }), 'misconfigured'],
  ['throttles (429)', answersJson(429, { message: 'slow down' }), 'unavailable'],
  ['is down (503)', answersJson(503, {}), 'unavailable'],
  ['breaks (500)', answersJson(500, {}), 'timeout'],
  ['fails at a proxy (502)', answersJson(502, {}), 'timeout'],
  ['times out at a proxy (504)', answersJson(504, {}), 'timeout'],
  ['answers a web page', BEHAVIOURS.answersHtml, 'malformed'],
  [
    'answers XML',
    (response) => response.writeHead(200, { 'content-type': 'application/xml' }).end('<pan valid="true"/>'),
    'malformed',
  ],
  ['answers nothing', BEHAVIOURS.answersNothing, 'malformed'],
  ['answers other JSON', ok({ status: 'fine' }), 'malformed'],
  ['answers 200 with an unknown error', ok({ type: 'x', code: 'y', error: { code: 'y' } }), 'malformed'],
  ['answers too much', BEHAVIOURS.answersHuge, 'malformed'],
  ['redirects', BEHAVIOURS.redirects, 'timeout'],
  ['breaks off', BEHAVIOURS.breaksOff, 'timeout'],
];

describe.each(NAMES)('PAN adapter: %s', (name) => {
  const { sandboxPath, provider, charges, comparesBirthDate, verified, words } = PROVIDERS[name];
  const scriptedRegistries = () => registriesOf({ [name]: origin() });

  describe('at the sandbox', () => {
    const played = () => registriesOf({ [name]: `${sandboxUrl()}${sandboxPath}` });

    it('finds the same holder as every other adapter', async () => {
      const pan = aPan();
      const own = await lookUp(registriesOf({ registry: `${sandboxUrl()}/providers/pan` }), pan);
      const found = await lookUp(played(), pan);
      expect(found).toMatchObject({
        outcome: 'verified',
        isBirthDateCompared: comparesBirthDate,
        aadhaarSeedingStatus: 'LINKED',
      });
      if (own.outcome !== 'verified' || found.outcome !== 'verified') throw new Error('not verified');
      const { fatherName, ...names } = own.names;
      expect(found.names).toMatchObject(names);
      expect([fatherName, null]).toContain(found.names.fatherName);
      // the registry charged for the first look-up too
      expect(await effectsOf(provider, pan)).toHaveLength(name === 'registry' ? 2 : charges);
    });

    it.each([
      ['does not know', '0404', 'not-found', 1],
      ['reports as not valid', '0410', 'not-valid', 1],
      ['cannot pay for', '0402', 'misconfigured', 0],
      ['is down for', '0503', 'unavailable', 0],
      ['answers with a web page', '0502', 'malformed', 0],
      ['answers with XML', '0506', 'malformed', 0],
      ['has no Aadhaar for', '0401', 'verified', charges],
    ])('reports the outcome for a PAN that it %s', async (_what, digits, end, paid) => {
      const pan = aPan({ digits });
      expect(await endOf(lookUp(played(), pan))).toBe(end);
      expect(await effectsOf(provider, pan)).toHaveLength(paid);
    });

    it(`${comparesBirthDate ? 'says' : 'cannot say'} that the date of birth differs`, async () => {
      const end = await endOf(lookUp(played(), aPan({ digits: '0406' })));
      expect(end).toBe(comparesBirthDate ? 'dob-differs' : 'verified');
    });

    it('never takes an error inside a 200 for a verdict', async () => {
      const end = await endOf(lookUp(played(), aPan({ digits: '0208' })));
      expect(['malformed', 'unavailable']).toContain(end);
    });

    it('reports that Aadhaar is not linked', async () => {
      const lookup = await lookUp(played(), aPan({ digits: '0401' }));
      expect(lookup).toMatchObject({ aadhaarSeedingStatus: 'NOT_LINKED' });
    });
  });

  it('reads the documented answer', async () => {
    scripted.behaviour = inTurn(scripted, verified.map(ok));
    const lookup = await lookUp(scriptedRegistries());
    expect(lookup).toMatchObject({ outcome: 'verified', names: HOLDER, aadhaarSeedingStatus: 'LINKED' });
  });

  it.each(FAULTS)(
    'reports the failure of a look-up when the provider %s',
    async (_what, behaviour, failure) => {
      scripted.behaviour = behaviour;
      const before = scripted.calls.length;
      expect(await endOf(lookUp(scriptedRegistries()))).toBe(failure);
      expect(scripted.calls.length - before).toBe(1);
    },
  );

  it('reports an open outcome when the provider is silent', async () => {
    scripted.behaviour = BEHAVIOURS.hangs;
    const impatient = registriesOf({ [name]: origin() }, { PAN_LOOKUP_TIMEOUT_MS: '100' });
    expect(await endOf(lookUp(impatient))).toBe('timeout');
  });

  it('reports that nothing was sent when the provider is unreachable', async () => {
    const gone = await ScriptedProvider.start();
    const nowhere = registriesOf({ [name]: new URL(gone.url).origin });
    await gone.stop();
    expect(await endOf(lookUp(nowhere))).toBe('unavailable');
  });

  it.each(words)('never takes an unknown value for a verdict: call %i, %s', async (call, field) => {
    for (const word of ['SOMETHING_ELSE', '', 7, ['VALID']]) {
      const answers = verified.map((answer, at) =>
        at === call ? withFields(answer, { [field]: word }) : answer,
      );
      scripted.behaviour = inTurn(scripted, answers.map(ok));
      const end = await endOf(lookUp(scriptedRegistries()));
      // a vendor may leave out fields that decide nothing
      const isMissing = word === '' && /seeding|category|type/.test(field);
      expect(end).toBe(isMissing ? 'verified' : 'malformed');
    }
  });
});

/** Answers that are verdicts, in the vendors' formats. */
const VERDICTS: readonly [
  Name,
  what: string,
  answers: readonly (readonly [number, object])[],
  end: string,
][] = [
  ['cashfree', 'an invalid PAN', [[200, { valid: false, pan: PAN, message: 'Invalid PAN' }]], 'not-found'],
  ['cashfree', 'INVALID', [[200, { valid: false, pan: PAN, pan_status: 'INVALID' }]], 'not-found'],
  ['cashfree', 'DELETED', [[200, { valid: false, pan: PAN, pan_status: 'DELETED' }]], 'not-valid'],
  ['cashfree', 'DEACTIVATED', [[200, { valid: false, pan: PAN, pan_status: 'DEACTIVATED' }]], 'not-valid'],
  ['cashfree', 'another PAN', [[200, { valid: false, pan: 'ABCPR1234L' }]], 'malformed'],
  [
    'cashfree',
    'a company behind the PAN of a person',
    [[200, withFields(PROVIDERS.cashfree.verified[0], { type: 'Company' })]],
    'malformed',
  ],
  [
    'setu',
    'a success in capitals',
    [[200, withFields(PROVIDERS.setu.verified[0], { verification: 'SUCCESS' })]],
    'verified',
  ],
  ['setu', 'an invalid PAN', [[200, { verification: 'failed', message: 'PAN is invalid' }]], 'not-valid'],
  [
    'setu',
    'an invalid PAN, in capitals',
    [[200, { verification: 'FAILED', message: 'PAN is Invalid.' }]],
    'not-valid',
  ],
  [
    'setu',
    'a failure of another text',
    [[200, { verification: 'failed', message: 'Source is busy' }]],
    'malformed',
  ],
  ['setu', 'an unknown PAN', [[404, { message: 'PAN not found.', verification: 'failed' }]], 'not-found'],
  ['setu', 'a 404 of another text', [[404, { message: 'No such route' }]], 'malformed'],
  ...(['N', 'F'] as const).map(matched('not-found')),
  ...(['X', 'D', 'ED'] as const).map(matched('not-valid')),
  ...(['EA', 'EC', 'EI', 'EL', 'EM', 'EP', 'ES', 'EU', 'QQ'] as const).map(matched('timeout')),
];

/**
 * Cashfree's second answer with another state of the PAN. The first one was charged, so a failure leaves the outcome
 * open.
 */
function matched(end: string) {
  return (state: string): (typeof VERDICTS)[number] => [
    'cashfree',
    `the state ${state}`,
    [
      [200, PROVIDERS.cashfree.verified[0]],
      [200, withFields(PROVIDERS.cashfree.verified[1]!, { pan_status: state })],
    ],
    end,
  ];
}

/** Errors in the vendors' formats, for the first call. */
const FAILURES: readonly [Name, what: string, status: number, body: object, failure: ProviderFailure][] = [
  ['cashfree', 'an empty wallet', 422, { type: 'x', code: 'insufficient_balance' }, 'misconfigured'],
  ['cashfree', 'an empty wallet with 200', 200, { type: 'x', code: 'insufficient_balance' }, 'misconfigured'],
  ['cashfree', 'a refused address', 403, { type: 'x', code: 'ip_validation_failed' }, 'misconfigured'],
  [
    'cashfree',
    'a secret of another environment',
    400,
    { type: 'validation_error', code: 'x-client-secret_value_invalid' },
    'misconfigured',
  ],
  [
    'cashfree',
    'a product that is not enabled',
    400,
    { type: 'validation_error', code: 'invalid_request', message: 'service not enabled for this account' },
    'misconfigured',
  ],
  [
    'cashfree',
    'another invalid request',
    400,
    { type: 'validation_error', code: 'invalid_request', message: 'no' },
    'refused',
  ],
  ['cashfree', 'no such product', 404, { type: 'internal_error', code: 'api_error' }, 'misconfigured'],
  ['cashfree', 'no such path', 404, { type: 'x', code: 'request_failed' }, 'misconfigured'],
  ['cashfree', 'a malformed PAN', 400, { type: 'validation_error', code: 'pan_length_short' }, 'refused'],
  [
    'cashfree',
    'an unavailable source',
    502,
    { type: 'internal_error', code: 'verification_failed' },
    'unavailable',
  ],
  ['cashfree', 'an unspecific error', 500, { type: 'internal_error', code: 'odd' }, 'timeout'],
  ['cashfree', 'a repeat', 409, { type: 'x', code: 'verification_id_already_exists' }, 'timeout'],
  ['cashfree', 'an unknown code', 422, { type: 'x', code: 'please_dance' }, 'malformed'],
  ['setu', 'no consent', 400, { error: { code: 'consent_not_given' } }, 'refused'],
  ['setu', 'a short reason', 400, { error: { code: 'insufficient_reason_length' } }, 'refused'],
  ['setu', 'an unspecific error', 500, { error: { code: 'internal_server_error' } }, 'timeout'],
  ['setu', 'no such product', 404, { error: { code: 'product_instance_not_found' } }, 'misconfigured'],
  ['setu', 'an unknown code', 422, { error: { code: 'please_dance' } }, 'malformed'],
];

describe("answers in the vendors' formats", () => {
  it.each(VERDICTS)('reads an answer of %s: %s', async (name, _what, answers, end) => {
    scripted.behaviour = inTurn(
      scripted,
      answers.map(([status, body]) => answersJson(status, body)),
    );
    expect(await endOf(lookUp(registriesOf({ [name]: origin() })))).toBe(end);
  });

  it.each(FAILURES)('classifies a failure of %s: %s', async (name, _what, status, body, failure) => {
    scripted.behaviour = answersJson(status, body);
    expect(await endOf(lookUp(registriesOf({ [name]: origin() })))).toBe(failure);
  });

  it.each([
    ['cashfree', 'type'],
    ['setu', 'data.category'],
  ] as const)('refuses a company as the holder of a company PAN at %s', async (name, field) => {
    const pan = 'ABCCR1234K';
    const changes = { [field]: 'Company', ...(name === 'cashfree' ? { pan } : {}) };
    scripted.behaviour = ok(withFields(PROVIDERS[name].verified[0], changes));
    expect(await endOf(lookUp(registriesOf({ [name]: origin() }), pan))).toBe('not-valid');
  });

  it.each(['', null, undefined])(
    'reads a name of Setu in one piece, with first_name %j',
    async (first_name) => {
      const answer = withFields(PROVIDERS.setu.verified[0], { 'data.first_name': first_name });
      scripted.behaviour = ok(answer);
      expect(await lookUp(registriesOf({ setu: origin() }))).toMatchObject({ names: HOLDER });
    },
  );
});

describe('look-up of two paid calls', () => {
  const QUERY = { pan: PAN, dateOfBirth: '1990-04-21' };
  const [revealed, matched] = PROVIDERS.cashfree.verified;
  const sent = (from: number) =>
    scripted.calls.slice(from).map(({ path, body }) => [path, body['verification_id']]);

  const cashfree = () => registriesOf({ cashfree: origin() }).inOrder[0]!;

  /** Makes the first call, whose answer is kept, and loses the second one. */
  async function paidFor(reference: string): Promise<unknown> {
    scripted.behaviour = inTurn(scripted, [ok(revealed), BEHAVIOURS.breaksOff]);
    const kept: unknown[] = [];
    const lookup = cashfree().lookUp(QUERY, reference, (answer) => {
      kept.push(answer);
      return Promise.resolve();
    });
    expect(await endOf(lookup)).toBe('timeout');
    expect(kept).toHaveLength(1);
    return JSON.parse(JSON.stringify(kept[0])) as unknown;
  }

  it('continues with the second call alone, under the same id', async () => {
    const reference = uuidv7();
    const before = scripted.calls.length;
    const paid = await paidFor(reference);
    const calls = [
      ['/pan', reference],
      ['/pan-lite', `${reference}-dob`],
    ];
    expect(sent(before)).toEqual(calls);
    scripted.behaviour = ok(matched!);
    expect(await cashfree().resume!(QUERY, reference, paid)).toMatchObject({
      outcome: 'verified',
      names: { ...HOLDER, fatherName: 'GOPAL RAO' },
      aadhaarSeedingStatus: 'LINKED',
    });
    expect(sent(before)).toEqual([...calls, calls[1]]);
  });

  it('reports an open outcome when the vendor already got the second call', async () => {
    const paid = await paidFor(uuidv7());
    scripted.behaviour = answersJson(409, { type: 'x', code: 'verification_id_already_exists' });
    expect(await endOf(cashfree().resume!(QUERY, uuidv7(), paid))).toBe('timeout');
  });

  it('counts the look-up for the user when the second call fails, unless our account is at fault', async () => {
    for (const [status, code, isFree] of [
      [422, 'insufficient_balance', true],
      [401, 'authentication_failed', true],
      [503, 'api_error', false],
      [409, 'verification_id_already_exists', false],
    ] as const) {
      const paid = await paidFor(uuidv7());
      scripted.behaviour = answersJson(status, { type: 'x', code });
      const resumed = cashfree().resume!(QUERY, uuidv7(), paid);
      await expect(resumed).rejects.toMatchObject({ failure: 'timeout', isFree });
    }
  });

  it('keeps nothing of a PAN without a holder', async () => {
    scripted.behaviour = ok({ valid: false, pan: PAN, pan_status: 'DELETED' });
    const keep = jest.fn<Promise<void>, [unknown]>().mockResolvedValue();
    await cashfree().lookUp(QUERY, uuidv7(), keep);
    expect(keep).not.toHaveBeenCalled();
  });
});

describe('requests to the vendors', () => {
  const sentBy = async (name: Name) => {
    const before = scripted.calls.length;
    scripted.behaviour = inTurn(scripted, PROVIDERS[name].verified.map(ok));
    const reference = uuidv7();
    await lookUp(registriesOf({ [name]: origin() }), PAN, reference);
    return { reference, calls: scripted.calls.slice(before) };
  };

  it("sends Cashfree the PAN, then its holder's name with the date of birth, each with our reference", async () => {
    const { reference, calls } = await sentBy('cashfree');
    const headers = { 'x-client-id': 'client', 'x-client-secret': 'secret', 'x-api-version': '2024-12-01' };
    expect(calls).toMatchObject([
      { method: 'POST', path: '/pan', headers },
      { method: 'POST', path: '/pan-lite', headers },
    ]);
    expect(calls.map(({ headers: sent }) => sent.authorization)).toEqual([undefined, undefined]);
    expect(calls.map(({ body }) => body)).toEqual([
      { pan: PAN, verification_id: reference },
      { pan: PAN, name: 'ASHA KUMARI RAO', dob: '1990-04-21', verification_id: `${reference}-dob` },
    ]);
  });

  it('sends Setu the PAN with the consent and a reason of at least 20 characters', async () => {
    const { calls } = await sentBy('setu');
    const headers = {
      'x-client-id': 'client',
      'x-client-secret': 'secret',
      'x-product-instance-id': 'product',
    };
    expect(calls).toMatchObject([{ method: 'POST', path: '/api/verify/pan', headers }]);
    expect(calls[0]!.body).toEqual({ pan: PAN, consent: 'Y', reason: expect.stringMatching(/^.{20,200}$/) });
  });
});

describe('second provider', () => {
  let second: ScriptedProvider;
  beforeAll(async () => {
    second = await ScriptedProvider.start();
  });
  afterAll(() => second.stop());
  beforeEach(() => {
    second.behaviour = ok(PROVIDERS.setu.verified[0]);
  });

  const both = () => registriesOf({ cashfree: origin(), setu: new URL(second.url).origin });
  const askedSecond = async (registries = both()): Promise<[end: string, asked: number]> => {
    const before = second.calls.length;
    return [await endOf(lookUp(registries)), second.calls.length - before];
  };

  it.each<[string, Behaviour]>([
    ['throttles', answersJson(429, {})],
    ['is down', answersJson(503, {})],
    ['has an empty wallet', answersJson(422, { type: 'x', code: 'insufficient_balance' })],
    ['refuses our key', answersJson(401, { type: 'x', code: 'authentication_failed' })],
  ])('asks the second provider when the first one %s', async (_what, behaviour) => {
    scripted.behaviour = behaviour;
    expect(await askedSecond()).toEqual(['verified', 1]);
  });

  it('asks the second provider at once while the circuit of the first one is open', async () => {
    const registry = both();
    scripted.behaviour = answersJson(422, { type: 'x', code: 'insufficient_balance' });
    expect(await askedSecond(registry)).toEqual(['verified', 1]);
    const before = scripted.calls.length;
    expect(await askedSecond(registry)).toEqual(['verified', 1]);
    expect(scripted.calls.length).toBe(before);
  });

  it.each<[string, readonly Behaviour[], string]>([
    ['has given a verdict', [ok({ valid: false, pan: PAN })], 'not-found'],
    ['may have been paid', [BEHAVIOURS.breaksOff], 'timeout'],
    ['answers unreadable data', [BEHAVIOURS.answersHtml], 'malformed'],
    ['refuses the request', [answersJson(400, { type: 'validation_error', code: 'pan_missing' })], 'refused'],
    [
      'is down after a call that was paid',
      [ok(PROVIDERS.cashfree.verified[0]), answersJson(503, {})],
      'timeout',
    ],
    [
      'runs out of money after a call that was paid',
      [ok(PROVIDERS.cashfree.verified[0]), answersJson(422, { type: 'x', code: 'insufficient_balance' })],
      'timeout',
    ],
  ])('does not ask the second provider when the first one %s', async (_what, behaviours, end) => {
    scripted.behaviour = inTurn(scripted, behaviours);
    expect(await askedSecond()).toEqual([end, 0]);
  });

  it.each([
    ['the last one when all fail without a charge', 429, 'misconfigured'],
    ['the first one that may have charged', 503, 'unavailable'],
  ])('reports the failure of %s', async (_what, status, end) => {
    scripted.behaviour = answersJson(status, {});
    second.behaviour = answersJson(401, {});
    expect(await askedSecond()).toEqual([end, 1]);
  });
});

interface DocumentedPans {
  readonly place: VendorName;
  /** Values of the vendor's documentation, and their outcomes. */
  readonly pans: readonly (readonly [what: string, pan: string, outcomes: readonly PanLookup['outcome'][]])[];
}

const DOCUMENTED: Readonly<Record<'cashfree' | 'setu', DocumentedPans>> = {
  cashfree: {
    place: 'cashfree',
    pans: [
      // its date of birth is not documented
      ['a valid PAN', 'ABCPV1234D', ['verified', 'dob-differs']],
      ['another valid PAN', 'XYZPP4321W', ['verified', 'dob-differs']],
      ['an invalid PAN', 'DEFPV0126D', ['not-found']],
      ['another invalid PAN', 'TUVPP5678W', ['not-found']],
    ],
  },
  setu: {
    place: 'setu-pan',
    pans: [
      ['a valid PAN', 'ABCDE1234A', ['verified']],
      ['an invalid PAN', 'ABCDE1234B', ['not-valid']],
      ['an unknown PAN', 'ABCPR0404K', ['not-found']],
    ],
  },
};

describe.each(
  (['cashfree', 'setu'] as const).flatMap((name) =>
    placesOf(DOCUMENTED[name].place).map(({ where, account }) => [name, where, account] as const),
  ),
)('PAN adapter %s at %s', (name, _where, account) => {
  const registriesWith = (changes: Environment = {}) => {
    const { providers } = usersConfig(settings({ PAN_PROVIDERS: name, ...account, ...changes }));
    return panRegistries(providers, new ProviderClients(providers, new Registry()));
  };

  it.each(DOCUMENTED[name].pans)(
    'knows %s of the documentation: %s',
    async (_what, pan, outcomes) => {
      const lookup = await lookUp(registriesWith(), pan);
      expect(outcomes).toContain(lookup.outcome);
      if (lookup.outcome === 'verified') expect(lookup.names.fullName).toMatch(/\S/);
    },
    LIVE_LIMIT_MS,
  );

  it(
    'reports a refused key',
    async () => {
      const key = { [`${name.toUpperCase()}_CLIENT_SECRET`]: 'unknown!wrong-key' };
      expect(await endOf(lookUp(registriesWith(key)))).toBe('misconfigured');
    },
    LIVE_LIMIT_MS,
  );
});
