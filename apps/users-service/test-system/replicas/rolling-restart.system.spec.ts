import { GENEROUS_LIMITS, recordEvidence, type Replacement, ReplicaSet, SteadyLoad } from '@fd/testing';
import { aPerson } from '../../test/support/person.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';
import { JourneyClient } from '../../test/support/journey-client.js';

const REPLICAS = 3;
const CLIENTS = 4;
const CALLS_OF_ROUND = 4;

jest.setTimeout(300_000);

describe('rolling deployment', () => {
  let service: TestService;
  let replicas: ReplicaSet;
  beforeAll(async () => {
    service = await startService();
    replicas = await ReplicaSet.start(new ServiceProcesses(service.environment), REPLICAS, {
      ...GENEROUS_LIMITS,
      // far longer than the balancer needs to notice, also on a busy machine
      SHUTDOWN_DELAY_SECONDS: '5',
      RATE_LIMIT_PER_MINUTE: '1000000',
    });
  });
  afterAll(async () => {
    await replicas.stop();
    await service.close();
  });

  /** Logs a new user in and reads data, each call at the next replica. */
  const lookAround = async (): Promise<void> => {
    const customer = new JourneyClient(replicas.url, 'aravalli', aPerson());
    await customer.register();
    await customer.logIn();
    await customer.profile();
    await customer.journey();
  };

  /** Replaces the replicas one by one while users log in. */
  const roll = async (): Promise<{ load: SteadyLoad; replaced: Replacement[]; unanswered: string[] }> => {
    const before = replicas.balancer.failures.length;
    const load = SteadyLoad.start(CLIENTS, lookAround);
    const replaced: Replacement[] = [];
    for (let index = 0; index < REPLICAS; index++) replaced.push(await replicas.replace(index));
    await load.stop();
    return { load, replaced, unanswered: replicas.balancer.failures.slice(before) };
  };

  it('fails no request while it replaces every replica under load', async () => {
    const errorsOf = (replacements: Replacement[]) =>
      replacements.flatMap(({ serverErrors }) => serverErrors);
    const { load, replaced, unanswered } = await roll();
    expect(unanswered).toEqual([]);
    expect(errorsOf(replaced)).toEqual([]);
    expect(load.failures).toEqual([]);
    expect(replaced.map(({ exitCode }) => exitCode)).toEqual(Array(REPLICAS).fill(0));
    expect(load.rounds).toBeGreaterThan(REPLICAS * CLIENTS);
    recordEvidence('rolling-restart-users', {
      'replicas replaced': REPLICAS,
      requests: load.rounds * CALLS_OF_ROUND,
      'refused or broken off': unanswered.length,
      'errors of replicas that were ending': 0,
      'answers of replicas too busy otherwise': replicas.balancer.serverErrors.length,
    });
  });
});
