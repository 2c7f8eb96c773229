import type { EkycStatusPayload, LockerSessionPayload } from '@fd/contracts';
import {
  ConsentErrors,
  type ErrorDefinition,
  GeneralErrors,
  IssuerErrors,
  PanErrors,
  SessionErrors,
} from '@fd/errors';
import { type ApiClient, expectRefusal, inParallel, recordEvidence } from '@fd/testing';
import type { Response } from 'supertest';
import { MAX_CHANGES_PER_DAY } from '../../src/journey/steps/journey.queries.js';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { STEP_RULES } from '../../src/journey/steps/journey.table.js';
import { bankBody, HOLDER, postBank } from '../support/bank.js';
import { finishEkyc, finishLocker } from '../support/ekyc.js';
import { anAccount, issuerPath } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { nominate, NOMINEE_PATH, nomineesOf, postNominee, SKIP } from '../support/nominees.js';
import { aPan, knownAs, panBody, postPan } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const journeyAt = (slug: string) => `/issuer-apis/${slug}/v1/journey`;
const journeys = () => service.app.get(JourneyRepository);

interface StepView {
  readonly step: string;
  readonly status: string;
  readonly reason: string | null;
  readonly api: { readonly method: string; readonly path: string };
  readonly expected_params: {
    readonly type: string;
    readonly properties: Readonly<Record<string, unknown>>;
    readonly required?: string[];
    readonly anyOf?: { readonly required: string[] }[];
  };
}

