import { fuzzSeed } from '@fd/fuzzing';
import { recordEvidence, type RunningProcess } from '@fd/testing';
import { fuzzMasterService } from '../support/fuzz-master.js';
import { API_KEY, createStores, type MasterStores } from '../support/master-app.js';
import { ServiceProcesses } from '../support/service-process.js';

const REQUESTS = 12_000;
/** What may be in use after the first tenth, and what more at the end: caches fill, nothing may go on growing. */
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

  it('ends with a service that lives, is ready, has not grown, and has logged no defect', async () => {
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
