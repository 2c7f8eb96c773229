import { GeneralErrors, IssuerErrors, SessionErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { STEP_RULES } from '../../src/journey/steps/journey.table.js';
import { as, logIn } from '../support/login.js';
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
    await journeys().record({ userId, step: 'PAN', event: 'COMPLETED' });
    await journeys().record({ userId, step: 'EKYC', event: 'FAILED', issuer: 'nilgiri', reason: 'X' });
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
      await journeys().record({ userId, step: 'PAN', event });
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
        await journeys().record({ userId, step: 'PAN', event: 'COMPLETED' }, transaction);
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
        journeys().record({ userId, step: 'EKYC', event, issuer: 'kaveri', reason: String(index) }),
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
    await expect(journeys().record({ userId, step: 'BANK', event: 'STARTED' })).rejects.toThrow(
      'none was named',
    );
  });
});
