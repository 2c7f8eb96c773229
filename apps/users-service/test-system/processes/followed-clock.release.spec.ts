import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LoginErrors, SessionErrors } from '@fd/errors';
import { eventually, type RunningProcess } from '@fd/testing';
import { type Answer, JourneyClient } from '../../test/support/journey-client.js';
import { aPerson } from '../../test/support/person.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const DAY_SECONDS = 86_400;
const REFRESH = '/auth/api/v2/token/refresh';

/** A process that follows the sandbox's clock, which this spec plays. */
describe('a service that follows the clock of the sandbox', () => {
  let service: TestService;
  let processes: ServiceProcesses;
  let sandbox: Server;
  let following: RunningProcess;
  let aheadSeconds = 0;
  let answers = 0;

  beforeAll(async () => {
    sandbox = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ahead_seconds: aheadSeconds }), () => answers++);
    });
    await once(sandbox.listen(0, '127.0.0.1'), 'listening');
    const { port } = sandbox.address() as AddressInfo;
    service = await startService();
    processes = new ServiceProcesses({
      ...service.environment,
      CLOCK_URL: `http://127.0.0.1:${port}/api/clock`,
    });
    following = await processes.start();
  });
  afterAll(async () => {
    await processes.killAll();
    sandbox.close();
    sandbox.closeAllConnections();
    await service.close();
  });

  /** Moves the clock, and waits until the process has asked for it. */
  async function advance(seconds: number): Promise<void> {
    aheadSeconds += seconds;
    const next = answers + 2;
    await eventually(() => expect(answers).toBeGreaterThanOrEqual(next));
  }

  const aCustomer = () => new JourneyClient(following.url, 'aravalli', aPerson());
  const codeOf = ({ body }: Answer) => body.error?.[0]?.errorCode;
  const profile = (customer: JourneyClient, token: unknown) =>
    customer.call('GET', '/api/v1/user-profile', undefined, { authorization: `Bearer ${String(token)}` });
  const refresh = (customer: JourneyClient, refresh_token: unknown) =>
    customer.call('POST', REFRESH, { refresh_token });

  it('lets codes, tokens and sessions expire, and opens new ones afterwards', async () => {
    const waiting = aCustomer();
    await waiting.register();
    const customer = aCustomer();
    await customer.register();
    const { payload } = (await customer.logIn()).body;

    await advance(10 * 60);
    await expect(waiting.logIn()).rejects.toThrow(LoginErrors.otpExpired.code);
    expect((await profile(customer, payload['access_token'])).status).toBe(200);
    await waiting.register();
    await waiting.logIn();

    await advance(6 * 60);
    const late = await profile(customer, payload['access_token']);
    expect([late.status, codeOf(late)]).toEqual([401, SessionErrors.tokenExpired.code]);
    const next = (await refresh(customer, payload['refresh_token'])).body.payload;
    expect((await profile(customer, next['access_token'])).status).toBe(200);

    await advance(8 * DAY_SECONDS);
    const over = await refresh(customer, next['refresh_token']);
    expect([over.status, codeOf(over)]).toEqual([401, SessionErrors.refreshTokenInvalid.code]);
    const again = new JourneyClient(following.url, 'aravalli', customer.person);
    await again.register();
    const { access_token } = (await again.logIn()).body.payload;
    expect((await profile(again, access_token)).status).toBe(200);
    // the whole journey works eight days later, too
    await again.pan();
    await again.bank();
  });

  it('seals the audit trail by the real time, so that it can be verified after the clock was moved', async () => {
    await advance(3_600);
    const customer = aCustomer();
    await customer.register();
    await customer.logIn();
    await eventually(async () => {
      const { out, err } = await processes.spawnCli({}, 'audit', 'verify');
      expect([out, err]).toEqual([
        expect.stringMatching(/^events 1 to \d+ are as they were written; 0 wait to be sealed\n/),
        '',
      ]);
    });
    const [{ ahead }] = await service.dataSource.query<[{ ahead: number }]>(
      `SELECT extract(epoch FROM max(greatest(occurred_at, sealed_at)) - now())::float8 AS ahead
         FROM onboarding.audit_events`,
    );
    expect(ahead).toBeLessThan(5);
  });
});
