import type { RegisterPayload, TokenPayload } from '@fd/contracts';
import { GeneralErrors, IdempotencyErrors, LoginErrors, PanErrors, SessionErrors } from '@fd/errors';
import {
  type ApiClient,
  expectRefusal,
  GENEROUS_LIMITS,
  recordEvidence,
  ReplicaSet,
  inParallel,
} from '@fd/testing';
import type { Response } from 'supertest';
import { effectsOf } from '../../test/support/effects.js';
import { aPhone, codeOf, inboxOf, wrongCode } from '../../test/support/inbox.js';
import { as, logIn, verifyBody } from '../../test/support/login.js';
import { aNominee, nomineesOf, NOMINEE_PATH } from '../../test/support/nominees.js';
import { panBody, postPan, verifyPan } from '../../test/support/pan.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const REPLICAS = 3;
const LIMIT = 120;
const PROFILE = '/api/v1/user-profile';
const REFRESH = '/auth/api/v2/token/refresh';

/** Three processes of the built service behind a balancer: they share counters and decisions. */
describe('three replicas', () => {
  let service: TestService;
  let replicas: ReplicaSet;
  beforeAll(async () => {
    service = await startService();
    replicas = await ReplicaSet.start(new ServiceProcesses(service.environment), REPLICAS, {
      ...GENEROUS_LIMITS,
      RATE_LIMIT_PER_MINUTE: String(LIMIT),
      // two hops: the balancer, and the test as a proxy that adds the client's address
      TRUSTED_PROXY_HOPS: '2',
    });
  });
  afterAll(async () => {
    await replicas.stop();
    await service.close();
  });

  let clients = 0;
  /** Returns the API behind the balancer for a client with its own address. */
  const anybody = (): ApiClient =>
    service.api
      .at(replicas.url)
      .with({ headers: { 'x-forwarded-for': `198.51.${clients >> 8}.${clients++ & 255}` } });
  const aUser = async () => {
    const api = anybody();
    const user = await logIn({ api });
    return { ...user, api: as(api, user) };
  };
  const aSentCode = async () => {
    const [api, phone] = [anybody(), aPhone()];
    const { status } = await api.post('/auth/register', { phone });
    expect(status).toBe(201);
    const code = await codeOf(phone);
    const verify = (otp: string) => api.post('/auth/api/v2/register/verify', verifyBody(phone, otp));
    return { code, verify };
  };
  const tokensOf = ({ body }: Response) => (body as { payload: TokenPayload }).payload;
  const withStatus = (answers: readonly Response[], status: number) =>
    answers.filter((answer) => answer.status === status);

  /** Makes calls in waves: large enough for calls to overlap, small enough for a slow machine. */
  const inWaves = async (count: number, call: () => Promise<Response>): Promise<Response[]> => {
    const answers: Response[] = [];
    while (answers.length < count)
      answers.push(...(await inParallel(Math.min(15, count - answers.length), () => call())));
    return answers;
  };

  it.each([
    [
      'a user',
      async () => {
        const { api } = await aUser();
        return () => api.get(PROFILE);
      },
    ],
    [
      'an address before login',
      () => {
        const api = anybody();
        return Promise.resolve(() => api.post('/auth/register', {}));
      },
    ],
  ])('shares one rate limit for %s, and grants exactly its number of calls', async (_name, aCaller) => {
    const answers = await inWaves(LIMIT + 30, await aCaller());
    const refused = withStatus(answers, 429);
    const answered = answers.filter(({ status }) => status !== 429);
    expect([answered.length, refused.length]).toEqual([LIMIT, 30]);
    expect(
      answered.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => a - b),
    ).toEqual(Array.from({ length: LIMIT }, (_, i) => i));
    for (const response of refused) {
      expectRefusal(response, GeneralErrors.tooManyRequests);
      expect(response.headers).toMatchObject({
        'x-ratelimit-limit': String(LIMIT),
        'x-ratelimit-remaining': '0',
        'retry-after': expect.stringMatching(/^([1-9]|[1-5]\d|60)$/) as string,
      });
    }
    const served = [...replicas.balancer.served.values()];
    expect(Math.min(...served)).toBeGreaterThan(LIMIT / REPLICAS / 2);
    recordEvidence('rate-limit-exact', {
      replicas: REPLICAS,
      limit: LIMIT,
      calls: answers.length,
      answered: answered.length,
    });
  });

  it('sends five codes to a phone for 20 parallel requests at three replicas', async () => {
    const phone = aPhone();
    const api = anybody();
    const answers = await inParallel(20, () => api.post('/auth/register', { phone }));
    const sent = withStatus(answers, 201).map(({ body }) => (body as { payload: RegisterPayload }).payload);
    expect(sent.map(({ attemptsUsed }) => attemptsUsed).sort()).toEqual([0, 1, 2, 3, 4]);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const response of refused) expectRefusal(response, LoginErrors.tooManySends);
    const messages = await inboxOf(phone);
    expect(messages).toHaveLength(5);
    expect(new Set(messages.map(({ code }) => code)).size).toBe(1);
    recordEvidence('otp-sends-exact', {
      replicas: REPLICAS,
      calls: 20,
      accepted: 5,
      messages: messages.length,
    });
  });

  it('compares five of 30 parallel wrong codes, and then refuses the right one', async () => {
    const { code, verify } = await aSentCode();
    const answers = await inParallel(30, () => verify(wrongCode(code)));
    const late = await verify(code);
    const compared = withStatus(answers, 400);
    expect(compared).toHaveLength(5);
    for (const response of compared) expectRefusal(response, LoginErrors.otpWrong);
    for (const response of answers.filter(({ status }) => status !== 400))
      expectRefusal(response, LoginErrors.tooManyTries);
    expectRefusal(late, LoginErrors.tooManyTries);
    recordEvidence('otp-checks-exact', { replicas: REPLICAS, guesses: 30, compared: compared.length });
  });

  it('accepts a right code among four parallel wrong ones', async () => {
    const { code, verify } = await aSentCode();
    const answers = await inParallel(5, (i) => verify(i === 2 ? code : wrongCode(code)));
    expect(answers[2]?.status).toBe(200);
    recordEvidence('otp-checks-exact', { replicas: REPLICAS, guesses: 5, 'right ones': 1, logins: 1 });
  });

  it('logs in once with a code that 32 calls send in parallel', async () => {
    const { code, verify } = await aSentCode();
    const answers = await inParallel(32, () => verify(code));
    const logins = withStatus(answers, 200);
    expect(logins).toHaveLength(1);
    for (const response of answers.filter(({ status }) => status !== 200))
      expectRefusal(response, LoginErrors.otpExpired);
    recordEvidence('otp-once', { replicas: REPLICAS, checks: 32, logins: logins.length });
  });

  it('gives 20 parallel refreshes one successor, and ends the session on every replica after later reuse', async () => {
    const user = await aUser();
    const refresh = () => user.api.post(REFRESH, { refresh_token: user.refresh_token });
    const answers = await inParallel(20, refresh);
    expect(withStatus(answers, 200)).toHaveLength(20);
    const successors = new Set(answers.map((answer) => tokensOf(answer).refresh_token));
    expect(successors.size).toBe(1);
    const tokens = await service.dataSource.query<{ rotated: boolean }[]>(
      `SELECT t.rotated_at IS NOT NULL AS rotated FROM onboarding.refresh_tokens t
         JOIN onboarding.sessions s ON s.id = t.session_id WHERE s.user_id = $1 ORDER BY 1`,
      [user.user_id],
    );
    expect(tokens.map(({ rotated }) => rotated)).toEqual([false, true]);
    await service.dataSource.query(
      `UPDATE onboarding.refresh_tokens t SET rotated_at = rotated_at - interval '31 seconds'
         FROM onboarding.sessions s WHERE s.id = t.session_id AND s.user_id = $1`,
      [user.user_id],
    );
    expectRefusal(
      await user.api.post(REFRESH, { refresh_token: user.refresh_token }),
      SessionErrors.refreshTokenReused,
    );
    for (const { url } of replicas.running) {
      const there = user.api.at(url);
      expectRefusal(
        await there.with({ bearer: tokensOf(answers[0]!).access_token }).get(PROFILE),
        SessionErrors.ended,
      );
      expectRefusal(
        await there.post(REFRESH, { refresh_token: [...successors][0] }),
        SessionErrors.refreshTokenInvalid,
      );
    }
    recordEvidence('refresh-one-lineage', { replicas: REPLICAS, refreshes: 20, successors: successors.size });
  });

  it('creates one nominee for 12 calls with the same Idempotency-Key', async () => {
    const user = await aUser();
    const options = { headers: { 'idempotency-key': 'nominee-1' } };
    const answers = await inParallel(12, () => user.api.post(NOMINEE_PATH, aNominee(), options));
    const created = withStatus(answers, 201);
    expect(created.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    for (const response of created) expect(response.body).toEqual(created[0]!.body);
    for (const response of answers.filter(({ status }) => status !== 201))
      expectRefusal(response, IdempotencyErrors.callRunning);
    const { nominees } = await nomineesOf(user.api);
    expect(nominees).toHaveLength(1);
    recordEvidence('idempotency-one-effect', { replicas: REPLICAS, calls: 12, nominees: nominees.length });
  });

  it('gives a PAN to one of 8 users who verify it in parallel', async () => {
    const users = await inParallel(8, () => aUser());
    const body = panBody();
    const answers = await Promise.all(users.map(({ api }) => postPan(api, body)));
    const owners = users.filter((_user, i) => answers[i]!.status === 200);
    expect(owners).toHaveLength(1);
    for (const response of answers.filter(({ status }) => status !== 200))
      expectRefusal(response, PanErrors.belongsToAnotherUser);
    expect(await verifyPan(owners[0]!.api, body)).toMatchObject({ is_pan_verified: true });
    expect((await effectsOf('pan', body.number)).length).toBeLessThanOrEqual(8);
    recordEvidence('pan-one-owner', { replicas: REPLICAS, users: users.length, owners: owners.length });
  });

  it('neither refuses nor aborts a call during these tests', () => {
    expect(replicas.balancer.failures).toEqual([]);
  });
});
