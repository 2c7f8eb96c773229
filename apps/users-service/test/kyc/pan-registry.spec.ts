import type { PanPendingPayload } from '@fd/contracts';
import { GeneralErrors, PanErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel } from '@fd/testing';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { effectsOf } from '../support/effects.js';
import { as, logIn } from '../support/login.js';
import { aPan, getPan, panBody, postPan, verifyPan } from '../support/pan.js';
import { answersJson, BEHAVIOURS, type Behaviour, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';
import { withProvider } from '../support/with-own.js';

const REQUEST_ID = '0198c0de-1a2b-7c3d-8e4f-00000000000a';

const lookupsOf = (service: TestService, userId: string): Promise<unknown[]> =>
  service.dataSource.query('SELECT 1 FROM onboarding.pan_lookups WHERE user_id = $1', [userId]);

const valid = {
  reference: 'r-1',
  status: 'VALID',
  name: { full: 'ASHA RAO', first: 'ASHA', middle: null, last: 'RAO' },
  father_name: 'GOPAL RAO',
  date_of_birth_match: true,
  aadhaar_link: 'LINKED',
};

/** Lets a hanging registry fail within the request. */
const HASTY = { PAN_LOOKUP_TIMEOUT_MS: '100' };

describe('POST /api/v1/pan-verification with a failing PAN registry', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it.concurrent.each([
    ['is down', '0503'],
    ['hangs', '0504'],
    ['is broken', '0500'],
    ['answers a web page', '0502'],
  ])(
    'answers 503 with Retry-After when the PAN registry %s, counts the look-up, and accepts the next PAN',
    async (_name, digits) => {
      const user = await logIn(service);
      const { api: at } = digits === '0504' ? await service.replica(HASTY) : service;
      const response = await postPan(as(at, user), panBody(aPan({ digits })));
      expectRefusal(response, PanErrors.registryUnavailable);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      expect(await lookupsOf(service, user.user_id)).toHaveLength(1);
      const { PAN } = await service.app.get(JourneyRepository).statesOf(user.user_id);
      expect(PAN).toEqual({ state: 'FAILED', reason: PanErrors.registryUnavailable.code });
      await verifyPan(as(service.api, user));
    },
  );
});

const settingsOf = (url: string) => ({
  PAN_REGISTRY_URL: url,
  PAN_REGISTRY_API_KEY: 'the-key',
});

