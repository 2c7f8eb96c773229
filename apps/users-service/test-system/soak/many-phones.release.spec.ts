import { recordEvidence } from '@fd/testing';
import { guessOnceAtEach } from '../../test/support/guessers.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const PHONES = 10_000;
const PREFIXES = 20;
const PER_PREFIX = 100;
const PER_HOUR = 1_000;

describe(`one guess at each of ${PHONES} phones`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({
      RATE_LIMIT_PER_MINUTE: '1000000',
      TRUSTED_PROXY_HOPS: '1',
      OTP_SENDS_PER_PREFIX_HOUR: String(PER_PREFIX),
      OTP_SENDS_PER_HOUR: String(PER_HOUR),
    });
  });
  afterAll(() => service.close());

  it('compares no more guesses than the codes that may be sent in an hour', async () => {
    const phones = Array.from(
      { length: PHONES },
      (_, i) => `91740${String(i % PREFIXES).padStart(2, '0')}1${String(3_000 + Math.floor(i / PREFIXES))}`,
    );
    const { sent, compared, right } = await guessOnceAtEach(phones, service);
    expect(sent).toBe(PER_HOUR);
    expect(compared + right).toBe(sent);
    // of a thousand guesses at a million codes
    expect(right).toBeLessThanOrEqual(2);
    recordEvidence('otp-many-phones-thousands', {
      phones: PHONES,
      'codes sent': sent,
      'guesses compared': compared,
    });
  });
});
