import {
  eventually,
  FormerRelease,
  LoadBalancer,
  recordEvidence,
  type RunningProcess,
  ServiceProcesses as Processes,
} from '@fd/testing';
import { Jobs } from '../../src/core/index.js';
import { ONBOARDING_DATABASE } from '../../src/onboarding-database.js';
import { effectsOf } from '../../test/support/effects.js';
import type { IssuerSlug } from '../../test/support/issuers.js';
import { KilledService, SHORT_LOOKUPS } from '../../test/support/killed-service.js';
import { aPerson } from '../../test/support/person.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';
import { type Answer, JourneyClient } from '../../test/support/journey-client.js';

const ISSUERS: readonly IssuerSlug[] = ['aravalli', 'kaveri', 'nilgiri', 'sahyadri', 'vindhya'];

const revision = FormerRelease.revision();

/** Skips the test visibly in a clone without history, which has no former release. */
const withHistory = revision === undefined ? it.skip : it;

let former: FormerRelease | undefined;
const formerRelease = (): FormerRelease => (former ??= FormerRelease.build(revision!));
afterAll(() => former?.remove());

/** Connects as the owner: the role's secret changes only after the rollout. */
const formerProcesses = ({ environment }: TestService): Processes =>
  new Processes(formerRelease().dist, {
    ...environment,
    DATABASE_URL: environment['MIGRATIONS_DATABASE_URL'],
  });

describe('former release beside this one on the current schema', () => {
  let service: TestService | undefined;
  let balancer: LoadBalancer | undefined;
  const processes: Processes[] = [];
  afterAll(async () => {
    await balancer?.stop();
    for (const started of processes) await started.killAll();
    await service?.close();
  });

  withHistory(
    `completes journeys while calls alternate between the two releases${revision ? '' : ' (no history: a shallow clone)'}`,
    async () => {
      service = await startService();
      processes.push(formerProcesses(service), new ServiceProcesses(service.environment));
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

describe('calls, codes and sessions that a killed replica leaves open', () => {
  let own: KilledService;
  let old: Processes;
  beforeEach(async () => {
    own = await KilledService.start();
    old = formerProcesses(own.service);
    // the worker of the tests' process would take the calls
    await own.service.app.get(Jobs).beforeApplicationShutdown();
  });
  afterEach(async () => {
    await old.killAll();
    await own.end();
  });

  const stepOf = async (customer: JourneyClient, name: string): Promise<unknown> => {
    const { steps } = (await customer.journey()).body.payload as {
      steps: { step: string; status: string }[];
    };
    return steps.find(({ step }) => step === name)?.status;
  };

  withHistory.each(['this', 'the former'] as const)('are continued by %s release', async (next) => {
    const [from, to] = next === 'this' ? [old, own.processes] : [own.processes, old];
    const first = await from.start(own.throughProxy());
    const aCustomer = (): JourneyClient => new JourneyClient(first.url, 'aravalli', aPerson());
    const [checking, banking, atProvider, registered] = [aCustomer(), aCustomer(), aCustomer(), aCustomer()];
    const tokens: Answer['body']['payload'][] = [];
    for (const customer of [checking, banking, atProvider]) {
      await customer.register();
      tokens.push((await customer.logIn()).body.payload);
    }
    for (const customer of [banking, atProvider]) await customer.pan();
    await atProvider.status();
    await registered.register();
    const bankCall = own.proxy.holdNext(/\/account-verifications$/, 'before the answer');
    const bankAnswer = banking.tryBank().catch(() => undefined);
    await bankCall.caught;
    // last: its lease is the shortest
    const panCall = own.proxy.holdNext(/\/providers\/pan\/verifications$/, 'before the answer');
    const panAnswer = checking.tryPan().catch(() => undefined);
    await panCall.caught;
    await first.kill();
    for (const call of [panCall, bankCall]) call.release();
    await Promise.all([panAnswer, bankAnswer]);

    const second = await to.start(SHORT_LOOKUPS);
    for (const customer of [checking, banking, atProvider, registered]) customer.baseUrl = second.url;
    await eventually(async () => expect(await stepOf(banking, 'BANK')).toBe('DONE'), 60_000);
    const { account } = banking.person;
    expect(await effectsOf('bank', account)).toHaveLength(1);
    expect(await effectsOf('issuer:aravalli', account)).toHaveLength(1);
    await eventually(() => checking.pan(), 60_000);
    expect(await stepOf(checking, 'PAN')).toBe('DONE');
    await atProvider.ekyc();
    // the code that the killed replica sent
    await registered.logIn();
    const rotated = await checking.call('POST', '/auth/api/v2/token/refresh', {
      refresh_token: tokens[0]!['refresh_token'],
    });
    expect(rotated.status).toBe(200);
  });
});