describe('GET /issuer-apis/{issuer_slug}/v1/journey', () => {
  it('returns the status of each step and its call to a new user', async () => {
    const { status, body } = await as(service.api, await logIn(service)).get(journeyAt('sahyadri'));
    expect(status).toBe(200);
    expect(body.payload).toMatchObject({ issuer_code: 'SAHCAP', next_step: 'LEAD', percent_complete: 11 });
    const steps = body.payload.steps as StepView[];
    expect(steps.map(({ step, status }) => `${step} ${status}`)).toEqual([
      'LOGIN DONE',
      'HOME DUE',
      'FD_DETAIL DUE',
      'LEAD DUE',
      'KYC_CONTEXT LOCKED',
      'PAN LOCKED',
      'EKYC LOCKED',
      'EMAIL LOCKED',
      'PERSONAL_DETAILS LOCKED',
      'BANK LOCKED',
      'NOMINEE LOCKED',
    ]);
    expect(steps.find(({ step }) => step === 'LEAD')?.api).toEqual({
      method: 'POST',
      path: '/issuer-apis/sahyadri/v1/lead',
    });
  });

  it('returns the fields of every call that has fields', async () => {
    const { body } = await as(service.api, await logIn(service)).get(journeyAt('sahyadri'));
    for (const { step, api, expected_params: params } of body.payload.steps as StepView[]) {
      expect(params.type).toBe('object');
      expect(JSON.stringify(params)).not.toContain('$ref');
      if (api.method === 'POST') expect([step, Object.keys(params.properties)]).not.toEqual([step, []]);
      const needed = params.required ?? params.anyOf?.flatMap(({ required }) => required);
      if (step === 'NOMINEE' || step === 'PAN') expect(needed?.length).toBeGreaterThan(0);
      for (const name of needed ?? []) expect(params.properties).toHaveProperty(name);
    }
  });

  it('names the events that complete the step, and all others on request', async () => {
    const me = as(service.api, await logIn(service));
    const asked = async (query: Record<string, string>) => {
      const response = await me.get(journeyAt('aravalli'), { query });
      const steps = response.body.payload.steps as StepView[];
      const { properties } = steps.find(({ step }) => step === 'FD_DETAIL')!.expected_params;
      return { properties, bytes: response.text.length };
    };
    const usual = await asked({});
    expect(usual.properties['event_name']).toMatchObject({ enum: ['FD_SELECTED', 'FD_DETAIL_VIEWED'] });
    expect(usual.properties).not.toHaveProperty('events');
    expect(await asked({ all_events: 'false' })).toEqual(usual);
    const all = await asked({ all_events: 'true' });
    expect(all.properties['event_name']).toMatchObject({
      enum: expect.arrayContaining(['PAN_SUBMITTED']) as string[],
    });
    expect(all.properties).toHaveProperty('events');
    expect(usual.bytes).toBeLessThan(all.bytes - 5_000);
    expectRefusal(
      await me.get(journeyAt('aravalli'), { query: { all_events: 'yes' } }),
      GeneralErrors.fieldInvalid,
    );
  });

  it('returns the same required personal details as the call for them', async () => {
    const me = as(service.api, await logIn(service));
    const asked = async (slug: string, code: string) => {
      const { body } = await me.get(journeyAt(slug));
      const step = (body.payload.steps as StepView[]).find(({ step }) => step === 'PERSONAL_DETAILS')!;
      const details = await me.get('/api/v1/personal-details', { query: { issuer_code: code } });
      expect(details.body.payload.expected_params).toEqual(step.expected_params);
      return step.expected_params.required;
    };
    expect(await asked('nilgiri', 'NILHFC')).not.toContain('mother_name');
    expect(await asked('vindhya', 'VINBANK')).toContain('mother_name');
  });

  it('returns the call that continues a started step', async () => {
    const me = as(service.api, await logIn(service));
    const emailCall = async () => {
      const { body } = await me.get(journeyAt('aravalli'));
      return (body.payload.steps as StepView[]).find(({ step }) => step === 'EMAIL')!.api.path;
    };
    expect(await emailCall()).toBe('/api/v1/email/send-otp');
    await me.post('/api/v1/email/send-otp', { email: 'asha.rao@mail.example' });
    expect(await emailCall()).toBe('/api/v1/email/verify-otp');
  });

  it('keeps the steps of each issuer apart, and shares the steps that a user completes once', async () => {
    const login = await logIn(service);
    const me = as(service.api, login);
    const { user_id: userId } = login;
    await journeys().record(service.database.manager, { userId, step: 'PAN', event: 'COMPLETED' });
    await journeys().record(service.database.manager, {
      userId,
      step: 'EKYC',
      event: 'FAILED',
      issuer: 'nilgiri',
      reason: 'X',
    });
    const statusesAt = async (slug: string) =>
      Object.fromEntries(
        ((await me.get(journeyAt(slug))).body.payload.steps as StepView[]).map((step) => [
          step.step,
          step.reason ?? step.status,
        ]),
      );
    expect(await statusesAt('nilgiri')).toMatchObject({ PAN: 'DONE', EKYC: 'X', EMAIL: 'LOCKED' });
    expect(await statusesAt('vindhya')).toMatchObject({ PAN: 'DONE', EKYC: 'DUE', EMAIL: 'LOCKED' });
  });

  it('refuses the journey of an unknown issuer and a call without an access token', async () => {
    expectRefusal(await as(service.api, await logIn(service)).get(journeyAt('nobody')), IssuerErrors.unknown);
    expectRefusal(await service.api.get(journeyAt('aravalli')), SessionErrors.tokenMissing);
  });
});

