import { GeneralErrors } from '@fd/errors';
import { eventually, expectRefusal, recordEvidence, RedisSentinels, RedisServer } from '@fd/testing';
import { PrivateAuthority } from '../../test/support/private-authority.config.js';
import { aPhone, codeOf } from '../../test/support/inbox.js';
import { as, logIn, verifyBody } from '../../test/support/login.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const PASSWORD = 'of-the-nodes';

/** The order matters: each case takes the current primary away. */
type Step = (node: RedisServer) => void | Promise<void>;

describe('Redis behind sentinels, all with certificates of a private authority', () => {
  let authority: PrivateAuthority;
  let nodes: [RedisServer, RedisServer];
  let sentinels: RedisSentinels;
  let service: TestService;

  beforeAll(async () => {
    authority = await PrivateAuthority.create();
    const tls = await authority.issue();
    const node = () => RedisServer.startWithTls(tls, '--requirepass', PASSWORD, '--masterauth', PASSWORD);
    nodes = [await node(), await node()];
    await nodes[1].follow(nodes[0]);
    sentinels = await RedisSentinels.start(nodes[0], PASSWORD, tls);
    const url = new URL(`rediss://${RedisSentinels.PRIMARY}`);
    url.password = PASSWORD;
    service = await startService({
      REDIS_URL: url.href,
      REDIS_SENTINELS: sentinels.hosts,
      REDIS_SENTINEL_PASSWORD: RedisSentinels.PASSWORD,
      REDIS_CA_FILE: authority.file,
    });
  });
  afterAll(async () => {
    await service.close();
    await sentinels.stop();
    await Promise.all(nodes.map((node) => node.stop()));
    authority.remove();
  });

  const register = (phone: string) => service.api.post('/auth/register', { phone });
  /** Registers until it succeeds; every other answer must be 503. */
  const served = () =>
    eventually(async () => {
      const answer = await register(aPhone());
      if (answer.status !== 201) expectRefusal(answer, GeneralErrors.unavailable);
      expect(answer.status).toBe(201);
    });

  it.each<[fault: string, take: Step, back: Step]>([
    ['dies', (node) => node.kill(), (node) => node.start()],
    ['hangs', (node) => node.freeze(), (node) => node.thaw()],
  ])(
    'answers 503 when the primary %s until its replica takes over, without a restart of the service',
    async (_fault, take, back) => {
      const [primary, replica] = nodes;
      const user = await logIn(service);
      const phone = aPhone();
      expect((await register(phone)).status).toBe(201);
      await eventually(async () =>
        expect(await replica.command('DBSIZE')).toBe(await primary.command('DBSIZE')),
      );
      await take(primary);
      expectRefusal(await register(aPhone()), GeneralErrors.unavailable);
      expect((await as(service.api, user).get('/api/v1/user-profile')).status).toBe(200);
      await served();
      expect(await replica.command('ROLE')).toContain('master');
      // keys that the replica had are kept
      const verified = await service.api.post(
        '/auth/api/v2/register/verify',
        verifyBody(phone, await codeOf(phone)),
      );
      expect(verified.status).toBe(200);
      await back(primary);
      // the sentinels would do so after ten seconds
      await primary.follow(replica);
      nodes = [replica, primary];
      recordEvidence('redis-sentinel', { sentinels: 3, failovers: 1 });
    },
  );
});
