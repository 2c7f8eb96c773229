import {
  FormerRelease,
  LoadBalancer,
  recordEvidence,
  type RunningProcess,
  ServiceProcesses as Processes,
} from '@fd/testing';
import { ONBOARDING_DATABASE } from '../../src/onboarding-database.js';
import type { IssuerSlug } from '../../test/support/issuers.js';
import { aPerson } from '../../test/support/person.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';
import { JourneyClient } from '../../test/support/journey-client.js';

const ISSUERS: readonly IssuerSlug[] = ['aravalli', 'kaveri', 'nilgiri', 'sahyadri', 'vindhya'];

const revision = FormerRelease.revision();

/** Skips the test visibly in a clone without history, which has no former release. */
const withHistory = revision === undefined ? it.skip : it;

describe('former release beside this one on the current schema', () => {
  let former: FormerRelease | undefined;
  let service: TestService | undefined;
  let balancer: LoadBalancer | undefined;
  const processes: Processes[] = [];
  afterAll(async () => {
    await balancer?.stop();
    for (const started of processes) await started.killAll();
    await service?.close();
    former?.remove();
  });

  withHistory(
    `completes journeys while calls alternate between the two releases${revision ? '' : ' (no history: a shallow clone)'}`,
    async () => {
      former = FormerRelease.build(revision!);
      service = await startService();
      processes.push(
        // connects as the owner: the role's secret changes only after the rollout
        new Processes(former.dist, {
          ...service.environment,
          DATABASE_URL: service.environment['MIGRATIONS_DATABASE_URL'],
        }),
        new ServiceProcesses(service.environment),
      );
      const settings = { TRUSTED_PROXY_HOPS: '1', REPLICAS: '2', RATE_LIMIT_PER_MINUTE: '1000000' };
      const replicas: RunningProcess[] = [];
      for (const started of processes) replicas.push(await started.start(settings));
      balancer = await LoadBalancer.start();
      for (const { url } of replicas) balancer.add(url);
      await balancer.untilReady(2);
      for (const issuer of ISSUERS) {
        const customer = new JourneyClient(balancer.url, issuer, aPerson());
        await customer.all();
        expect((await customer.bookingCheck()).body.payload).toMatchObject({ is_bookable: true });
      }
      // both releases served calls, and none failed
      const served = [...balancer.served.values()];
      expect(served.every((calls) => calls > ISSUERS.length)).toBe(true);
      expect([balancer.failures, balancer.serverErrors]).toEqual([[], []]);
      const migrations = await service.dataSource.query<unknown[]>('SELECT 1 FROM onboarding.migrations');
      expect(migrations).toHaveLength(ONBOARDING_DATABASE.migrations.length);
      recordEvidence('former-release', {
        'journeys of both releases': ISSUERS.length,
        'calls at the former': served[0]!,
        'calls at this one': served[1]!,
        failed: 0,
      });
    },
  );
});