// each test has a service of its own, since the circuit breaker remembers failures
describe('POST /api/v1/pan-verification with a PAN registry that fails or refuses', () => {
  const unusable: Record<string, Behaviour> = {
    answersEmptyObject: answersJson(200, {}),
    answersAnotherStatus: answersJson(200, { ...valid, status: 'DECEASED' }),
    answersNoName: answersJson(200, { ...valid, name: null }),
    answersBlankName: answersJson(200, { ...valid, name: { ...valid.name, full: ' ' } }),
    answersHugeName: answersJson(200, { ...valid, name: { ...valid.name, full: 'A'.repeat(300) } }),
    answersNoMatch: answersJson(200, { ...valid, date_of_birth_match: 'yes' }),
    answersAnotherLink: answersJson(200, { ...valid, aadhaar_link: 'MAYBE' }),
    answersPageNotFound: answersJson(404, { message: 'no such page' }),
    answersCreated: answersJson(201, valid),
  };

  /** A refused key opens the circuit at once, and a throttled call delays the next ones. */
  const { rejectsKey, throttles, ...misbehaves } = BEHAVIOURS;

  // fewer faults in each row than open the circuit breaker
  it.concurrent.each<[string, Record<string, Behaviour>]>([
    ['breaks the HTTP exchange', misbehaves],
    ['answers something unusable', unusable],
  ])(
    'answers 503 when the PAN registry %s, asks once, stores nothing and counts the look-up',
    withProvider(
      settingsOf,
      async ({ service, provider: registry }, _name: string, faults: Record<string, Behaviour>) => {
        const hasty = await service.replica(HASTY);
        for (const [name, behaviour] of Object.entries(faults)) {
          const user = await logIn(service);
          registry.behaviour = behaviour;
          const { api } = name === 'hangs' || name === 'drips' ? hasty : service;
          const response = await postPan(as(api, user));
          expect({ name, status: response.status }).toEqual({ name, status: 503 });
          expectRefusal(response, PanErrors.registryUnavailable);
          const counted = (await lookupsOf(service, user.user_id)).length;
          expect({ name, counted }).toEqual({ name, counted: 1 });
        }
        expect(registry.calls).toHaveLength(Object.keys(faults).length);
        expect(await service.dataSource.query('SELECT 1 FROM onboarding.identities')).toEqual([]);
      },
    ),
  );

  it.concurrent.each<[string, Behaviour]>([
    ['refuses', BEHAVIOURS.refuses],
    ['answers 503 to', answersJson(503, {})],
  ])(
    'refuses the eleventh look-up of a user whose PANs the registry %s',
    withProvider(settingsOf, async ({ service, provider: registry }, _what: string, behaviour: Behaviour) => {
      registry.behaviour = behaviour;
      const user = await logIn(service);
      const api = as(service.api, user);
      for (let i = 0; i < 10; i++) expectRefusal(await postPan(api), PanErrors.registryUnavailable);
      expectRefusal(await postPan(api), PanErrors.tooManyLookups);
      expect(registry.calls).toHaveLength(10);
    }),
  );

  it.concurrent(
    'asks for other users soon after the PAN registry has throttled, and counts no throttled look-up',
    withProvider(settingsOf, async ({ service, provider: registry }) => {
      registry.behaviour = throttles;
      const users = await inParallel(25, () => logIn(service));
      const answers = await Promise.all(users.map((user) => postPan(as(service.api, user))));
      for (const answer of answers) expectRefusal(answer, PanErrors.registryUnavailable);
      registry.behaviour = answersJson(200, valid);
      const lookups = await Promise.all(users.map(({ user_id }) => lookupsOf(service, user_id)));
      expect(lookups.flat()).toEqual([]);
      // a circuit would be open for 15 seconds
      const api = as(service.api, users[0]!);
      await eventually(() => verifyPan(api), 5_000);
    }),
  );

  it.concurrent.each<[string, Behaviour]>([
    ['key', rejectsKey],
    ['address', answersJson(403, {})],
  ])(
    'asks once while the PAN registry refuses our %s, and counts no look-up',
    withProvider(settingsOf, async ({ service, provider: registry }, _what: string, behaviour: Behaviour) => {
      registry.behaviour = behaviour;
      const users = await inParallel(3, () => logIn(service));
      for (const user of users)
        expectRefusal(await postPan(as(service.api, user)), PanErrors.registryUnavailable);
      expect(registry.calls).toHaveLength(1);
      for (const { user_id } of users) expect(await lookupsOf(service, user_id)).toEqual([]);
    }),
  );

  it.concurrent(
    'answers 503 when the PAN registry cannot be reached, and counts no look-up',
    withProvider(settingsOf, async ({ service }) => {
      const away = await service.replica({ PAN_REGISTRY_URL: 'http://127.0.0.1:1' });
      const user = await logIn(service);
      expectRefusal(await postPan(as(away.api, user)), PanErrors.registryUnavailable);
      expect(await lookupsOf(service, user.user_id)).toEqual([]);
    }),
  );

  it.concurrent(
    'refuses the eleventh look-up of a user in a day although the slow registry answered none',
    withProvider(settingsOf, async ({ service, provider: registry }) => {
      const hasty = await service.replica(HASTY);
      const user = await logIn(service);
      registry.behaviour = BEHAVIOURS.hangs;
      for (let i = 0; i < 10; i++)
        expectRefusal(await postPan(as(hasty.api, user)), PanErrors.registryUnavailable);
      expectRefusal(await postPan(as(hasty.api, user)), PanErrors.tooManyLookups);
      expect(registry.calls).toHaveLength(10);
    }),
  );

  it.concurrent(
    'stops asking the PAN registry after 20 failures, and counts no skipped look-up',
    withProvider(settingsOf, async ({ service, provider: registry }) => {
      registry.behaviour = BEHAVIOURS.fails;
      const users = await inParallel(26, () => logIn(service));
      // twenty at once, since a circuit forgets after ten seconds
      for (const wave of [users.slice(0, 20), users.slice(20)])
        for (const refused of await Promise.all(wave.map((user) => postPan(as(service.api, user)))))
          expectRefusal(refused, PanErrors.registryUnavailable);
      expect(registry.calls.length).toBeLessThan(26);
      const lookups = await Promise.all(users.map(({ user_id }) => lookupsOf(service, user_id)));
      expect(lookups.flat()).toHaveLength(registry.calls.length);
    }),
  );
});

