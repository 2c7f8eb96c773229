import { fuzzSeed } from '@fd/fuzzing';
import { fuzzMasterService } from '../test/support/fuzz-master.js';
import { API_KEY, startService, type TestService } from '../test/support/master-app.js';

/** Few requests, the same in every run; the soak sends many random ones. */
const REQUESTS = 600;
const SEED = 20_261;

describe('hostile requests', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
  });
  afterAll(() => service.close());

  it('answers hostile requests as documented, without defects or leaks', async () => {
    const secrets = [API_KEY, service.stores.databaseUrl];
    const seed = fuzzSeed(SEED);
    const tally = await fuzzMasterService({ baseUrl: service.url, requests: REQUESTS, seed, secrets });
    const seen = [...tally.keys()];
    // every call succeeds at least once, and refuses a caller without a key
    expect(seen.filter((key) => / 200$/.test(key)).length).toBeGreaterThan(5);
    expect(seen.filter((key) => / 401$/.test(key))).toHaveLength(6);
    expect((await service.anonymous.get('/health/ready')).status).toBe(200);
    const lines = service.logs().trim().split('\n');
    const levels = new Set(lines.map((line) => (JSON.parse(line) as { level: string }).level));
    expect([...levels].filter((level) => ['error', 'fatal'].includes(level))).toEqual([]);
  });
});
