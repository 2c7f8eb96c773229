import { fuzzSeed } from '@fd/fuzzing';
import { recordEvidence, type RunningProcess } from '@fd/testing';
import { fuzzMasterService } from '../../test/support/fuzz-master.js';
import { API_KEY, createStores, type MasterStores } from '../../test/support/master-app.js';
import { ServiceProcesses } from '../../test/support/service-process.js';

const REQUESTS = 12_000;
/** Memory after the first tenth of the run, and its allowed growth until the end: caches may fill. */
const GROWTH_MB = 120;

jest.setTimeout(3_600_000);

describe('a long run of hostile requests', () => {
  let stores: MasterStores;
  let processes: ServiceProcesses;
  let running: RunningProcess;
  beforeAll(async () => {
    stores = await createStores();
    processes = new ServiceProcesses({ ...stores.environment, RATE_LIMIT_PER_MINUTE: '1000000' });
    running = await processes.start();
  });
  afterAll(async () => {
    await processes.killAll();
    await stores.drop();
  });

  const memoryMb = async (): Promise<number> => {
    const text = await (await fetch(`${running.url}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)![1]) / 1e6;
  };
  const run = (requests: number, seed: number) =>
    fuzzMasterService({ baseUrl: running.url, requests, seed, secrets: [API_KEY, stores.databaseUrl] });

  it('leaves the service alive and ready, without memory growth or logged defects', async () => {
    const seed = fuzzSeed();
    await run(REQUESTS / 10, seed);
    const before = await memoryMb();
    await run((REQUESTS * 9) / 10, seed + 1);
    const grownMb = (await memoryMb()) - before;
    expect(grownMb).toBeLessThan(GROWTH_MB);
    for (const path of ['/health/live', '/health/ready'])
      expect((await fetch(`${running.url}${path}`)).status).toBe(200);
    expect(running.log().match(/"level":"(error|fatal)"/g)).toBeNull();
    recordEvidence('hostile-requests-master', {
      seed: String(seed),
      requests: REQUESTS,
      'MB grown': Math.round(grownMb),
    });
  });
});