describe('POST /api/v1/pan-verification with a scripted PAN registry', () => {
  let service: TestService;
  let registry: ScriptedProvider;
  beforeAll(async () => {
    registry = await ScriptedProvider.start();
    service = await startService(settingsOf(registry.url));
  });
  beforeEach(() => {
    registry.calls.length = 0;
  });
  afterAll(async () => {
    await service.close();
    await registry.stop();
  });

  it('sends the PAN registry the PAN, the date of birth and the consent, and nothing else', async () => {
    registry.behaviour = answersJson(200, valid);
    const user = await logIn(service);
    const number = aPan();
    await as(service.api, user).post('/api/v1/pan-verification', panBody(number), {
      headers: { 'x-request-id': REQUEST_ID },
    });
    expect(registry.calls).toHaveLength(1);
    const { headers, body } = registry.calls[0]!;
    expect(headers).toMatchObject({ authorization: 'Bearer the-key', 'x-request-id': REQUEST_ID });
    expect(body).toEqual({
      pan: number,
      date_of_birth: '1990-04-21',
      consent: { given: true, purpose: 'PAN_VERIFICATION' },
    });
  });

  it.each([
    [
      'without a middle and a last name',
      { name: { full: 'MADHU', first: 'MADHU', middle: null, last: null } },
    ],
    ['with blank middle and last names', { name: { full: 'MADHU', first: 'MADHU', middle: '', last: ' ' } }],
    ['with middle and last names left out', { name: { full: 'MADHU', first: 'MADHU' } }],
  ])('accepts a PAN holder %s', async (_name, difference) => {
    registry.behaviour = answersJson(200, { ...valid, ...difference, aadhaar_link: 'NOT_APPLICABLE' });
    expect(await verifyPan(as(service.api, await logIn(service)))).toMatchObject({
      full_name: 'MADHU',
      first_name: 'MADHU',
      middle_name: null,
      last_name: null,
      father_name: 'GOPAL RAO',
      aadhaar_seeding_status: 'NA',
    });
  });

  it('accepts a PAN holder whose father the registry does not know', async () => {
    registry.behaviour = answersJson(200, { ...valid, father_name: null });
    const { father_name } = await verifyPan(as(service.api, await logIn(service)));
    expect(father_name).toBeNull();
  });
});

describe('database failure after the PAN look-up', () => {
  it('keeps the look-up counted, and succeeds in a repeat', async () => {
    const service = await startService();
    const user = await logIn(service);
    const api = as(service.api, user);
    const body = panBody();
    await service.dataSource.query(
      'ALTER TABLE onboarding.identities ADD CONSTRAINT ck_test CHECK (false) NOT VALID',
    );
    expectRefusal(await postPan(api, body), GeneralErrors.internal);
    await service.dataSource.query('ALTER TABLE onboarding.identities DROP CONSTRAINT ck_test');
    await verifyPan(api, body);
    expect(await effectsOf('pan', body.number)).toHaveLength(2);
    expect(await lookupsOf(service, user.user_id)).toHaveLength(2);
    await service.close();
  });
});

describe('POST /api/v1/pan-verification with a PAN registry slower than a request waits', () => {
  it(
    'answers 202, and returns the result to a poll',
    withProvider(
      (url) => ({ PAN_REGISTRY_URL: url, PAN_REGISTRY_API_KEY: 'the-key' }),
      async ({ service, provider }) => {
        const held: (() => void)[] = [];
        provider.behaviour = (response) => void held.push(() => answersJson(200, valid)(response));
        const api = as(service.api, await logIn(service));
        const body = panBody();
        // a repeat joins the same check
        const pending = await eventually(async () => {
          const answer = await postPan(api, body);
          expect(answer.status).toBe(202);
          return answer;
        });
        held[0]!();
        const { verification_id: id } = (pending.body as { payload: PanPendingPayload }).payload;
        await eventually(async () => expect((await getPan(api, id)).status).toBe(200));
      },
    ),
  );
});
