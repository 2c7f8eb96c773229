import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { timeLimit, withDeadline } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import { Clock, type Environment } from '@fd/platform';
import { Registry } from 'prom-client';
import { usersConfig } from '../../src/config/users-config.js';
import { ProviderClients } from '../../src/integrations/providers/provider-client.js';
import { hostedEkycs } from '../../src/kyc/ekyc/adapters/ekyc-adapters.js';
import type { HostedEkyc, HostedEkycState, OpenedPage } from '../../src/kyc/ekyc/ekyc-providers.port.js';
import { aadhaarReadsOf, effectsOf } from '../support/effects.js';
import { finishEkyc } from '../support/ekyc.js';
import { FAULTS, inTurn, withField } from '../support/provider-faults.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { answersJson, BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { providerSettings, settings, vendorSettings } from '../support/settings.js';
import { LIVE_LIMIT_MS, placesOf } from '../support/vendor-places.config.js';

/** A provider in this contract test, by its name in EKYC_PROVIDERS. */
interface Played {
  /** Returns the settings that reach the provider below a base URL. */
  readonly at: (base: string) => Environment;
  /** Its name in the sandbox's ledger. */
  readonly provider: string;
  readonly opened: object;
  readonly openStatus: number;
  /** Its documented answers about a verified person, call by call. */
  readonly verified: readonly [object, ...object[]];
  /** Fields of those answers with enumerated values or a fixed format. */
  readonly words: readonly (readonly [call: number, field: string])[];
  /** Its answer about an unknown request. */
  readonly nobodys: 'unknown' | 'created';
}

const LATER = '2999-01-01T00:00:00+05:30';
const PAGE = 'https://ekyc.example/r';

/** To test a new adapter, add an entry here and its answers to VERDICTS. */
const PROVIDERS: Readonly<Record<'hosted' | 'cashfree', Played>> = {
  hosted: {
    at: (base) => ({ EKYC_URL: base }),
    provider: 'ekyc',
    opened: { url: PAGE, state: 'created', expires_at: LATER },
    openStatus: 201,
    verified: [
      {
        state: 'verified',
        holder: { name: 'Asha Rao', date_of_birth: '1990-04-21', year_of_birth: '1990' },
      },
    ],
    words: [
      [0, 'state'],
      [0, 'holder.date_of_birth'],
    ],
    nobodys: 'unknown',
  },
  cashfree: {
    at: (base) => ({ CASHFREE_URL: base }),
    provider: 'cashfree',
    opened: { verification_id: 'v', reference_id: 7, form_link: PAGE, form_status: 'RECEIVED' },
    openStatus: 200,
    verified: [
      {
        name: 'John Doe',
        phone: 9_999_999_999,
        email: '',
        verification_id: 'v',
        reference_id: 235_461,
        link_expiry: '2999-01-01',
        form_link: PAGE,
        form_status: 'SUCCESS',
        verification_details: [
          { reference_id: 234, type: 'OFFLINE_AADHAAR_VERIFICATION', status: 'SUCCESS' },
        ],
      },
      {
        status: 'SUCCESS',
        reference_id: 234,
        uid: 'xxxxxxxx1234',
        name: 'Asha Rao',
        dob: '21-04-1990',
        photo_link: PAGE,
      },
    ],
    words: [
      [0, 'form_status'],
      [0, 'verification_details.0.type'],
      [0, 'verification_details.0.status'],
      [1, 'status'],
      [1, 'uid'],
      [1, 'dob'],
    ],
    // its 404 may mean an unused link
    nobodys: 'created',
  },
};
type Name = keyof typeof PROVIDERS;

/** Builds an adapter without the failure history of other tests. */
function adapterOf(name: Name, environment: Environment): HostedEkyc {
  const { providers } = usersConfig(settings({ EKYC_PROVIDERS: name, ...environment }));
  return hostedEkycs(providers, new ProviderClients(providers, new Registry()), new Clock()).inOrder[0]!;
}

const sandboxSettings = (): Environment => ({
  ...providerSettings(sandboxUrl()),
  ...vendorSettings(sandboxUrl()),
});

const PERSON = { name: 'Asha Kumari Rao', date_of_birth: '1990-04-21' };

const aVisit = () => ({
  reference: randomUUID(),
  redirectUrl: 'https://app.partner.example/back?step=2',
  expected: { name: PERSON.name, dateOfBirth: PERSON.date_of_birth },
  issuerCode: 'ARAVFIN',
  method: 'HOSTED' as const,
  phone: '919876543210',
});

