import { proves, ReplicaSet, SteadyLoad } from '@fd/testing';
import { aPerson } from './support/person.js';
import { ServiceProcesses } from './support/service-process.config.js';
import { startService, type TestService } from './support/users-app.js';
import { Walk } from './support/walk.js';

const REPLICAS = 3;
const CLIENTS = 4;
const CALLS_OF_ROUND = 4;
const MAX_ROLLS = 3;

/** What a replica answers when the machine under test was too slow for its deadlines. */
const TOO_SLOW = /^503 instead of .*SVCUSER(2991|2003)/;

jest.setTimeout(180_000);

describe('a deployment', () => {
  let service: TestService;
  let replicas: ReplicaSet;
  beforeAll(async () => {
    service = await startService();
    replicas = await ReplicaSet.start(new ServiceProcesses(service.environment), REPLICAS, {
      // ten times as long as the balancer needs to notice
      SHUTDOWN_DELAY_SECONDS: '1',
      RATE_LIMIT_PER_MINUTE: '1000000',
    });
  });
  afterAll(async () => {
    await replicas.stop();
    await service.close();
  });

  /** Logs somebody new in and looks around, each call at the next replica. */
  const round = async (): Promise<void> => {
    const walk = new Walk(replicas.url, 'aravalli', aPerson());
    await walk.register();
    await walk.logIn();
    await walk.profile();
    await walk.journey();
  };

  /** Replaces every replica in turn while people log in. */
  const roll = async () => {
    const load = SteadyLoad.start(CLIENTS, round);
    const codes: (number | null)[] = [];
    for (let index = 0; index < REPLICAS; index++) codes.push(await replicas.replace(index));
    await load.stop();
    return { load, codes };
  };

  it('that replaces every replica under load fails no request', async () => {
    let rolls = 1;
    let { load, codes } = await roll();
    // what a machine does that is too slow is not the deployment's doing
    for (; rolls < MAX_ROLLS && load.failures.some((failure) => TOO_SLOW.test(failure)); rolls++) {
      expect(load.failures.filter((failure) => !TOO_SLOW.test(failure))).toEqual([]);
      ({ load, codes } = await roll());
    }
    expect(replicas.balancer.failures).toEqual([]);
    expect(load.failures).toEqual([]);
    expect(codes).toEqual(Array(REPLICAS).fill(0));
    expect(load.rounds).toBeGreaterThan(REPLICAS * CLIENTS);
    const requests = load.rounds * CALLS_OF_ROUND;
    proves('rolling-restart-users', {
      'replicas replaced': REPLICAS,
      requests,
      failed: load.failures.length,
    });
  });
});
