import { fuzzSeed } from '@fd/fuzzing';
import { GENEROUS_LIMITS, recordEvidence, type RunningProcess } from '@fd/testing';
import { fuzzUsersService } from '../../test/support/fuzz-users.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const REQUESTS = 40_000;
/** Workers in parallel, each with its own user. */
const WORKERS = 4;

/** Memory growth allowed after the first tenth of the requests: caches may fill, nothing may keep growing. */
const GROWTH_MB = 120;

jest.setTimeout(3 * 3_600_000);

describe('long run of hostile requests', () => {
  let service: TestService;
  let processes: ServiceProcesses;
  let running: RunningProcess;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
    processes = new ServiceProcesses(service.environment);
    running = await processes.start(GENEROUS_LIMITS);
  });
  afterAll(async () => {
    await processes.killAll();
    await service.close();
  });

  const memoryMb = async (): Promise<number> => {
    const text = await (await fetch(`${running.url}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)![1]) / 1e6;
  };

  const run = (requests: number, seed: number) =>
    Promise.all(
      Array.from({ length: WORKERS }, (_, worker) =>
        fuzzUsersService(service, {
          baseUrl: running.url,
          requests: requests / WORKERS,
          seed: seed + worker,
        }),
      ),
    );

  it('leaves the service alive and ready, without memory growth or logged defects', async () => {
    const seed = fuzzSeed();
    await run(REQUESTS / 10, seed);
    const before = await memoryMb();
    await run((REQUESTS * 9) / 10, seed + WORKERS);
    expect((await memoryMb()) - before).toBeLessThan(GROWTH_MB);
    for (const path of ['/health/live', '/health/ready'])
      expect((await fetch(`${running.url}${path}`)).status).toBe(200);
    const lines = running.log().trim().split('\n');
    expect(lines.length).toBeGreaterThan(REQUESTS * 0.8);
    const levels = new Set(lines.map((line) => (JSON.parse(line) as { level: string }).level));
    expect([...levels].filter((level) => ['error', 'fatal'].includes(level))).toEqual([]);
    recordEvidence('hostile-requests-many', { seed: String(seed), requests: REQUESTS });
  });
});
