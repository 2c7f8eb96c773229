import '@fd/testing/use-generous-limits';
import { toUSVString } from 'node:util';
import { fuzzSeed } from '@fd/fuzzing';
import fc from 'fast-check';
import { fuzzMasterService } from '../test/support/fuzz-master.js';
import { API_KEY, startService, type TestService } from '../test/support/master-app.js';
import { ANY_PARAMETER, GOOD_QUERY, rawStatus } from '../test/support/raw-calls.js';

/** Few requests, the same in every run; the soak sends many random ones. */
const REQUESTS = 600;
const SEED = 20_261;

let service: TestService;
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
});
afterAll(() => service.close());

describe('hostile requests', () => {
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

describe('random input', () => {
  it('answers random parameters with a documented quote or refusal', async () => {
    const values = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(
        '730',
        '100000',
        'Maturity',
        'true',
        'false',
        'FD',
        '1e309',
        '-0',
        '0.1',
        '\u0000',
        '%',
        '../..',
      ),
      fc.array(fc.constantFrom('1', 'FD', 'true'), { minLength: 2, maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...ANY_PARAMETER), values), async (changes) => {
        const query = wellFormed({ ...GOOD_QUERY, ...changes });
        // the client validates the answer
        const { status } = await service.api.get('/api/v1/detail/maturity-amount/ARAVFIN', { query });
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 300 },
    );
  });

  it('answers no random path with a server error', async () => {
    const segment = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
      fc.constantFrom('..', '.', '\u0000', '%', ' '),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/detail/', '/api/v1/detail/maturity-amount/', '/api/v1/', '/'),
        segment,
        async (start, text) => {
          const status = await rawStatus(service, start + encodeURIComponent(toUSVString(text)));
          expect(status).toBeLessThan(500);
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** Replaces lone surrogates, which a query string cannot encode. */
function wellFormed(query: Record<string, string | string[]>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      typeof value === 'string' ? toUSVString(value) : value,
    ]),
  );
}
