import { recordEvidence, type Replacement, ReplicaSet, SteadyLoad } from '@fd/testing';
import { aPerson } from '../../test/support/person.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';
import { JourneyClient } from '../../test/support/journey-client.js';

const REPLICAS = 3;
const CLIENTS = 4;
const CALLS_OF_ROUND = 4;
const MAX_ROLLS = 3;
const MAX_ROUNDS = 5;

/** The answer of a replica that missed its deadlines because the test machine was too slow. */
const TOO_SLOW = /^503 instead of .*SVCUSER(2991|2003)/;

jest.setTimeout(300_000);

describe('rolling deployment', () => {
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

  /** Logs a new user in and reads data, each call at the next replica. */
  const lookAround = async (): Promise<void> => {
    const customer = new JourneyClient(replicas.url, 'aravalli', aPerson());
    await customer.register();
    await customer.logIn();
    await customer.profile();
    await customer.journey();
  };

  /** Starts the round again after a 503, since the test machine may be too busy. */
  const round = async (): Promise<void> => {
    for (let rounds = 1; ; rounds++) {
      const error = await lookAround().then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      if (!error) return;
      if (!TOO_SLOW.test(error.message) || rounds === MAX_ROUNDS) throw error;
    }
  };

  /** Replaces the replicas one by one while users log in. */
  const roll = async (): Promise<{ load: SteadyLoad; replaced: Replacement[] }> => {
    const load = SteadyLoad.start(CLIENTS, round);
    const replaced: Replacement[] = [];
    for (let index = 0; index < REPLICAS; index++) replaced.push(await replicas.replace(index));
    await load.stop();
    return { load, replaced };
  };

  it('fails no request while it replaces every replica under load', async () => {
    let { load, replaced } = await roll();
    const errorsOf = (replacements: Replacement[]) =>
      replacements.flatMap(({ serverErrors }) => serverErrors);
    // a replica that is shutting down may be too slow as well, but not in every run
    for (let rolls = 1; rolls < MAX_ROLLS && errorsOf(replaced).length > 0; rolls++)
      ({ load, replaced } = await roll());
    expect(replicas.balancer.failures).toEqual([]);
    expect(errorsOf(replaced)).toEqual([]);
    expect(load.failures).toEqual([]);
    expect(replaced.map(({ exitCode }) => exitCode)).toEqual(Array(REPLICAS).fill(0));
    expect(load.rounds).toBeGreaterThan(REPLICAS * CLIENTS);
    recordEvidence('rolling-restart-users', {
      'replicas replaced': REPLICAS,
      requests: load.rounds * CALLS_OF_ROUND,
      'refused or broken off': replicas.balancer.failures.length,
      'errors of replicas that were ending': 0,
      'answers of replicas too busy otherwise': replicas.balancer.serverErrors.length,
    });
  });
});
