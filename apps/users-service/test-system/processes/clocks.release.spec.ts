import { SessionErrors } from '@fd/errors';
import { eventually, type RunningProcess, SHIFTED_CLOCK } from '@fd/testing';
import { effectsOf } from '../../test/support/effects.js';
import { codeOf } from '../../test/support/inbox.js';
import { verifyBody } from '../../test/support/login.js';
import { aPerson } from '../../test/support/person.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';
import { type Answer, JourneyClient } from '../../test/support/journey-client.js';

const HOUR_MS = 3_600_000;
const REFRESH = '/auth/api/v2/token/refresh';

/** Replicas on machines with wrong clocks, and one whose clock is set while it serves. */
describe('wrong clocks', () => {
  let service: TestService;
  let processes: ServiceProcesses;
  let right: RunningProcess;
  let hourAhead: RunningProcess;
  let hourBehind: RunningProcess;

  const startWith = (settings: Record<string, string>) =>
    processes.start({ NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, ...settings });

  beforeAll(async () => {
    service = await startService();
    processes = new ServiceProcesses(service.environment);
    [right, hourAhead, hourBehind] = await Promise.all([
      startWith({ CLOCK_AHEAD_MS: '0' }),
      startWith({ CLOCK_AHEAD_MS: String(HOUR_MS) }),
      startWith({ CLOCK_AHEAD_MS: String(-HOUR_MS) }),
    ]);
  });
  afterAll(async () => {
    await processes.killAll();
    await service.close();
  });

  const customerAt = ({ url }: RunningProcess) => new JourneyClient(url, 'aravalli', aPerson());

  /** Makes a call that needs no token, or brings its own. */
  const post = ({ url }: RunningProcess, path: string, body: object): Promise<Answer> =>
    new JourneyClient(url, 'aravalli', aPerson()).call('POST', path, body);

  const askProfile = async (
    at: RunningProcess,
    accessToken: unknown,
  ): Promise<[number, string | undefined]> => {
    const headers = { authorization: `Bearer ${String(accessToken)}` };
    const answer = await customerAt(at).call('GET', '/api/v1/user-profile', undefined, headers);
    return [answer.status, answer.body.error?.[0]?.errorCode];
  };

  const logInAt = async (
    at: RunningProcess,
  ): Promise<{ customer: JourneyClient; tokens: Answer['body']['payload'] }> => {
    const customer = customerAt(at);
    await customer.register();
    return { customer, tokens: (await customer.logIn()).body.payload };
  };

  it('lets any replica check the code of a replica with a wrong clock, for ten minutes', async () => {
    for (const [sender, checker] of [
      [hourAhead, hourBehind],
      [hourBehind, hourAhead],
    ] as const) {
      const customer = customerAt(sender);
      const sentAt = Date.now();
      const { otpExpiresAt } = (await customer.register()).body.payload;
      const life = new Date(otpExpiresAt as string).getTime() - sentAt;
      // Redis's clock, which all replicas share
      expect(Math.abs(life - 600_000)).toBeLessThan(30_000);
      customer.baseUrl = checker.url;
      await customer.logIn();
      const again = verifyBody(customer.person.phone, await codeOf(customer.person.phone));
      expect((await post(sender, '/auth/api/v2/register/verify', again)).status).toBe(400);
    }
  });

  it('accepts tokens on both replicas when their clocks differ by up to 30 seconds', async () => {
    const [ahead, behind] = await Promise.all([
      startWith({ CLOCK_AHEAD_MS: '12000' }),
      startWith({ CLOCK_AHEAD_MS: '-12000' }),
    ]);
    for (const [issuer, other] of [
      [ahead, behind],
      [behind, ahead],
    ] as const) {
      const { tokens } = await logInAt(issuer);
      expect(await askProfile(other, tokens['access_token'])).toEqual([200, undefined]);
    }
    await Promise.all([ahead.kill(), behind.kill()]);
  });

  it('refuses an access token from a clock an hour off, and accepts its refresh token at once', async () => {
    const early = (await logInAt(hourAhead)).tokens;
    expect(await askProfile(right, early['access_token'])).toEqual([401, SessionErrors.tokenInvalid.code]);
    const late = (await logInAt(hourBehind)).tokens;
    expect(await askProfile(right, late['access_token'])).toEqual([401, SessionErrors.tokenExpired.code]);
    for (const { refresh_token } of [early, late]) {
      const { status, body } = await post(right, REFRESH, { refresh_token });
      expect(status).toBe(200);
      expect(await askProfile(right, body.payload['access_token'])).toEqual([200, undefined]);
    }
  });

  it('returns the same successor on every replica when a refresh is repeated in its grace period', async () => {
    const { tokens } = await logInAt(right);
    const body = { refresh_token: tokens['refresh_token'] };
    const answers = [];
    for (const at of [right, hourAhead, hourBehind]) answers.push(await post(at, REFRESH, body));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map((answer) => answer.body.payload['refresh_token'])).size).toBe(1);
    const lives = answers.map((answer) => answer.body.payload['refresh_expires_in'] as number);
    expect(Math.max(...lives) - Math.min(...lives)).toBeLessThan(60);
  });

  /** Logs a person in and returns a client for each replica. */
  async function aPersonEverywhere(): Promise<(at: RunningProcess) => JourneyClient> {
    const { customer, tokens } = await logInAt(right);
    const customers = new Map([[right, customer]]);
    for (const at of [hourAhead, hourBehind]) {
      const { body } = await post(at, REFRESH, { refresh_token: tokens['refresh_token'] });
      const other = new JourneyClient(at.url, 'aravalli', customer.person);
      other.useToken(body.payload['access_token'] as string);
      customers.set(at, other);
    }
    return (at) => customers.get(at)!;
  }

  it('replays an idempotent call on every replica instead of repeating it', async () => {
    const at = await aPersonEverywhere();
    const { person } = at(right);
    const body = { number: person.pan, dob: person.dob, consent_checked: true };
    const key = { 'idempotency-key': 'clocks' };
    const pan = (where: RunningProcess) => at(where).call('POST', '/api/v1/pan-verification', body, key);
    const first = await pan(hourBehind);
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null]);
    for (const where of [hourAhead, right]) {
      const again = await pan(where);
      expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
    }
  });

  it('verifies and registers an account once when replicas with different clocks work on it', async () => {
    const at = await aPersonEverywhere();
    const { person } = at(right);
    await at(right).pan();
    await Promise.all([hourAhead, hourBehind, right].map((where) => at(where).tryBank()));
    await at(right).bank();
    expect(await effectsOf('bank', person.account)).toMatchObject([{ calls: 1 }]);
    expect(await effectsOf('issuer:aravalli', person.account)).toMatchObject([{ calls: 1 }]);
  });

  it('counts the rate limit in the same minute on replicas with different clocks', async () => {
    const at = await aPersonEverywhere();
    const left: number[] = [];
    for (const where of [hourAhead, hourBehind, right, hourAhead]) {
      const { headers } = await at(where).profile();
      left.push(Number(headers.get('x-ratelimit-remaining')));
      expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThanOrEqual(0);
      expect(Number(headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(60);
    }
    expect(left).toEqual([left[0], left[0]! - 1, left[0]! - 2, left[0]! - 3]);
  });

  it.each([
    ['forward', HOUR_MS],
    ['back', -HOUR_MS],
  ])(
    'keeps codes, sessions and limits when a clock is set %s by an hour while the replica serves',
    async (_name, jump) => {
      const replica = await startWith({ CLOCK_JUMP_MS: String(jump) });
      const { customer, tokens } = await logInAt(replica);
      const waiting = customerAt(replica);
      await waiting.register();
      const before = (await customer.profile()).headers;
      replica.child.kill('SIGUSR2');
      const expected = [401, jump > 0 ? SessionErrors.tokenExpired.code : SessionErrors.tokenInvalid.code];
      await eventually(async () =>
        expect(await askProfile(replica, tokens['access_token'])).toEqual(expected),
      );
      await waiting.logIn();
      const { body } = await post(replica, REFRESH, { refresh_token: tokens['refresh_token'] });
      customer.useToken(body.payload['access_token'] as string);
      const after = (await customer.profile()).headers;
      expect(Number(after.get('x-ratelimit-remaining'))).toBeLessThan(
        Number(before.get('x-ratelimit-remaining')),
      );
      expect(Number(after.get('x-ratelimit-reset'))).toBeLessThanOrEqual(60);
      await customer.pan();
      await customer.bank();
      expect(await effectsOf('bank', customer.person.account)).toMatchObject([{ calls: 1 }]);
      await replica.kill();
    },
  );
});
