import { GeneralErrors } from '@fd/errors';
import { eventually, expectRefusal, recordEvidence, RedisSentinels, RedisServer } from '@fd/testing';
import { PrivateAuthority } from '../../test/support/private-authority.config.js';
import { aPhone, codeOf } from '../../test/support/inbox.js';
import { as, logIn, verifyBody } from '../../test/support/login.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const PASSWORD = 'of-the-nodes';

/** In this order: each case takes the primary away that the one before has left. */
type Step = (node: RedisServer) => void | Promise<void>;

describe('on a Redis that sentinels watch, all with certificates of a private authority', () => {
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
  /** Asks until somebody is served again; all others must be told that it is not possible now. */
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
    'a primary that %s: 503 until its replica has taken over, and nobody need restart us',
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
      // what the replica had is not lost
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