describe('history of a journey', () => {
  const history = (userId: string) =>
    service.dataSource.query<object[]>(
      `SELECT step, event, from_state, to_state, reason FROM onboarding.journey_events
        WHERE user_id = $1 ORDER BY id`,
      [userId],
    );

  it('stores a row for each change of a step, and none for an event without effect', async () => {
    const { user_id: userId } = await logIn(service);
    for (const event of ['STARTED', 'STARTED', 'FAILED', 'COMPLETED', 'COMPLETED', 'FAILED'] as const) {
      await journeys().record(service.database.manager, { userId, step: 'PAN', event });
    }
    expect(await history(userId)).toEqual([
      { step: 'LOGIN', event: 'COMPLETED', from_state: 'NOT_STARTED', to_state: 'DONE', reason: null },
      { step: 'PAN', event: 'STARTED', from_state: 'NOT_STARTED', to_state: 'IN_PROGRESS', reason: null },
      { step: 'PAN', event: 'FAILED', from_state: 'IN_PROGRESS', to_state: 'FAILED', reason: null },
      { step: 'PAN', event: 'COMPLETED', from_state: 'FAILED', to_state: 'DONE', reason: null },
    ]);
  });

  it('rolls the history back with the transaction of the change', async () => {
    const { user_id: userId } = await logIn(service);
    await expect(
      service.database.transaction(async (transaction) => {
        await journeys().record(transaction, { userId, step: 'PAN', event: 'COMPLETED' });
        throw new Error('what made it happen failed');
      }),
    ).rejects.toThrow();
    expect(await history(userId)).toHaveLength(1);
    expect(await journeys().statesOf(userId)).not.toHaveProperty('PAN');
  });

  it('makes ids in the order of time, even within a millisecond', async () => {
    const ids = await service.database.transaction(async (transaction) => {
      const made: string[] = [];
      for (let count = 0; count < 300; count += 1) {
        const [row] = await transaction.query<[{ id: string }]>('SELECT onboarding.uuid_v7() AS id');
        made.push(row.id);
      }
      return made;
    });
    expect(ids).toEqual([...ids].sort());
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
    const madeAt = Number.parseInt(ids[0]!.replace('-', '').slice(0, 12), 16);
    expect(Math.abs(Date.now() - madeAt)).toBeLessThan(60_000);
  });

  it('stores parallel events as one chain of states', async () => {
    const { user_id: userId } = await logIn(service);
    const events = (['STARTED', 'FAILED'] as const).flatMap((event) =>
      Array.from({ length: 8 }, () => event),
    );
    await Promise.all(
      events.map((event, index) =>
        journeys().record(service.database.manager, {
          userId,
          step: 'EKYC',
          event,
          issuer: 'kaveri',
          reason: String(index),
        }),
      ),
    );
    const rows = (await history(userId)) as { step: string; from_state: string; to_state: string }[];
    const ekyc = rows.filter(({ step }) => step === 'EKYC');
    expect(ekyc[0]!.from_state).toBe('NOT_STARTED');
    expect(ekyc.slice(1).map((row) => row.from_state)).toEqual(ekyc.slice(0, -1).map((row) => row.to_state));
  });

  it.each([
    'UPDATE onboarding.journey_events SET step = step',
    'DELETE FROM onboarding.journey_events',
    'TRUNCATE onboarding.journey_events',
  ])('rejects the statement %s', async (sql) => {
    await expect(service.dataSource.query(sql)).rejects.toThrow('append-only');
  });

  it('refuses an event of an issuer step without an issuer', async () => {
    const { user_id: userId } = await logIn(service);
    expect(STEP_RULES.BANK.scope).toBe('issuer');
    await expect(
      journeys().record(service.database.manager, { userId, step: 'BANK', event: 'STARTED' }),
    ).rejects.toThrow('none was named');
  });
});

