import { setTimeout as sleep } from 'node:timers/promises';
import { recordEvidence, type PromiseId, ReplicaSet, TcpProxy } from '@fd/testing';
import { effectsOf } from '../../test/support/effects.js';
import type { FinalState, Operation } from '../../test/support/history.js';
import { violationsIn } from '../../test/support/history-checker.js';
import { Contested, HistoryClient, randomOf } from '../../test/support/history-client.js';
import { aPerson } from '../../test/support/person.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';
import { JourneyClient } from '../../test/support/journey-client.js';

const REPLICAS = 3;
const CLIENTS = 8;
const RUN_MS = 60_000;
const SEEDS = [1, 2, 3];

jest.setTimeout(300_000);

/** Causes a fault once and repairs it. */
type Fault = (random: () => number) => Promise<void>;

/** Clients compete for the same phones and PANs while faults recur; the checker then judges every answer. */
describe('history of 60 seconds on three replicas', () => {
  let service: TestService;
  let redis: TcpProxy;
  let postgres: TcpProxy;
  let replicas: ReplicaSet;
  beforeAll(async () => {
    service = await startService();
    redis = await TcpProxy.before(service.environment['REDIS_URL']!);
    postgres = await TcpProxy.before(service.environment['DATABASE_URL']!);
    replicas = await ReplicaSet.start(new ServiceProcesses(service.environment), REPLICAS, {
      REDIS_URL: redis.url,
      DATABASE_URL: postgres.url,
      RATE_LIMIT_PER_MINUTE: '1000000',
    });
  });
  afterAll(async () => {
    await replicas.stop();
    await redis.close();
    await postgres.close();
    await service.close();
  });

  const cutting =
    (store: () => TcpProxy): Fault =>
    async (random) => {
      store().cut();
      await sleep(100 + random() * 1_400);
      store().heal();
      await sleep(1_000 + random() * 3_000);
    };
  const killing: Fault = async (random) => {
    await replicas.failOver(Math.floor(random() * REPLICAS));
    await sleep(500 + random() * 2_000);
  };

  /** Repeats the fault while the clients act. Returns how often. */
  const breakUntil = async (isOver: () => boolean, fault: Fault, random: () => number): Promise<number> => {
    let faults = 0;
    for (; !isOver(); faults++) await fault(random);
    return faults;
  };

  /** Returns the state that the clients left in the stores and the sandbox. */
  const finalState = async ({ allPhones }: Contested): Promise<FinalState> => {
    const messages = new Map<string, number>();
    for (const phone of allPhones) {
      const keys = (await effectsOf('sms', phone)).map((effect) => effect.idempotency_key);
      messages.set(phone, new Set(keys).size);
    }
    const openTokens = await service.dataSource.query<{ session: string; count: number }[]>(
      `SELECT s.id AS session, count(*) FILTER (WHERE t.rotated_at IS NULL)::int AS count
         FROM onboarding.sessions s JOIN onboarding.refresh_tokens t ON t.session_id = s.id
        WHERE s.ended_at IS NULL GROUP BY s.id`,
    );
    return { messages, openTokens };
  };

  it.each(
    (
      [
        ['connections to Redis are reset', 'history-redis-resets', cutting(() => redis)],
        ['replicas are killed', 'history-replica-killed', killing],
        ['connections to PostgreSQL are cut', 'history-postgres-cut', cutting(() => postgres)],
      ] as const
    ).flatMap(([name, promise, fault]) => SEEDS.map((seed) => [name, seed, promise, fault] as const)),
  )('keeps every guarantee while %s (seed %i)', async (_name, seed, promise: PromiseId, fault) => {
    const history: Operation[] = [];
    const contested = new Contested();
    const clients = Array.from(
      { length: CLIENTS },
      (_, i) => new HistoryClient(replicas.url, history, contested, randomOf(seed * 1_000 + i)),
    );
    const end = Date.now() + RUN_MS;
    const isOver = (): boolean => Date.now() > end;
    const [faults] = await Promise.all([
      breakUntil(isOver, fault, randomOf(seed)),
      ...clients.map((client) => client.act(isOver)),
    ]);

    // after the faults, a new user can log in and every open session can be refreshed
    await replicas.balancer.untilReady(REPLICAS);
    const customer = new JourneyClient(replicas.url, 'aravalli', aPerson());
    await customer.register();
    await customer.logIn();
    for (const client of clients)
      for (const session of [...client.sessions]) await client.refresh(session, 1);

    const outcomes = (outcome: Operation['outcome']) =>
      history.filter((operation) => operation.outcome === outcome).length;
    const violations = violationsIn(history, await finalState(contested));
    expect(violations).toEqual([]);
    // the history must contain enough successful calls and faults to prove anything
    expect(outcomes('ok')).toBeGreaterThan(100);
    expect(faults).toBeGreaterThanOrEqual(2);
    recordEvidence(promise, {
      seed: String(seed),
      faults,
      operations: history.length,
      ok: outcomes('ok'),
      unanswered: outcomes('unknown'),
      violations: violations.length,
    });
  });
});
