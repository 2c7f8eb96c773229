import { fuzzSeed } from '@fd/fuzzing';
import { fuzzMasterService } from '../support/fuzz-master.js';
import { API_KEY, startService, type TestService } from '../support/master-app.js';

const REQUESTS = 12_000;

jest.setTimeout(3_600_000);

describe('a long run of hostile requests', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
  });
  afterAll(() => service.close());

  it('ends with a service that lives, is ready and has logged no defect', async () => {
    const secrets = [API_KEY, service.stores.databaseUrl];
    await fuzzMasterService(service, { requests: REQUESTS, seed: fuzzSeed(), secrets });
    for (const path of ['/health/live', '/health/ready'])
      expect((await service.anonymous.get(path)).status).toBe(200);
    expect(service.logs().match(/"level":"(error|fatal)"/g)).toBeNull();
  });
});