describe('steps that change often', () => {
  let service: TestService;
  beforeAll(async () => {
    // a service of its own: these calls open the bank's circuit breaker, which would affect other specs
    service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
  });
  afterAll(() => service.close());

  const ofUser = async () => {
    const user = await logIn(service);
    return { userId: user.user_id, api: as(service.api, user) };
  };

  interface Change {
    readonly from: string;
    readonly to: string;
  }

  /** Returns the changes of a step in their order. */
  const historyOf = (userId: string, step: string) =>
    service.dataSource.query<Change[]>(
      `SELECT from_state AS "from", to_state AS "to" FROM onboarding.journey_events
      WHERE user_id = $1 AND step = $2 ORDER BY id`,
      [userId, step],
    );

  /** Leaves the user LEFT changes of a step for today. */
  const leave = (userId: string, step: string, left: number) =>
    service.dataSource.query(
      `UPDATE onboarding.journey_steps SET changes = $3, changed_on = (now() AT TIME ZONE 'UTC')::date
      WHERE user_id = $1 AND step = $2`,
      [userId, step, MAX_CHANGES_PER_DAY - left],
    );

  /**
   * Checks that each change starts in the state where the one before it ended, and the last one ends in the current
   * state.
   */
  async function expectContinuity(userId: string, step: string): Promise<Change[]> {
    const history = await historyOf(userId, step);
    expect(history.map(({ from }) => from)).toEqual([
      'NOT_STARTED',
      ...history.slice(0, -1).map(({ to }) => to),
    ]);
    const [row] = await service.dataSource.query<{ state: string }[]>(
      'SELECT state FROM onboarding.journey_steps WHERE user_id = $1 AND step = $2',
      [userId, step],
    );
    expect(row!.state).toBe(history.at(-1)!.to);
    return history;
  }

  const nameAndRemove = async (api: ApiClient): Promise<Response[]> => {
    const { nominees } = await nomineesOf(api);
    const [named] = nominees.length > 0 ? nominees : (await nominate(api)).nominees;
    return [await api.delete(`${NOMINEE_PATH}/${named!.nominee_id}`)];
  };

  const CASES: readonly {
    readonly name: string;
    readonly step: string;
    /** Returns the change that the user repeats. */
    readonly turnOf: (userId: string) => Promise<(api: ApiClient) => Promise<Response[]>>;
    readonly refusal: ErrorDefinition;
  }[] = [
    {
      name: 'naming a nominee and removing it',
      step: 'NOMINEE',
      turnOf: () => Promise.resolve(nameAndRemove),
      refusal: GeneralErrors.tooManyRequests,
    },
    {
      name: 'waiving a nominee, naming one and removing it',
      step: 'NOMINEE',
      turnOf: () =>
        Promise.resolve(async (api) => [await postNominee(api, SKIP), ...(await nameAndRemove(api))]),
      refusal: GeneralErrors.tooManyRequests,
    },
    {
      name: 'asking for a PAN while the registry is down',
      step: 'PAN',
      turnOf: () => Promise.resolve(async (api) => [await postPan(api, panBody(aPan({ digits: '0503' })))]),
      refusal: PanErrors.tooManyLookups,
    },
    {
      name: 'giving names that differ from the PAN and do not, while the bank is down',
      step: 'BANK',
      turnOf: async (userId) => {
        await knownAs(service, userId, HOLDER);
        const body = bankBody({ account: anAccount('0503'), issuer_code: 'ARAVFIN' });
        // a repeat of one name changes nothing
        const names = ['Daruwala', 'Engineer', 'Contractor', 'Merchant', 'Mistry', 'Wadia', 'Tata', 'Godrej'];
        return async (api) => [
          await postBank(api, body),
          await postBank(api, { ...body, account_holder_full_name: `Zubin ${names.shift()}` }),
        ];
      },
      refusal: GeneralErrors.tooManyRequests,
    },
  ];

  describe('changes of a step', () => {
    it.each(CASES)('bounds the changes of a step for $name', async ({ step, turnOf, refusal }) => {
      const { userId, api } = await ofUser();
      const turn = await turnOf(userId);
      await turn(api);
      await leave(userId, step, 3);
      const before = (await historyOf(userId, step)).length;
      let refused: Response | undefined;
      for (let turns = 0; turns < 5 && !refused; turns++)
        refused = (await turn(api)).find(({ status }) => status === 429);
      expectRefusal(refused!, refusal);
      const wait = Number(refused!.headers['retry-after']);
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(86_400);
      const history = await expectContinuity(userId, step);
      // naming a nominee, or waiving one, is never refused after a removal
      expect(history.length - before).toBeLessThanOrEqual(5);
      const after = await turn(api);
      expect(after.some(({ status }) => status === 429)).toBe(true);
      expect(await historyOf(userId, step)).toEqual(history);
      // the next day
      await service.dataSource.query(
        'UPDATE onboarding.journey_steps SET changed_on = changed_on - 1 WHERE user_id = $1 AND step = $2',
        [userId, step],
      );
      expect((await turn(api)).every(({ status }) => status !== 429)).toBe(true);
      await expectContinuity(userId, step);
    });

    it('counts changes exactly and in order when a user names and removes nominees in parallel', async () => {
      const { userId, api } = await ofUser();
      await nominate(api);
      await leave(userId, 'NOMINEE', 10);
      const before = (await historyOf(userId, 'NOMINEE')).length;
      const change = async (index: number) => {
        if (index % 2 === 0) return postNominee(api, SKIP);
        const { nominees } = await nomineesOf(api);
        await Promise.all(nominees.map(({ nominee_id }) => api.delete(`${NOMINEE_PATH}/${nominee_id}`)));
        return postNominee(api);
      };
      // in waves, since each call waits for all before it
      for (let wave = 0; wave < 3; wave++) await inParallel(20, change);
      const history = await expectContinuity(userId, 'NOMINEE');
      // a user may always name a nominee after removing the last one
      expect(history.length - before).toBeLessThanOrEqual(12);
      expect(history.length - before).toBeGreaterThan(0);
      recordEvidence('step-changes-bounded', {
        calls: 60,
        'changes left': 10,
        changes: history.length - before,
        gaps: 0,
      });
    });

    it('opens no link at the eKYC provider once the step may not change again today', async () => {
      const { userId, api } = await ofUser();
      const status = () => api.post(issuerPath('aravalli', 'v3/check-status'), {});
      const { payload } = (await status()).body as { payload: EkycStatusPayload };
      await finishEkyc(payload.ekyc_request_id!, 'failed');
      await leave(userId, 'EKYC', 0);
      const refused = await inParallel(3, status);
      for (const response of [...refused, await status()])
        expectRefusal(response, GeneralErrors.tooManyRequests);
      // the provider of a request is recorded before the provider is called
      const [{ called }] = await service.dataSource.query<[{ called: number }]>(
        'SELECT count(provider)::int AS called FROM onboarding.ekyc_requests WHERE user_id = $1',
        [userId],
      );
      expect(called).toBe(1);
      expect((await historyOf(userId, 'EKYC')).at(-1)).toEqual({ from: 'IN_PROGRESS', to: 'FAILED' });
    });

    it('opens no session at the document locker once the step may not change again today', async () => {
      const { userId, api } = await ofUser();
      const open = () =>
        api.post(issuerPath('kaveri', 'v1/document-locker/session'), { consent_checked: true });
      const { payload } = (await open()).body as { payload: LockerSessionPayload };
      await finishLocker(payload.url, 'deny');
      await api.get(issuerPath('kaveri', `v1/document-locker/session/${payload.session_id}`));
      await leave(userId, 'EKYC', 0);
      for (const response of [await open(), await open()])
        expectRefusal(response, GeneralErrors.tooManyRequests);
      const [{ called }] = await service.dataSource.query<[{ called: number }]>(
        'SELECT count(provider)::int AS called FROM onboarding.locker_sessions WHERE user_id = $1',
        [userId],
      );
      expect(called).toBe(1);
    });

    it('leaves a nomination unchanged when the last nominee may not be removed', async () => {
      const { userId, api } = await ofUser();
      await nominate(api);
      await leave(userId, 'NOMINEE', 0);
      const { nominees } = await nomineesOf(api);
      const refused = await api.delete(`${NOMINEE_PATH}/${nominees[0]!.nominee_id}`);
      expectRefusal(refused, GeneralErrors.tooManyRequests);
      expect((await nomineesOf(api)).nominees).toEqual(nominees);
      await postNominee(api, { ...SKIP, skip_nominee: false, name: 'Ravi Rao', relationship: 'FATHER' });
      expect(await historyOf(userId, 'NOMINEE')).toHaveLength(1);
    });
  });

  describe('consents', () => {
    it('records consents to one purpose at most 20 times a day, however often a user withdraws them', async () => {
      const { userId, api } = await ofUser();
      const body = panBody();
      const given = () =>
        service.dataSource.query<{ id: string; isLiving: boolean }[]>(
          `SELECT id, withdrawn_at IS NULL AS "isLiving" FROM onboarding.consents
          WHERE user_id = $1 AND purpose = 'PAN_VERIFICATION'`,
          [userId],
        );
      for (let turns = 0; turns < 25; turns++) {
        expect((await postPan(api, body)).status).toBe(200);
        for (const { id, isLiving } of await given())
          if (isLiving) expect((await api.post(`/api/v1/consents/${id}/withdraw`, {})).status).toBe(200);
      }
      expect(await given()).toHaveLength(20);
      // steps that need the consent are refused, as after any withdrawal
      expectRefusal(await postBank(api), ConsentErrors.withdrawn);
    });
  });
});
