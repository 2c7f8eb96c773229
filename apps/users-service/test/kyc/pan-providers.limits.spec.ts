import type { ConsentsPayload, PanPendingPayload, PanVerificationPayload } from '@fd/contracts';
import { ConsentErrors, type ErrorDefinition, GeneralErrors, PanErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import type { Response } from 'supertest';
import { v7 as uuidv7 } from 'uuid';
import { DurableCalls } from '../../src/core/index.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { PanService } from '../../src/kyc/pan/pan.service.js';
import { shortOf, trailOf } from '../support/audit.js';
import { as, logIn } from '../support/login.js';
import { runCalls, runUsers, WHO } from '../support/operator.js';
import { byCall, holderOf, kindsOf, lookupsOf, vendors, WALLET_EMPTY } from '../support/pan-vendors.js';
import { aPan, getPan, PAN_PATH, panBody, postPan, verifyPan } from '../support/pan.js';
import { answersJson, type Behaviour, BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';
import { withProvider } from '../support/with-own.js';

describe('POST /api/v1/pan-verification over real vendors', () => {
  let cashfree: ScriptedProvider;
  beforeAll(async () => {
    cashfree = await ScriptedProvider.start();
  });
  afterAll(() => cashfree.stop());

  /** A check whose process dies after the first of two paid calls: nobody answers its second one, and its lease is over. */
  async function interruptedCheck() {
    const body = panBody();
    const held: (() => void)[] = [];
    cashfree.behaviour = byCall(
      cashfree,
      holderOf(body.number),
      (response) => void held.push(() => WALLET_EMPTY(response)),
    );
    const own = await startService(
      vendors({ PAN_PROVIDERS: 'cashfree', CASHFREE_URL: new URL(cashfree.url).origin }),
    );
    const user = await logIn(own);
    const pending = await postPan(as(own.api, user), body);
    expect(pending.status).toBe(202);
    const { verification_id: id } = (pending.body as { payload: { verification_id: string } }).payload;
    const expire = () =>
      own.dataSource.query(
        "UPDATE onboarding.pan_checks SET leased_until = now() - interval '1 second', next_try_at = now() WHERE id = $1",
        [id],
      );
    const end = async () => {
      held.forEach((answer) => answer());
      await own.close();
    };
    return { own, user, id, number: body.number, expire, end };
  }

  it('uses up no try of the user when our wallet is empty after a process died between the two calls', async () => {
    const { own, user, id, expire, end } = await interruptedCheck();
    cashfree.behaviour = WALLET_EMPTY;
    await expire();
    await eventually(async () =>
      expectRefusal(await getPan(as(own.api, user), id), PanErrors.registryUnavailable),
    );
    expect(await lookupsOf(own, user.user_id)).toEqual([]);
    await end();
  });

  it('ends a check after its paid call, and asks no other provider, when the settings name its own no longer', async () => {
    const { own, user, id, number, expire, end } = await interruptedCheck();
    await own.app.get(Jobs).beforeApplicationShutdown();
    const replica = await own.replica(vendors({ PAN_PROVIDERS: 'setu' }));
    await expire();
    await eventually(async () =>
      expectRefusal(await getPan(as(replica.api, user), id), PanErrors.registryUnavailable),
    );
    expect(await kindsOf('setu', number)).toEqual([]);
    expect(await lookupsOf(own, user.user_id)).toHaveLength(1);
    await end();
  });
});

/** The time of each answer: two of them take longer than one call may. */
const ANSWER_MS = 3_500;
const CALL_LIMIT = { PAN_LOOKUP_TIMEOUT_MS: '5000' };

describe('PAN look-ups over slow vendors', () => {
  it.concurrent(
    'verifies by both of two paid calls, each within its own limit',
    withProvider(
      (url) => vendors({ ...CALL_LIMIT, PAN_PROVIDERS: 'cashfree', CASHFREE_URL: new URL(url).origin }),
      async ({ service, provider: cashfree }) => {
        const body = panBody();
        const answers: Readonly<Record<string, Behaviour>> = {
          '/pan': holderOf(body.number),
          '/pan-lite': answersJson(200, { pan_status: 'E', name_match: 'Y', dob_match: 'Y' }),
        };
        cashfree.behaviour = (response) => {
          const answer = answers[cashfree.calls.at(-1)!.path]!;
          setTimeout(() => answer(response), ANSWER_MS);
        };
        const me = as(service.api, await logIn(service));
        const pending = await postPan(me, body);
        expect(pending.status).toBe(202);
        const { verification_id: id } = (pending.body as { payload: { verification_id: string } }).payload;
        await eventually(async () => {
          const { status } = await getPan(me, id);
          // a refusal would end the check
          expect(status).not.toBe(503);
          expect(status).toBe(200);
        }, 15_000);
        expect(cashfree.calls.map(({ path }) => path)).toEqual(['/pan', '/pan-lite']);
      },
    ),
  );

  it.concurrent(
    'gives the second vendor the whole limit when the first says slowly that it did nothing',
    withProvider(
      (url) => vendors({ ...CALL_LIMIT, CASHFREE_URL: new URL(url).origin, SETU_URL: new URL(url).origin }),
      async ({ service, provider }) => {
        provider.behaviour = (response) => {
          const isCashfree = provider.calls.at(-1)!.path === '/pan';
          const data = { full_name: 'ASHA RAO', category: 'Individual' };
          const answer = isCashfree
            ? answersJson(503, {})
            : answersJson(200, { verification: 'success', data });
          setTimeout(() => answer(response), ANSWER_MS);
        };
        const me = as(service.api, await logIn(service));
        const pending = await postPan(me, panBody());
        const { verification_id: id } = (pending.body as { payload: { verification_id: string } }).payload;
        await eventually(async () => expect((await getPan(me, id)).status).toBe(200), 15_000);
      },
    ),
  );
});

describe.each([
  ['cashfree', 'setu'],
  ['setu', 'cashfree'],
] as const)('payments for a PAN over %s before %s', (vendor, other) => {
  const order = { PAN_PROVIDERS: `${vendor},${other}`, PAN_LOOKUP_TIMEOUT_MS: '1000' };
  let service: TestService;
  beforeAll(async () => {
    service = await startService(vendors(order));
  });
  afterAll(() => service.close());

  it('pays once when the answer comes too late, and not again in the background', async () => {
    const user = await logIn(service);
    const number = aPan({ digits: '0202' });
    expectRefusal(await postPan(as(service.api, user), panBody(number)), PanErrors.registryUnavailable);
    const { app } = service;
    await app.get(DurableCalls).advanceDue(app.get(PanService));
    expect([await kindsOf(vendor, number), await kindsOf(other, number)]).toEqual([['pan'], []]);
    expect(await lookupsOf(service, user.user_id)).toHaveLength(1);
  });
});

const valid = {
  reference: 'r-1',
  status: 'VALID',
  name: { full: 'ASHA RAO', first: 'ASHA', middle: null, last: 'RAO' },
  father_name: 'GOPAL RAO',
  date_of_birth_match: true,
  aadhaar_link: 'LINKED',
};

const payloadOf = (response: Response) =>
  (response.body as { payload: PanPendingPayload | PanVerificationPayload }).payload;
const idOf = (response: Response): string => payloadOf(response).verification_id;

describe('PAN registry slower than a request may take', () => {
  /** What a test sees of a service, and of the registry: the calls about its own PANs, whose answers it releases. */
  class Scene {
    private readonly pans = new Set<string>();

    constructor(
      readonly service: TestService,
      private readonly provider: ScriptedProvider,
    ) {}

    readonly registry = {
      behaviour: BEHAVIOURS.fails,
      calls: (): object[] => this.provider.calls.filter(({ body }) => this.asks(body)),
    };

    asks(body: Record<string, unknown>): boolean {
      return this.pans.has(String(body['pan']));
    }

    readonly panBody = (): ReturnType<typeof panBody> => {
      const body = panBody();
      this.pans.add(body.number);
      return body;
    };

    readonly held: (() => void)[] = [];

    /** Holds the registry's answers until the test releases them. */
    readonly hold = (behaviour: Behaviour): void => {
      this.registry.behaviour = (response) => void this.held.push(() => behaviour(response));
    };
    readonly release = (): void => this.held.splice(0).forEach((answer) => answer());

    readonly aUser = async (on: UsersApp = this.service) => {
      const user = await logIn(this.service);
      return { ...user, api: as(on.api, user) };
    };
    readonly stepOf = async (userId: string) =>
      (await this.service.app.get(JourneyRepository).statesOf(userId)).PAN;
    readonly lookupsOf = async (userId: string): Promise<number> =>
      (await this.query('SELECT FROM onboarding.pan_lookups WHERE user_id = $1', userId)).length;
    readonly rowOf = async (id: string) =>
      (await this.query('SELECT * FROM onboarding.pan_checks WHERE id = $1', id))[0]!;
    /** Expires the lease of a check, as if the process of the look-up had died. */
    readonly loseLease = (id: string): Promise<unknown> =>
      this.query(
        `UPDATE onboarding.pan_checks SET leased_until = now() - interval '1 second', next_try_at = now() WHERE id = $1`,
        id,
      );

    private query(sql: string, id: string): Promise<Record<string, unknown>[]> {
      return this.service.dataSource.query(sql, [id]);
    }
  }
  const scenes: Scene[] = [];
  const sceneOf = (service: TestService, provider: ScriptedProvider): Scene => {
    const scene = new Scene(service, provider);
    scenes.push(scene);
    provider.behaviour = (response) => {
      const { body } = provider.calls.at(-1)!;
      scenes.find((found) => found.asks(body))!.registry.behaviour(response);
    };
    return scene;
  };

  let service: TestService;
  let provider: ScriptedProvider;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    service = await startService({ PAN_REGISTRY_URL: provider.url });
  });
  afterAll(async () => {
    await service.close();
    await provider.stop();
  });

  type Test<Case extends unknown[]> = (scene: Scene, ...of: Case) => Promise<void>;
  const inScene =
    <Case extends unknown[]>(test: Test<Case>) =>
    async (...of: Case): Promise<void> => {
      const scene = sceneOf(service, provider);
      try {
        await test(scene, ...of);
      } finally {
        scene.release();
      }
    };
  /** For failures of the registry, which its service remembers. */
  const inOwnScene = <Case extends unknown[]>(test: Test<Case>) =>
    withProvider<Case>(
      (url) => ({ PAN_REGISTRY_URL: url }),
      (own, ...of) => test(sceneOf(own.service, own.provider), ...of),
    );
  const expectPending = (response: Response): string => {
    expect(response.status).toBe(202);
    expect(response.headers['retry-after']).toBe('2');
    expect(response.body).toEqual({
      success: 1,
      statusCode: 202,
      message: PanErrors.pending.message,
      payload: {
        is_pan_verified: false,
        verification_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        pending_code: PanErrors.pending.code,
      },
    });
    return idOf(response);
  };
  const pendingAt = async (api: ApiClient, body: object): Promise<string> =>
    expectPending(await postPan(api, body));

  // the longest first: Jest runs five at a time
  it.concurrent('verifies the slow PAN of the sandbox after five seconds', async () => {
    const service = await startService();
    const api = as(service.api, await logIn(service));
    const response = await postPan(api, panBody(aPan({ digits: '0202' })));
    expect(response.status).toBe(202);
    await eventually(async () => expect((await getPan(api, idOf(response))).status).toBe(200), 10_000);
    await service.close();
  });

  it.concurrent(
    'fails a check that the registry never answers, and counts it',
    inScene(async ({ service, registry, aUser, stepOf, lookupsOf, panBody }) => {
      registry.behaviour = BEHAVIOURS.hangs;
      const replica = await service.replica({ PAN_LOOKUP_TIMEOUT_MS: '2500' });
      const { api, user_id } = await aUser(replica);
      const id = await pendingAt(api, panBody());
      await eventually(async () => expect((await getPan(api, id)).status).toBe(503));
      expectRefusal(await getPan(api, id), PanErrors.registryUnavailable);
      expect(await stepOf(user_id)).toEqual({ state: 'FAILED', reason: PanErrors.registryUnavailable.code });
      expect([registry.calls().length, await lookupsOf(user_id)]).toEqual([1, 1]);
    }),
  );

  it.concurrent(
    'ends a check of a dead replica as withdrawn after its consent was withdrawn',
    inScene(async ({ registry, hold, aUser, rowOf, loseLease, panBody }) => {
      hold(answersJson(200, valid));
      const { api } = await aUser();
      const id = await pendingAt(api, panBody());
      const { body } = await api.get('/api/v1/consents');
      for (const { consent_id } of (body as { payload: ConsentsPayload }).payload.consents)
        await api.post(`/api/v1/consents/${consent_id}/withdraw`, {});
      await loseLease(id);
      await eventually(async () => expectRefusal(await getPan(api, id), ConsentErrors.withdrawn));
      expect(registry.calls()).toHaveLength(1);
      expect(await rowOf(id)).toMatchObject({ state: 'REFUSED', claim_encrypted: null });
    }),
  );

  // not concurrent, since it measures time
  it(
    'answers 202 within two seconds, continues without the client, and returns the result to a poll',
    inScene(async ({ service, registry, hold, release, aUser, stepOf, lookupsOf, rowOf, panBody }) => {
      hold(answersJson(200, valid));
      const { api, user_id } = await aUser();
      const body = panBody();
      const begun = performance.now();
      let asked = begun;
      const post = () => {
        asked = performance.now();
        return postPan(api, body);
      };
      const id = expectPending(await post());
      expect(performance.now() - begun).toBeGreaterThan(1_400);
      expect(performance.now() - asked).toBeLessThan(2_000);
      expect(expectPending(await getPan(api, id))).toBe(id);
      expect(await stepOf(user_id)).toEqual({ state: 'IN_PROGRESS', reason: PanErrors.pending.code });
      const stored = JSON.stringify(await rowOf(id));
      for (const secret of [body.number, body.dob]) expect(stored).not.toContain(secret);
      release();
      await eventually(async () => expect((await getPan(api, id)).status).toBe(200));
      const polled = await getPan(api, id);
      expect(polled.body).toMatchObject({ statusCode: 200, message: 'PAN verified' });
      expect(payloadOf(polled)).toMatchObject({
        is_pan_verified: true,
        verification_id: id,
        full_name: 'ASHA RAO',
      });
      expect(payloadOf(await postPan(api, body))).toEqual(payloadOf(polled));
      expect(await stepOf(user_id)).toEqual({ state: 'DONE', reason: null });
      expect(registry.calls()).toHaveLength(1);
      expect(await lookupsOf(user_id)).toBe(1);
      expect(await rowOf(id)).toMatchObject({ state: 'VERIFIED', claim_index: null, claim_encrypted: null });
      const trail = (await trailOf(service, user_id)).map(shortOf);
      expect(trail.filter((entry) => /PAN_VERIFIED/.test(entry)).length).toBeGreaterThan(0);
      const order = ['PAN_SENT_TO_REGISTRY', 'PAN_CHECK_AWAITED', 'PAN_VERIFIED'];
      expect(order.map((action) => trail.findIndex((entry) => entry.startsWith(action)))).toEqual(
        [...order.map((action) => trail.findIndex((entry) => entry.startsWith(action)))].sort(
          (a, b) => a - b,
        ),
      );
    }),
  );

  const reports: Test<[string, Behaviour, ErrorDefinition, number]> = async (
    { registry, hold, release, aUser, stepOf, lookupsOf, rowOf, panBody },
    _name,
    behaviour,
    error,
    counted,
  ) => {
    hold(behaviour);
    const { api, user_id } = await aUser();
    const id = await pendingAt(api, panBody());
    release();
    await eventually(async () => expect((await getPan(api, id)).status).not.toBe(202));
    expectRefusal(await getPan(api, id), error);
    expect(await stepOf(user_id)).toEqual({ state: 'FAILED', reason: error.code });
    expect(await lookupsOf(user_id)).toBe(counted);
    expect(await rowOf(id)).toMatchObject({
      state: 'REFUSED',
      refusal: error.code,
      claim_encrypted: null,
    });
    registry.behaviour = answersJson(200, valid);
    await verifyPan(api, panBody());
  };
  it.concurrent.each<[string, Behaviour, ErrorDefinition, number]>([
    ['does not know the PAN', answersJson(404, { error: { type: 'not_found' } }), PanErrors.notFound, 1],
    ['knows it as not valid', answersJson(200, { status: 'INVALID' }), PanErrors.notValid, 1],
    [
      'has another date of birth',
      answersJson(200, { ...valid, date_of_birth_match: false }),
      PanErrors.birthDateDiffers,
      1,
    ],
  ])('reports to a poll that the registry %s, and fails the step', inScene(reports));

  // one at a time: each starts a service, which would delay the answers of the others
  it.each<[string, Behaviour, ErrorDefinition, number]>([
    ['fails', BEHAVIOURS.fails, PanErrors.registryUnavailable, 1],
    ['answers a web page', BEHAVIOURS.answersHtml, PanErrors.registryUnavailable, 1],
    ['is down', answersJson(503, {}), PanErrors.registryUnavailable, 1],
    ['has too many calls', answersJson(429, {}), PanErrors.registryUnavailable, 0],
  ])('reports to a poll that the registry %s, and fails the step', inOwnScene(reports));

  it.concurrent(
    'refuses a PAN that another user verified meanwhile, and keeps the claim for the eKYC',
    inScene(async ({ service, registry, held, hold, aUser, panBody }) => {
      hold(answersJson(200, valid));
      const [{ api, user_id }, other] = [await aUser(), await aUser()];
      const body = panBody();
      const id = expectPending(await postPan(api, body));
      const [late] = held.splice(0);
      registry.behaviour = answersJson(200, valid);
      await verifyPan(other.api, body);
      late!();
      await eventually(async () => expect((await getPan(api, id)).status).not.toBe(202));
      expectRefusal(await getPan(api, id), PanErrors.belongsToAnotherUser);
      const claims = await service.dataSource.query<object[]>(
        'SELECT verification_id FROM onboarding.contested_identities WHERE user_id = $1',
        [user_id],
      );
      expect(claims).toEqual([{ verification_id: id }]);
    }),
  );

  it.concurrent(
    'makes one look-up for parallel and later calls of a user on two replicas',
    inScene(async ({ service, registry, hold, release, aUser, lookupsOf, panBody }) => {
      hold(answersJson(200, valid));
      const replica = await service.replica();
      const user = await aUser();
      const apis = [user.api, as(replica.api, user)];
      const body = panBody();
      const first = await inParallel(6, (i) => pendingAt(apis[i % 2]!, body));
      const ids = new Set([...first, await pendingAt(apis[1]!, body)]);
      expect(ids.size).toBe(1);
      const waiting = postPan(apis[1]!, body);
      release();
      const joined = await waiting;
      expect([joined.status, idOf(joined)]).toEqual([200, [...ids][0]]);
      expect(registry.calls()).toHaveLength(1);
      expect(await lookupsOf(user.user_id)).toBe(1);
    }),
  );

  it.concurrent(
    'checks another PAN meanwhile, and accepts the first one verified',
    inScene(async ({ registry, held, hold, aUser, stepOf, panBody }) => {
      hold(answersJson(200, valid));
      const { api, user_id } = await aUser();
      const ids = await inParallel(2, () => pendingAt(api, panBody()));
      expect(new Set(ids).size).toBe(2);
      const other = held.pop();
      registry.behaviour = answersJson(200, valid);
      const won = await verifyPan(api, panBody());
      other!();
      await eventually(async () => {
        const statuses = await Promise.all(ids.map(async (id) => (await getPan(api, id)).status));
        expect([...statuses].sort()).toEqual([202, 400]);
      });
      const refused = (await Promise.all(ids.map((id) => getPan(api, id)))).find(
        ({ status }) => status === 400,
      );
      expectRefusal(refused!, PanErrors.anotherPanVerified);
      expect(await stepOf(user_id)).toEqual({ state: 'DONE', reason: null });
      expect(idOf(await getPan(api, won.verification_id))).toBe(won.verification_id);
    }),
  );

  it.concurrent(
    'fails the check of a dead replica rather than pay for a second look-up',
    inScene(async ({ registry, hold, release, aUser, stepOf, lookupsOf, loseLease, panBody }) => {
      hold(answersJson(200, valid));
      const { api, user_id } = await aUser();
      const id = await pendingAt(api, panBody());
      await loseLease(id);
      await eventually(async () => expect((await getPan(api, id)).status).toBe(503));
      expectRefusal(await getPan(api, id), PanErrors.registryUnavailable);
      expect([registry.calls().length, await lookupsOf(user_id)]).toEqual([1, 1]);
      // the replica was alive after all: a paid answer still counts
      release();
      await eventually(async () => expect((await getPan(api, id)).status).toBe(200));
      expect(await stepOf(user_id)).toEqual({ state: 'DONE', reason: null });
    }),
  );

  it.concurrent(
    'repeats the 202 of an idempotency key',
    inScene(async ({ registry, hold, release, aUser, panBody }) => {
      hold(answersJson(200, valid));
      const { api } = await aUser();
      const options = { headers: { 'idempotency-key': 'pan-1' } };
      const body = panBody();
      const first = await api.post(PAN_PATH, body, options);
      const id = expectPending(first);
      release();
      await eventually(async () => expect((await getPan(api, id)).status).toBe(200));
      const repeated = await api.post(PAN_PATH, body, options);
      expect([repeated.body, repeated.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
      expect(repeated.headers['retry-after']).toBe(first.headers['retry-after']);
      expect(registry.calls()).toHaveLength(1);
    }),
  );

  it.concurrent(
    'waits at shutdown for a paid look-up',
    inScene(async ({ service, hold, release, aUser, panBody }) => {
      hold(answersJson(200, valid));
      const replica = await service.replica();
      const user = await aUser(replica);
      const id = await pendingAt(user.api, panBody());
      const closed = replica.app.close();
      release();
      await closed;
      expect((await getPan(as(service.api, user), id)).status).toBe(200);
    }),
  );

  it.concurrent(
    'shows the call to operators, and erases no user before it has ended',
    inScene(async ({ service, hold, release, aUser, panBody }) => {
      hold(answersJson(404, { error: { type: 'not_found' } }));
      const { api, user_id } = await aUser();
      const id = await pendingAt(api, panBody());
      expect(await runCalls(service, 'list', ...WHO)).toContain(`pan-check\t${id}\t${user_id}\t-\tDUE\t`);
      const erase = () => runUsers(service, '', 'erase', '--user', user_id, ...WHO);
      await expect(erase()).rejects.toThrow(/Calls to providers are open/);
      release();
      await eventually(async () => expect((await getPan(api, id)).status).toBe(400));
      expect(await erase()).toContain('deleted\tpan_checks\t1');
    }),
  );

  it.concurrent(
    'answers 404 to a poll of an id that is not the user’s',
    inScene(async ({ registry, aUser, panBody }) => {
      registry.behaviour = answersJson(200, valid);
      const [{ api }, other] = [await aUser(), await aUser()];
      const { verification_id: id } = await verifyPan(api, panBody());
      for (const unknown of [uuidv7(), 'x'])
        expectRefusal(await getPan(api, unknown), GeneralErrors.recordUnknown);
      expectRefusal(await getPan(other.api, id), GeneralErrors.recordUnknown);
      expect(idOf(await getPan(api, id.toUpperCase()))).toBe(id);
    }),
  );

  it.concurrent(
    'deletes checks a week after their end, and still returns a verified PAN',
    inScene(async ({ service, registry, aUser, rowOf, panBody }) => {
      registry.behaviour = answersJson(200, valid);
      const { api } = await aUser();
      const { verification_id: id } = await verifyPan(api, panBody());
      await service.dataSource.query(
        "UPDATE onboarding.pan_checks SET settled_at = now() - interval '7 days' WHERE id = $1",
        [id],
      );
      await service.app.get(Jobs).runCleanup();
      expect(await rowOf(id)).toBeUndefined();
      expect(idOf(await getPan(api, id))).toBe(id);
    }),
  );
});
