// first: a request takes its room until the provider answers, not only for the wait for it
import '@fd/testing/use-generous-limits';
import { request as httpRequest } from 'node:http';
import { GeneralErrors } from '@fd/errors';
import { eventually, expectRefusal, recordEvidence } from '@fd/testing';
import { aPhone } from '../../test/support/inbox.js';
import { as, logIn, type LoggedIn } from '../../test/support/login.js';
import { type Behaviour, BEHAVIOURS, ScriptedProvider } from '../../test/support/scripted-provider.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const ROOM = 2;
const REQUEST_ID = '0198c0de-1a2b-7c3d-8e4f-00000000000a';

describe('overloaded service', () => {
  let service: TestService;
  let provider: ScriptedProvider;
  let user: LoggedIn;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    service = await startService();
    user = await logIn(service);
  });
  afterAll(async () => {
    await service.close();
    await provider.stop();
  });

  const inFlight = async ({ api }: Pick<TestService, 'api'>): Promise<number> => {
    const { text } = await api.get('/metrics');
    return Number(/^requests_in_flight (\d+)$/m.exec(text)![1]);
  };

  /** Starts a replica with room for two requests; both wait for their provider until `letGo`. */
  async function fullReplica() {
    const answers: (() => void)[] = [];
    const waits: Behaviour = (response) => void answers.push(() => BEHAVIOURS.accepts(response));
    provider.behaviour = waits;
    const replica = await service.replica({
      MAX_REQUESTS_IN_FLIGHT: String(ROOM),
      SMS_PRIMARY_URL: provider.url,
    });
    const waiting = Array.from({ length: ROOM }, () =>
      replica.api.post('/auth/register', { phone: aPhone() }),
    );
    await eventually(() => expect(answers).toHaveLength(ROOM));
    return {
      replica,
      waiting,
      letGo: () => {
        provider.behaviour = BEHAVIOURS.accepts;
        answers.forEach((answer) => answer());
      },
    };
  }

  it('refuses excess requests at once, stays healthy, and finishes the accepted ones', async () => {
    const { replica, waiting, letGo } = await fullReplica();
    const refused = await Promise.all([
      replica.api.post('/auth/register', { phone: aPhone() }),
      as(replica.api, user).get('/api/v1/user-profile', { headers: { 'x-request-id': REQUEST_ID } }),
      replica.api.get('/api/v1/consents'),
    ]);
    for (const response of refused) {
      expectRefusal(response, GeneralErrors.unavailable);
      expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(response.headers).toMatchObject({
        'x-request-id': expect.stringMatching(/^.{8,}$/) as string,
        'cache-control': 'no-store',
      });
    }
    expect(refused[1].headers['x-request-id']).toBe(REQUEST_ID);
    for (const path of ['/health/live', '/health/ready?probe=1', '/metrics'])
      expect((await replica.api.get(path)).status).toBe(200);
    const { text } = await replica.api.get('/metrics');
    expect(text).toMatch(/^requests_shed_total\{reason="in_flight"\} 3$/m);
    expect(text).toMatch(/^requests_in_flight_limit 2$/m);
    expect(service.logs()).toContain('overloaded: requests are refused');

    letGo();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201]);
    expect((await as(replica.api, user).get('/api/v1/user-profile')).status).toBe(200);
    recordEvidence('overload-refused', { room: ROOM, 'refused at once': refused.length });
  });

  it('lets a page of another origin read the refusal, and answers its preflight request', async () => {
    const { replica, waiting, letGo } = await fullReplica();
    const origin = 'http://localhost:5173';
    const refused = await replica.api.get('/api/v1/user-profile', { headers: { origin } });
    expectRefusal(refused, GeneralErrors.unavailable);
    expect(refused.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': expect.stringContaining('retry-after') as string,
    });
    const preflight = await fetch(`${replica.url}/auth/register`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    // preflights are measured too
    await eventually(async () =>
      expect((await replica.api.get('/metrics')).text).toMatch(
        /http_request_duration_seconds_count\{method="OPTIONS",route="unmatched",status="204"/,
      ),
    );
    letGo();
    await Promise.all(waiting);
  });

  it('counts no request whose body is still arriving', async () => {
    const replica = await service.replica({ MAX_REQUESTS_IN_FLIGHT: String(ROOM) });
    const slow = Array.from({ length: 10 }, () => {
      const call = httpRequest(`${replica.url}/auth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': 100 },
      });
      call.on('error', () => undefined);
      call.write('{"phone":');
      return call;
    });
    await eventually(async () => expect(await connections(replica)).toBeGreaterThanOrEqual(slow.length));
    expect(await inFlight(replica)).toBe(0);
    expect((await as(replica.api, user).get('/api/v1/user-profile')).status).toBe(200);
    slow.forEach((call) => call.destroy());
  });

  it('counts an abandoned request until its work is done, and no longer', async () => {
    const answers: (() => void)[] = [];
    provider.behaviour = (response) => void answers.push(() => BEHAVIOURS.accepts(response));
    const replica = await service.replica({ MAX_REQUESTS_IN_FLIGHT: '1', SMS_PRIMARY_URL: provider.url });
    const leaver = new AbortController();
    const left = fetch(`${replica.url}/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ phone: aPhone() }),
      signal: leaver.signal,
    }).catch(() => 'left');
    await eventually(() => expect(answers).toHaveLength(1));
    leaver.abort();
    expect(await left).toBe('left');
    await eventually(async () => expect(await connections(replica)).toBeLessThanOrEqual(1));
    expect(await inFlight(replica)).toBe(1);
    answers[0]!();
    await eventually(async () => expect(await inFlight(replica)).toBe(0));
  });

  it('stops counting a request once it was answered 503', async () => {
    provider.behaviour = BEHAVIOURS.accepts;
    const replica = await service.replica({ MAX_REQUESTS_IN_FLIGHT: '1' });
    const lock = service.dataSource.createQueryRunner();
    await lock.startTransaction();
    await lock.query('LOCK TABLE onboarding.users');
    const { status } = await as(replica.api, user).get('/api/v1/user-profile');
    expect(status).toBe(503);
    await eventually(async () => expect(await inFlight(replica)).toBe(0));
    await lock.rollbackTransaction();
    await lock.release();
    expect((await as(replica.api, user).get('/api/v1/user-profile')).status).toBe(200);
  });
});

const connections = ({ server }: Pick<TestService, 'server'>): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
