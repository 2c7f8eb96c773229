import { aPhone, wrongCode } from '../../test/support/inbox.js';
import { logIn, verifyBody } from '../../test/support/login.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const PAIRS = 300;

/**
 * Ratio of two medians on a busy machine; looking up the user, or work for known users only, would exceed it clearly.
 */
const MAX_RATIO = 1.5;

jest.setTimeout(1_800_000);

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

describe('response time for known and unknown phones', () => {
  let service: TestService;
  let known: string[];
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
    known = [];
    while (known.length < PAIRS) known.push((await logIn(service)).phone);
  });
  afterAll(() => service.close());

  it.each<[string, (phone: string) => Promise<unknown>]>([
    ['a code is requested', (phone) => service.api.post('/auth/register', { phone })],
    [
      'a wrong code is sent',
      (phone) => service.api.post('/auth/api/v2/register/verify', verifyBody(phone, wrongCode('123456'))),
    ],
  ])('does not differ when %s', async (_name, call) => {
    const tookMs = async (phone: string) => {
      const startedAt = performance.now();
      await call(phone);
      return performance.now() - startedAt;
    };
    const times: [number[], number[]] = [[], []];
    for (const [i, phone] of known.entries()) {
      // alternates the order of the pair, so that load on the machine affects both alike
      const pair = [phone, aPhone()];
      for (const which of i % 2 ? [0, 1] : [1, 0]) times[which]!.push(await tookMs(pair[which]!));
    }
    const [ofKnown, ofUnknown] = [median(times[0]), median(times[1])];
    expect(Math.max(ofKnown, ofUnknown) / Math.min(ofKnown, ofUnknown)).toBeLessThan(MAX_RATIO);
  });
});
