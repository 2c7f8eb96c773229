import { administer, recordEvidence } from '@fd/testing';
import { ServiceProcesses } from '../support/service-process.config.js';
import { sealTrail } from '../support/audit.js';
import { aPerson } from '../support/person.js';
import { startService, type TestService } from '../support/users-app.js';
import { JourneyClient } from '../support/journey-client.js';

/** Enough journeys that the unfilled pages of a table hardly count. */
const JOURNEYS = 600;
const AT_ONCE = 4;

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

  async function walk(journeys: number): Promise<void> {
    let left = journeys;
    const walkers = Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await new JourneyClient(url, 'aravalli', aPerson()).all();
    });
    await Promise.all(walkers);
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

  it('is measured, table by table', async () => {
    // warm-up: V8 compiles late
    await walk(JOURNEYS / 4);
    const [before, beganMs] = [await bytesOf(), await processorMs()];
    await walk(JOURNEYS);
    const tookMs = (await processorMs()) - beganMs;
    await sealTrail(service);
    const after = await bytesOf();
    const perJourney = Object.entries(after)
      .map(([table, bytes]) => [table, Math.round((bytes - (before[table] ?? 0)) / JOURNEYS)] as const)
      .filter(([, bytes]) => bytes > 0)
      .sort(([, one], [, other]) => other - one);
    const total = perJourney.reduce((sum, [, bytes]) => sum + bytes, 0);
    expect(total).toBeGreaterThan(0);
    recordEvidence('journey-bytes', {
      journeys: JOURNEYS,
      'processor ms of Node.js each': Math.round(tookMs / JOURNEYS),
      'bytes each': total,
      ...Object.fromEntries(perJourney),
    });
  });
});
