import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { timeLimit, withDeadline } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import { Clock, type Environment } from '@fd/platform';
import { Registry } from 'prom-client';
import { usersConfig } from '../../src/config/users-config.js';
import { ProviderClients } from '../../src/integrations/providers/provider-client.js';
import { documentLockers } from '../../src/kyc/ekyc/adapters/ekyc-adapters.js';
import type { DocumentLocker, LockerOutcome, OpenedLocker } from '../../src/kyc/ekyc/ekyc-providers.port.js';
import { aadhaarReadsOf } from '../support/effects.js';
import { finishLocker, type LockerDecision } from '../support/ekyc.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { FAULTS, inTurn, withField } from '../support/provider-faults.js';
import { answersJson, BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { providerSettings, settings, vendorSettings } from '../support/settings.js';
import { LIVE_LIMIT_MS, placesOf } from '../support/vendor-places.config.js';

/** A provider in this contract test, by its name in LOCKER_PROVIDERS. */
interface Played {
  /** Returns the settings that reach the provider below a base URL. */
  readonly at: (base: string) => Environment;
  /** Its name in the sandbox's ledger of payments; undefined if it charges nothing. */
  readonly provider?: string;
  readonly opened: object;
  readonly openStatus: number;
  /** Its documented answers about an allowed visit, call by call. */
  readonly allowed: readonly [object, ...object[]];
  /** Fields of those answers with enumerated values or a fixed format. */
  readonly words: readonly (readonly [call: number, field: string])[];
}

const LATER = '2999-01-01T00:00:00+05:30';
const PAGE = 'https://locker.example/s';

/** To test a new adapter, add an entry here and its answers to VERDICTS. */
const PROVIDERS: Readonly<Record<'locker' | 'setu' | 'cashfree', Played>> = {
  locker: {
    at: (base) => ({ DOCUMENT_LOCKER_URL: base }),
    opened: { session_id: 's-1', url: PAGE, expires_at: LATER },
    openStatus: 201,
    allowed: [
      {
        status: 'AUTHORISED',
        aadhaar: {
          present: true,
          reference_id: 's-1',
          last_four: '1234',
          holder: { name: 'Asha Rao', date_of_birth: '1990-04-21', year_of_birth: '1990' },
        },
      },
    ],
    words: [
      [0, 'status'],
      [0, 'aadhaar.present'],
      [0, 'aadhaar.last_four'],
      [0, 'aadhaar.holder.date_of_birth'],
    ],
  },
  setu: {
    at: (base) => ({ SETU_URL: base }),
    provider: 'setu',
    opened: { id: 's-1', status: 'unauthenticated', url: PAGE, validUpto: LATER, traceId: 't' },
    openStatus: 200,
    allowed: [
      { id: 's-1', status: 'authenticated', validUpto: LATER, digilockerUserDetails: { digilockerId: 'd' } },
      {
        aadhaar: {
          name: 'Asha Rao',
          dateOfBirth: '21-04-1990',
          gender: 'F',
          maskedNumber: 'xxxx-xxxx-1234',
          photo: 'x'.repeat(200_000),
          xml: { fileUrl: PAGE, shareCode: '', validUntil: LATER },
        },
        id: 's-1',
        status: 'complete',
        traceId: 't',
      },
    ],
    words: [
      [0, 'status'],
      [1, 'aadhaar.dateOfBirth'],
      [1, 'aadhaar.maskedNumber'],
    ],
  },
  cashfree: {
    at: (base) => ({ CASHFREE_URL: base }),
    provider: 'cashfree',
    opened: { verification_id: 'v', reference_id: 7, url: PAGE, status: 'PENDING' },
    openStatus: 200,
    allowed: [
      { verification_id: 'v', reference_id: 7, status: 'AUTHENTICATED', document_consent: ['AADHAAR'] },
      {
        status: 'SUCCESS',
        reference_id: 7,
        uid: 'xxxxxxxx1234',
        name: 'Asha Rao',
        dob: '21-04-1990',
        // a number, as in Cashfree's sample
        year_of_birth: 1990,
        photo_link: PAGE,
      },
    ],
    words: [
      [0, 'status'],
      [1, 'status'],
      [1, 'uid'],
      [1, 'dob'],
      [1, 'reference_id'],
    ],
  },
};
type Name = keyof typeof PROVIDERS;

/** Builds an adapter without the failure history of other tests. */
function adapterOf(name: Name, environment: Environment): DocumentLocker {
  const { providers } = usersConfig(settings({ LOCKER_PROVIDERS: name, ...environment }));
  return documentLockers(providers, new ProviderClients(providers, new Registry()), new Clock()).inOrder[0]!;
}

const sandboxSettings = (): Environment => ({
  ...providerSettings(sandboxUrl()),
  ...vendorSettings(sandboxUrl()),
});

const aVisit = () => ({
  reference: randomUUID(),
  redirectUrl: 'https://app.partner.example/back?step=2',
  expected: { name: PERSON.name, dateOfBirth: PERSON.date_of_birth },
});

const PERSON = { name: 'Asha Kumari Rao', date_of_birth: '1990-04-21' };

/** Returns the end of a call: its outcome, or its failure. */
const endOf = (call: Promise<LockerOutcome | OpenedLocker | undefined>): Promise<string> =>
  call.then(
    (answer) => (answer && 'outcome' in answer ? answer.outcome : answer ? 'opened' : 'lost'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(ProviderError);
      return (error as ProviderError).failure;
    },
  );

let scripted: ScriptedProvider;
const origin = (): string => new URL(scripted.url).origin;
beforeAll(async () => {
  Logger.overrideLogger(false);
  scripted = await ScriptedProvider.start();
});
afterAll(() => scripted.stop());

describe.each(Object.keys(PROVIDERS) as Name[])('adapter of document lockers: %s', (name) => {
  const { at, provider, opened, openStatus, allowed, words } = PROVIDERS[name];
  const atScript = () => adapterOf(name, { ...sandboxSettings(), ...at(origin()) });

  describe('at the sandbox', () => {
    const played = () => adapterOf(name, sandboxSettings());

    async function decided(
      decision: LockerDecision,
      locker = played(),
      phone?: string,
    ): Promise<{ locker: DocumentLocker; id: string }> {
      const page = (await locker.open(aVisit()))!;
      expect(await endOf(locker.outcome(page.lockerId))).toBe('open');
      await finishLocker(page.url, decision, PERSON, phone);
      return { locker, id: page.lockerId };
    }

    it('opens a page for a few minutes', async () => {
      const page = (await played().open(aVisit()))!;
      expect(page.url).toMatch(/^https:\/\/\S+\/locker\/\S+$/);
      const seconds = (page.expiresAt.getTime() - Date.now()) / 1_000;
      expect(seconds).toBeGreaterThan(300);
      expect(seconds).toBeLessThan(3_600);
    });

    it('opens a page without a redirection URL', async () => {
      expect(await endOf(played().open({ ...aVisit(), redirectUrl: null }))).toBe('opened');
    });

    it.each([
      ['once', '', 1],
      ['at each read', '!charge-each-read', 2],
    ])('returns the holder of the Aadhaar at every call, charged %s', async (_when, terms, charges) => {
      const account = { SETU_CLIENT_SECRET: `s${terms}`, CASHFREE_CLIENT_SECRET: `s${terms}` };
      const { locker, id } = await decided('allow', adapterOf(name, { ...sandboxSettings(), ...account }));
      const read = await locker.outcome(id);
      expect(read).toEqual({
        outcome: 'allowed',
        person: { name: 'ASHA KUMARI RAO', born: '1990-04-21' },
        reference: expect.any(String) as string,
        lastFour: expect.stringMatching(/^\d{4}$/) as string,
      });
      expect(await locker.outcome(id)).toEqual(read);
      if (provider) expect(await aadhaarReadsOf(provider, id)).toEqual({ reads: 2, charges });
    });

    it('returns the year of birth when the Aadhaar has no date', async () => {
      const { locker, id } = await decided('birth_year');
      expect(await locker.outcome(id)).toMatchObject({ outcome: 'allowed', person: { born: '1990' } });
    });

    it('returns the phone of the person', async () => {
      const { locker, id } = await decided('allow', played(), '919876543210');
      expect(await locker.outcome(id)).toMatchObject({ person: { phone: '919876543210' } });
    });

    it("returns another person's data", async () => {
      const { locker, id } = await decided('another_person');
      const read = await locker.outcome(id);
      expect(read).toMatchObject({ outcome: 'allowed', person: { born: '1990-04-21' } });
      expect(JSON.stringify(read)).not.toMatch(/ASHA/i);
    });

    it.each([
      ['deny', 'denied'],
      ['take_back', 'denied'],
      ['no_aadhaar', 'no-aadhaar'],
      ['expired', 'expired'],
    ] as const)('reports the outcome of a visit that ends with %s', async (decision, end) => {
      const { locker, id } = await decided(decision);
      expect(await endOf(locker.outcome(id))).toBe(end);
    });

    it('reports an unknown session as expired', async () => {
      expect(await endOf(played().outcome(randomUUID()))).toBe('expired');
    });
  });

  it('reads the documented answers', async () => {
    scripted.behaviour = answersJson(openStatus, opened);
    expect(await atScript().open(aVisit())).toMatchObject({ url: PAGE });
    scripted.behaviour = inTurn(
      scripted,
      allowed.map((answer) => answersJson(200, answer)),
    );
    expect(await atScript().outcome('s-1')).toMatchObject({
      outcome: 'allowed',
      person: { name: 'Asha Rao', born: '1990-04-21' },
      lastFour: '1234',
    });
  });

  it.each(FAULTS)(
    'reports the failure of each call when the provider %s',
    async (_what, behaviour, failure) => {
      scripted.behaviour = behaviour;
      expect(await endOf(atScript().open(aVisit()))).toBe(failure);
      expect(await endOf(atScript().outcome('s-1'))).toBe(failure);
      for (let call = 1; call < allowed.length; call++) {
        const before = allowed.slice(0, call).map((answer) => answersJson(200, answer));
        scripted.behaviour = inTurn(scripted, [...before, behaviour]);
        expect(await endOf(atScript().outcome('s-1'))).toBe(failure);
      }
    },
  );

  it('reports an open outcome when the provider is silent', async () => {
    scripted.behaviour = BEHAVIOURS.hangs;
    expect(await withDeadline(() => endOf(atScript().outcome('s-1')), timeLimit(400))).toBe('timeout');
  });

  it('reports that nothing was sent when the provider is unreachable', async () => {
    const gone = await ScriptedProvider.start();
    const nowhere = adapterOf(name, { ...sandboxSettings(), ...at(new URL(gone.url).origin) });
    await gone.stop();
    expect(await endOf(nowhere.open(aVisit()))).toBe('unavailable');
  });

  it.each(words)('never takes an unknown value for a verdict: call %i, %s', async (call, field) => {
    for (const word of ['SOMETHING_ELSE', '', 7.5, ['SUCCESS']]) {
      const answers = allowed.map((answer, at) => (at === call ? withField(answer, field, word) : answer));
      scripted.behaviour = inTurn(
        scripted,
        answers.map((answer) => answersJson(200, answer)),
      );
      expect(await endOf(atScript().outcome('s-1'))).toBe('malformed');
    }
  });
});

const setuError = (code: string) => ({ error: { code, detail: 'x', traceId: 't' } });
const cashfreeError = (code: string, type = 'validation_error') => ({ type, code, message: 'x' });

/** Answers about a visit in each vendor's format, to the first or the second call. */
const VERDICTS: readonly [
  name: Name,
  what: string,
  call: 0 | 1,
  answer: readonly [number, object],
  end: string,
][] = [
  ['setu', 'revoked', 0, [200, { status: 'revoked' }], 'denied'],
  ['setu', 'an expired request', 0, [404, setuError('request_not_found')], 'expired'],
  ['setu', 'a 404 of a gateway', 0, [404, { message: 'no route' }], 'malformed'],
  ['setu', 'a 404 of another code', 0, [404, setuError('not_found')], 'malformed'],
  ['setu', 'no Aadhaar linked', 1, [400, setuError('aadhaar_not_linked')], 'no-aadhaar'],
  ['setu', 'no Aadhaar available', 1, [404, setuError('aadhaar_not_available')], 'no-aadhaar'],
  ['setu', 'no consent', 1, [403, setuError('user_consent_not_given')], 'denied'],
  ['setu', 'not logged in yet', 1, [401, setuError('user_not_authenticated')], 'open'],
  ['setu', 'a refused key', 1, [401, setuError('unauthorised')], 'misconfigured'],
  ['setu', 'an unavailable source', 1, [500, setuError('upstream_server_error')], 'timeout'],
  ['setu', 'an unreadable file', 1, [400, setuError('get_xml_failed')], 'unavailable'],
  ['setu', 'an unusable file', 1, [400, setuError('unwrap_aadhaar_failed')], 'unavailable'],
  ['cashfree', 'an expired link', 0, [200, { status: 'EXPIRED' }], 'expired'],
  ['cashfree', 'denied', 0, [200, { status: 'CONSENT_DENIED' }], 'denied'],
  ['cashfree', 'an unknown id', 0, [404, cashfreeError('verification_id_value_invalid')], 'expired'],
  ['cashfree', 'a 404 of another code', 0, [404, cashfreeError('no_route', 'x')], 'malformed'],
  ['cashfree', 'no Aadhaar', 1, [200, { status: 'AADHAAR_NOT_LINKED' }], 'no-aadhaar'],
  ['cashfree', 'no consent', 1, [400, cashfreeError('consent_not_granted')], 'denied'],
  ['cashfree', 'an expired session', 1, [400, cashfreeError('session_expired')], 'expired'],
  ['cashfree', 'an empty wallet', 1, [422, cashfreeError('insufficient_balance')], 'misconfigured'],
  [
    'cashfree',
    'an unavailable source',
    1,
    [502, cashfreeError('api_error', 'internal_error')],
    'unavailable',
  ],
  [
    'cashfree',
    'no date and no year of birth',
    1,
    [200, { ...PROVIDERS.cashfree.allowed[1], dob: null, year_of_birth: null }],
    'malformed',
  ],
  [
    'cashfree',
    'only a year of birth, as a number',
    1,
    [200, { ...PROVIDERS.cashfree.allowed[1], dob: null }],
    'allowed',
  ],
  [
    'cashfree',
    'only a year of birth, as a text',
    1,
    [200, { ...PROVIDERS.cashfree.allowed[1], dob: null, year_of_birth: '1990' }],
    'allowed',
  ],
];

describe("outcomes in the vendors' formats", () => {
  it.each(VERDICTS)('reads from %s: %s (call %i)', async (name, _what, call, [status, body], end) => {
    const before = PROVIDERS[name].allowed.slice(0, call).map((answer) => answersJson(200, answer));
    scripted.behaviour = inTurn(scripted, [...before, answersJson(status, body)]);
    const adapter = adapterOf(name, { ...sandboxSettings(), ...PROVIDERS[name].at(origin()) });
    expect(await endOf(adapter.outcome('s-1'))).toBe(end);
  });
});

/** Where vendors report the phone in their first answer. */
const PHONES = [
  ['setu', 'digilockerUserDetails', 'phoneNumber'],
  ['cashfree', 'user_details', 'mobile'],
] as const;

describe.each(PHONES)('phone of the person at %s', (name, details, field) => {
  async function phoneIn(reported: unknown): Promise<string | undefined> {
    const [status, ...document] = PROVIDERS[name].allowed;
    scripted.behaviour = inTurn(
      scripted,
      [{ ...status, [details]: reported }, ...document].map((answer) => answersJson(200, answer)),
    );
    const adapter = adapterOf(name, { ...sandboxSettings(), ...PROVIDERS[name].at(origin()) });
    const read = await adapter.outcome('s-1');
    return read.outcome === 'allowed' ? read.person.phone : read.outcome;
  }

  it('gets the prefix 91', async () => {
    expect(await phoneIn({ [field]: '9876543210', name: 'Asha Rao' })).toBe('919876543210');
  });

  it.each([
    '',
    '987654321',
    '98765432101',
    '919876543210',
    'XXXXXX3210',
    '9876543210 ',
    9876543210,
    null,
    ['x'],
  ])('counts as missing, without an error, if it is %j', async (reported) => {
    expect(await phoneIn({ [field]: reported })).toBeUndefined();
  });

  it.each([null, 'x', [], {}])('counts as missing, without an error, in details %j', async (reported) => {
    expect(await phoneIn(reported)).toBeUndefined();
  });
});

/** The vendors' codes about one person, with their outcomes. */
const ABOUT_PERSONS: readonly [name: Name, error: (code: string) => object, codes: Record<string, string>][] =
  [
    [
      'setu',
      setuError,
      {
        aadhaar_not_available: 'no-aadhaar',
        aadhaar_not_linked: 'no-aadhaar',
        consent_not_given: 'denied',
        customer_detail_mismatch: 'another-person',
        invalid_grant: 'expired',
        invalid_token: 'expired',
        request_not_found: 'expired',
        token_revoked: 'denied',
        user_consent_not_given: 'denied',
        user_not_authenticated: 'open',
      },
    ],
    [
      'cashfree',
      (code) => cashfreeError(code, 'authentication_error'),
      {
        consent_not_granted: 'denied',
        session_expired: 'expired',
        url_expired: 'expired',
        user_detail_mismatch: 'another-person',
        verification_id_value_invalid: 'expired',
      },
    ],
  ];
const PERSONAL_REFUSALS = ABOUT_PERSONS.flatMap(([name, error, codes]) =>
  Object.entries(codes).flatMap(([code, end]) =>
    [400, 401, 403, 404, 422].map((status) => [name, status, code, error(code), end] as const),
  ),
);

describe('a refusal about a person', () => {
  it.each(PERSONAL_REFUSALS)('never refuses our key: %s, %i %s', async (name, status, _code, body, end) => {
    const { providers } = usersConfig(
      settings({ LOCKER_PROVIDERS: name, ...sandboxSettings(), ...PROVIDERS[name].at(origin()) }),
    );
    const registry = new Registry();
    const [adapter] = documentLockers(
      providers,
      new ProviderClients(providers, registry),
      new Clock(),
    ).inOrder;
    for (const call of [0, 1]) {
      const before = PROVIDERS[name].allowed.slice(0, call).map((answer) => answersJson(200, answer));
      scripted.behaviour = inTurn(scripted, [...before, answersJson(status, body)]);
      expect(await endOf(adapter!.outcome('s-1'))).toBe(end);
    }
    expect(await registry.metrics()).toContain(`provider_circuit_open{provider="${name}-locker"} 0`);
  });
});

describe('a used reference at Cashfree', () => {
  const opened = async (answer: readonly [number, object]): Promise<string> => {
    scripted.behaviour = answersJson(...answer);
    const adapter = adapterOf('cashfree', { ...sandboxSettings(), ...PROVIDERS.cashfree.at(origin()) });
    return endOf(adapter.open(aVisit()));
  };

  it.each(['verification_id_value_invalid', 'verification_id_already_exists', 'invalid_verification_id'])(
    'reports the link as lost by 409 %s',
    async (code) => {
      expect(await opened([409, cashfreeError(code)])).toBe('lost');
    },
  );

  it.each<[what: string, answer: readonly [number, object], end: string]>([
    ['the same code with 400', [400, cashfreeError('verification_id_value_invalid')], 'refused'],
    ['409 with another code', [409, cashfreeError('no_route', 'x')], 'malformed'],
    [
      '422 with a code of bank accounts, which a session does not have: its id is sent again',
      [422, cashfreeError('verification_already_under_process')],
      'refused',
    ],
  ])('does not report it as lost by %s', async (_what, answer, end) => {
    expect(await opened(answer)).toBe(end);
  });
});

/** Costs nothing: the sessions are never used. A test cannot play the person at a vendor's own sandbox. */
describe.each(
  (['setu', 'cashfree'] as const).flatMap((name) =>
    placesOf(name === 'setu' ? 'setu-locker' : name).map(
      ({ where, account }) => [name, where, account] as const,
    ),
  ),
)('document locker adapter %s at %s', (name, _where, account) => {
  const adapter = (changes: Environment = {}) =>
    adapterOf(name, { ...sandboxSettings(), ...account, ...changes });

  it(
    'opens a page for a few minutes, and reports it as open',
    async () => {
      const locker = adapter();
      const visit = aVisit();
      const { lockerId, url, expiresAt } = (await locker.open(visit))!;
      expect(url).toMatch(/^https:\/\/\S+$/);
      expect(expiresAt.getTime()).toBeGreaterThan(Date.now());
      expect(await endOf(locker.outcome(lockerId))).toBe('open');
    },
    LIVE_LIMIT_MS,
  );

  it(
    name === 'cashfree' ? 'refuses a known reference' : 'opens another page for a known reference',
    async () => {
      const visit = aVisit();
      expect(await endOf(adapter().open(visit))).toBe('opened');
      expect(await endOf(adapter().open(visit))).toBe(name === 'cashfree' ? 'lost' : 'opened');
    },
    LIVE_LIMIT_MS,
  );

  it(
    'reports an unknown session as expired',
    async () => {
      expect(await endOf(adapter().outcome(randomUUID()))).toBe('expired');
    },
    LIVE_LIMIT_MS,
  );

  it(
    'reports a refused key',
    async () => {
      const key = { [`${name.toUpperCase()}_CLIENT_SECRET`]: 'unknown!wrong-key' };
      expect(await endOf(adapter(key).open(aVisit()))).toBe('misconfigured');
    },
    LIVE_LIMIT_MS,
  );
});
