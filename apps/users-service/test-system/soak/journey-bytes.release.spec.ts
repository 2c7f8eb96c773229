import { readdirSync, readFileSync } from 'node:fs';
import { REDIS, type RedisClient } from '@fd/platform';
import { administer, recordEvidence } from '@fd/testing';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { sealTrail } from '../../test/support/audit.js';
import { aPerson } from '../../test/support/person.js';
import { startService, type TestService } from '../../test/support/users-app.js';
import { JourneyClient } from '../../test/support/journey-client.js';

/** Enough journeys that the unfilled pages of a table hardly count. */
const JOURNEYS = 600;
const AT_ONCE = 4;

/** Milliseconds of a tick in /proc: USER_HZ is 100 on Linux. */
const TICK_MS = 10;

/** The parent of a process, and its CPU time and that of its ended children in ms; undefined if it has ended. */
function processAt(pid: number): { parent: number; ownMs: number; childrenMs: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name before the last parenthesis may contain spaces
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user, system, childUser, childSystem] = fields.slice(11, 15) as [number, number, number, number];
    return {
      parent: fields[1]!,
      ownMs: (user + system) * TICK_MS,
      childrenMs: (childUser + childSystem) * TICK_MS,
    };
  } catch {
    return undefined;
  }
}

jest.setTimeout(1_800_000);

describe(`resource use of ${JOURNEYS} journeys`, () => {
  let service: TestService;
  let processes: ServiceProcesses;
  let url: string;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
    processes = new ServiceProcesses(service.environment);
    ({ url } = await processes.start());
  });
  afterAll(async () => {
    await processes.killAll();
    await service.close();
  });

  /** Returns the CPU time of the process in ms. */
  async function processorMs(): Promise<number> {
    const text = await (await fetch(`${url}/metrics`)).text();
    return 1_000 * Number(/^process_cpu_seconds_total (\S+)/m.exec(text)![1]);
  }

  /** Returns the CPU time of PostgreSQL in ms: of the postmaster and all its processes, also ended ones. */
  async function postgresMs(): Promise<number> {
    const [{ pid }] = await service.dataSource.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid');
    const postmaster = processAt(pid)!.parent;
    const { ownMs, childrenMs } = processAt(postmaster)!;
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    const running = pids.map(processAt).filter((found) => found?.parent === postmaster);
    return running.reduce((sum, found) => sum + found!.ownMs, ownMs + childrenMs);
  }

  /** Returns the CPU time of Redis in ms, and its memory and most memory in bytes. */
  async function redisUse(): Promise<{ ms: number; bytes: number; peakBytes: number }> {
    const redis = service.app.get<RedisClient>(REDIS);
    const text = `${await redis.info('cpu')}\n${await redis.info('memory')}`;
    const valueOf = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)![1]);
    return {
      ms: 1_000 * (valueOf('used_cpu_user') + valueOf('used_cpu_sys')),
      bytes: valueOf('used_memory'),
      peakBytes: valueOf('used_memory_peak'),
    };
  }

  async function completeJourneys(journeys: number): Promise<void> {
    let left = journeys;
    const customers = Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await new JourneyClient(url, 'aravalli', aPerson()).all();
    });
    await Promise.all(customers);
  }

  /** Returns the bytes of each table with its indexes; partitions count for their table. */
  async function bytesOf(): Promise<Record<string, number>> {
    await administer(service.environment['MIGRATIONS_DATABASE_URL']!, 'VACUUM (ANALYZE)');
    const rows = await service.dataSource.query<{ name: string; bytes: string }[]>(
      `SELECT coalesce(i.inhparent::regclass::text, c.oid::regclass::text) AS name,
              sum(pg_total_relation_size(c.oid)) AS bytes
         FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
        WHERE c.relnamespace = 'onboarding'::regnamespace AND c.relkind = 'r' GROUP BY 1`,
    );
    return Object.fromEntries(
      rows.map(({ name, bytes }) => [name.replace('onboarding.', ''), Number(bytes)]),
    );
  }

  it('measures the resource use of many journeys, table by table', async () => {
    // warm-up: V8 compiles late
    await completeJourneys(JOURNEYS / 4);
    const before = await bytesOf();
    const [beganMs, postgresBeganMs, redisBegan] = [
      await processorMs(),
      await postgresMs(),
      await redisUse(),
    ];
    await completeJourneys(JOURNEYS);
    const tookMs = (await processorMs()) - beganMs;
    const postgresTookMs = (await postgresMs()) - postgresBeganMs;
    const redis = await redisUse();
    const each = (amount: number) => Number((amount / JOURNEYS).toFixed(1));
    await sealTrail(service);
    const after = await bytesOf();
    const perJourney = Object.entries(after)
      .map(([table, bytes]) => [table, Math.round((bytes - (before[table] ?? 0)) / JOURNEYS)] as const)
      .filter(([, bytes]) => bytes > 0)
      .sort(([, one], [, other]) => other - one);
    const total = perJourney.reduce((sum, [, bytes]) => sum + bytes, 0);
    expect(total).toBeGreaterThan(0);
    expect(postgresTookMs).toBeGreaterThan(0);
    expect(redis.ms).toBeGreaterThan(redisBegan.ms);
    recordEvidence('journey-bytes', {
      journeys: JOURNEYS,
      'processor ms of Node.js each': Math.round(tookMs / JOURNEYS),
      'processor ms of PostgreSQL each': each(postgresTookMs),
      'processor ms of Redis each': each(redis.ms - redisBegan.ms),
      'bytes in Redis each': Math.round((redis.bytes - redisBegan.bytes) / JOURNEYS),
      'most bytes in Redis': redis.peakBytes,
      'bytes each': total,
      ...Object.fromEntries(perJourney),
    });
  });
});