/** Returns the end of a call: its state, `unknown` if there is none, or its failure. */
const endOf = (call: Promise<HostedEkycState | OpenedPage | undefined>): Promise<string> =>
  call.then(
    (answer) => (answer === undefined ? 'unknown' : 'state' in answer ? answer.state : 'opened'),
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

describe.each(Object.keys(PROVIDERS) as Name[])('hosted eKYC adapter: %s', (name) => {
  const { at, provider, opened, openStatus, verified, words, nobodys } = PROVIDERS[name];
  const atScript = () => adapterOf(name, { ...sandboxSettings(), ...at(origin()) });

  describe('at the sandbox', () => {
    const played = () => adapterOf(name, sandboxSettings());

    it('opens a page for half an hour, and returns the same page again', async () => {
      const adapter = played();
      const visit = aVisit();
      const page = (await adapter.open(visit))!;
      expect(page.url).toMatch(/^https:\/\/\S+\/ekyc\/\S+$/);
      const seconds = (page.expiresAt.getTime() - Date.now()) / 1_000;
      expect(seconds).toBeGreaterThan(300);
      expect(seconds).toBeLessThan(3_600);
      expect(await adapter.open(visit)).toMatchObject({ url: page.url });
      expect(await effectsOf(provider, visit.reference)).toHaveLength(1);
      expect(await endOf(adapter.state(visit.reference))).toBe('created');
    });

    it('opens a page without an expected person', async () => {
      expect(await endOf(played().open({ ...aVisit(), redirectUrl: null, expected: null }))).toBe('opened');
    });

    it.each([
      ['once', {}, 1],
      ['at each read', { CASHFREE_CLIENT_SECRET: 'secret!charge-each-read' }, 2],
    ])('returns the verified person at every call, charged %s', async (_when, terms, charges) => {
      const adapter = adapterOf(name, { ...sandboxSettings(), CASHFREE_CLIENT_SECRET: 'secret', ...terms });
      const { reference } = aVisit();
      await adapter.open({ ...aVisit(), reference });
      await finishEkyc(reference, 'verified', PERSON);
      for (let time = 0; time < 2; time++)
        expect(await adapter.state(reference)).toEqual({
          state: 'verified',
          person: { name: 'ASHA KUMARI RAO', born: '1990-04-21' },
        });
      expect(await aadhaarReadsOf(provider, reference)).toEqual(
        provider === 'cashfree' ? { reads: 2, charges } : { reads: 0, charges: 0 },
      );
    });

    it.each(['failed', 'expired'] as const)('reports the state of a page that ends as %s', async (end) => {
      const adapter = played();
      const visit = aVisit();
      await adapter.open(visit);
      await finishEkyc(visit.reference, end);
      expect(await endOf(adapter.state(visit.reference))).toBe(end);
    });

    it('reports no final state for a request that was never opened, except that it is unknown', async () => {
      expect(await endOf(played().state(randomUUID()))).toBe(nobodys);
    });

    it('closes an open page', async () => {
      const adapter = played();
      const visit = aVisit();
      await adapter.open(visit);
      await expect(adapter.close(visit.reference)).resolves.toBeUndefined();
    });
  });

  it('reads the documented answers', async () => {
    scripted.behaviour = answersJson(openStatus, opened);
    expect(await atScript().open(aVisit())).toMatchObject({ url: PAGE });
    scripted.behaviour = inTurn(
      scripted,
      verified.map((answer) => answersJson(200, answer)),
    );
    expect(await atScript().state('r-1')).toEqual({
      state: 'verified',
      person: { name: 'Asha Rao', born: '1990-04-21' },
    });
  });

  it.each(FAULTS)(
    'reports the failure of each call when the provider %s',
    async (_what, behaviour, failure) => {
      scripted.behaviour = behaviour;
      expect(await endOf(atScript().open(aVisit()))).toBe(failure);
      expect(await endOf(atScript().state('r-1'))).toBe(failure);
      for (let call = 1; call < verified.length; call++) {
        const before = verified.slice(0, call).map((answer) => answersJson(200, answer));
        scripted.behaviour = inTurn(scripted, [...before, behaviour]);
        expect(await endOf(atScript().state('r-1'))).toBe(failure);
      }
    },
  );

  it('reports an open outcome when the provider is silent', async () => {
    scripted.behaviour = BEHAVIOURS.hangs;
    expect(await withDeadline(() => endOf(atScript().state('r-1')), timeLimit(400))).toBe('timeout');
  });

  it('reports that nothing was sent when the provider is unreachable', async () => {
    const gone = await ScriptedProvider.start();
    const nowhere = adapterOf(name, { ...sandboxSettings(), ...at(new URL(gone.url).origin) });
    await gone.stop();
    expect(await endOf(nowhere.open(aVisit()))).toBe('unavailable');
  });

  it.each(words)('never takes an unknown value for a verdict: call %i, %s', async (call, field) => {
    for (const word of ['SOMETHING_ELSE', '', 7.5, ['SUCCESS']]) {
      const answers = verified.map((answer, at) => (at === call ? withField(answer, field, word) : answer));
      scripted.behaviour = inTurn(
        scripted,
        answers.map((answer) => answersJson(200, answer)),
      );
      expect(await endOf(atScript().state('r-1'))).toBe('malformed');
    }
  });
});

it.each([
  ['919876543210', '919876543210'],
  ['XXXXXXXX3210', undefined],
  ['9876543210', undefined],
  [919_876_543_210, undefined],
  [null, undefined],
])('reads the phone %j of a hosted eKYC as %j', async (phone, read) => {
  const [answer] = PROVIDERS.hosted.verified;
  scripted.behaviour = answersJson(200, withField(answer, 'holder.phone', phone));
  const outcome = await adapterOf('hosted', { ...sandboxSettings(), EKYC_URL: origin() }).state('r-1');
  expect(outcome).toMatchObject({ state: 'verified' });
  expect((outcome as { person: { phone?: string } }).person.phone).toBe(read);
});

const ownError = (type: string) => ({ error: { type, message: 'x' } });
const cashfreeError = (code: string, type = 'validation_error') => ({ type, code, message: 'x' });
const form = (changes: object) => ({ ...PROVIDERS.cashfree.verified[0], ...changes });
const aadhaar = (changes: object) => ({ ...PROVIDERS.cashfree.verified[1], ...changes });

/** Answers about a request in each provider's format, to the first or the second call. */
const VERDICTS: readonly (readonly [
  name: Name,
  what: string,
  call: 0 | 1,
  answer: readonly [number, object],
  end: string,
])[] = [
  ['hosted', 'an unknown request', 0, [404, ownError('not_found')], 'unknown'],
  ['hosted', 'a 404 of a gateway', 0, [404, ownError('no_route')], 'malformed'],
  ['hosted', 'a closed request', 0, [200, { state: 'closed' }], 'expired'],
  ['cashfree', 'an unused link', 0, [200, form({ form_status: 'RECEIVED' })], 'created'],
  ['cashfree', 'a link without details', 0, [200, { form_link: PAGE, form_status: 'RECEIVED' }], 'created'],
  ['cashfree', 'a link in use', 0, [200, form({ form_status: 'PENDING' })], 'opened'],
  ['cashfree', 'a failure', 0, [200, form({ form_status: 'FAILED' })], 'failed'],
  ['cashfree', 'a failure with the other code', 0, [200, form({ form_status: 'FAILURE' })], 'failed'],
  ['cashfree', 'an expired link', 0, [200, form({ form_status: 'EXPIRED' })], 'expired'],
  ['cashfree', 'an unknown id', 0, [404, cashfreeError('Resource not found', 'not_found_error')], 'created'],
  [
    'cashfree',
    'an unknown id with the other code',
    0,
    [404, cashfreeError('verification_id_not_found')],
    'created',
  ],
  ['cashfree', 'a 404 of another code', 0, [404, cashfreeError('no_route', 'x')], 'malformed'],
  ['cashfree', 'an empty wallet', 0, [422, cashfreeError('insufficient_balance')], 'misconfigured'],
  [
    'cashfree',
    'a success without an Aadhaar check',
    0,
    [
      200,
      form({
        verification_details: [{ reference_id: 1, type: 'PANDETAILS_VERIFICATION', status: 'SUCCESS' }],
      }),
    ],
    'malformed',
  ],
  [
    'cashfree',
    'a success whose Aadhaar failed',
    0,
    [
      200,
      form({
        verification_details: [{ reference_id: 1, type: 'OFFLINE_AADHAAR_VERIFICATION', status: 'FAILED' }],
      }),
    ],
    'malformed',
  ],
  ['cashfree', 'a success without an Aadhaar', 1, [200, { status: 'AADHAAR_NOT_LINKED' }], 'malformed'],
  ['cashfree', 'a success without consent', 1, [400, cashfreeError('consent_not_granted')], 'malformed'],
  ...[401, 403].map(
    (status) =>
      [
        'cashfree',
        `an ended session (${status})`,
        1,
        [status, cashfreeError('session_expired')],
        'malformed',
      ] as const,
  ),
  [
    'cashfree',
    'an unavailable source',
    1,
    [502, cashfreeError('api_error', 'internal_error')],
    'unavailable',
  ],
  ['cashfree', 'no date and no year of birth', 1, [200, aadhaar({ dob: null })], 'malformed'],
  ['cashfree', 'a day that does not exist', 1, [200, aadhaar({ dob: '31-02-1990' })], 'malformed'],
  ['cashfree', 'only a year of birth', 1, [200, aadhaar({ dob: null, year_of_birth: 1990 })], 'verified'],
];

describe("states in the providers' formats", () => {
  it.each(VERDICTS)('reads a state of %s: %s (call %i)', async (name, _what, call, [status, body], end) => {
    const before = PROVIDERS[name].verified.slice(0, call).map((answer) => answersJson(200, answer));
    scripted.behaviour = inTurn(scripted, [...before, answersJson(status, body)]);
    const adapter = adapterOf(name, { ...sandboxSettings(), ...PROVIDERS[name].at(origin()) });
    expect(await endOf(adapter.state('r-1'))).toBe(end);
  });

  it('sends Cashfree only the phone, and sets an expiry of the link', async () => {
    scripted.behaviour = answersJson(200, PROVIDERS.cashfree.opened);
    const adapter = adapterOf('cashfree', {
      ...sandboxSettings(),
      CASHFREE_URL: origin(),
      CASHFREE_KYC_TEMPLATE: 'deposits',
    });
    const visit = aVisit();
    await adapter.open(visit);
    const { body } = scripted.calls.at(-1)!;
    expect(body).toEqual({
      verification_id: visit.reference,
      phone: '9876543210',
      template_name: 'deposits',
      link_expiry: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
    });
    const hours = (Date.parse(`${body['link_expiry'] as string}T23:59:59+05:30`) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThan(49);
  });

  it.each([
    ['a template', cashfreeError('Bad request, please check API documentation')],
    ['a date', cashfreeError('REQUEST_INVALID')],
  ])('reports that Cashfree refuses %s', async (_what, body) => {
    scripted.behaviour = answersJson(400, body);
    const adapter = adapterOf('cashfree', { ...sandboxSettings(), CASHFREE_URL: origin() });
    expect(await endOf(adapter.open(aVisit()))).toBe('refused');
  });

  it('reports a lost link when Cashfree refuses a reference as used and does not know it', async () => {
    scripted.behaviour = inTurn(scripted, [
      answersJson(409, cashfreeError('verification_id_already_exists')),
      answersJson(404, cashfreeError('Resource not found', 'not_found_error')),
    ]);
    const adapter = adapterOf('cashfree', { ...sandboxSettings(), CASHFREE_URL: origin() });
    expect(await endOf(adapter.open(aVisit()))).toBe('unknown');
  });
});

/** Costs nothing: the links are never used. A test cannot play the person at the vendor's own sandbox. */
describe.each(placesOf('cashfree'))('hosted eKYC adapter cashfree at $where', ({ account }) => {
  const adapter = (changes: Environment = {}) =>
    adapterOf('cashfree', { ...sandboxSettings(), ...account, ...changes });
  const visit = () => ({ ...aVisit(), phone: '919999999999' });

  it(
    'opens a page and finds it again',
    async () => {
      const given = visit();
      const { url } = (await adapter().open(given))!;
      expect(await endOf(adapter().state(given.reference))).toBe('created');
      expect(await adapter().open(given)).toMatchObject({ url });
    },
    LIVE_LIMIT_MS,
  );

  it(
    'reports a request that was never opened as unused',
    async () => {
      expect(await endOf(adapter().state(randomUUID()))).toBe('created');
    },
    LIVE_LIMIT_MS,
  );

  it(
    'reports a refused key',
    async () => {
      const key = { CASHFREE_CLIENT_SECRET: 'unknown!wrong-key' };
      expect(await endOf(adapter(key).open(visit()))).toBe('misconfigured');
    },
    LIVE_LIMIT_MS,
  );
});
