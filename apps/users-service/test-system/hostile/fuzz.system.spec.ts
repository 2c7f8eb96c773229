import '@fd/testing/use-generous-limits';
import { BankErrors } from '@fd/errors';
import { fuzzSeed } from '@fd/fuzzing';
import { recordEvidence } from '@fd/testing';
import { fuzzUsersService } from '../../test/support/fuzz-users.js';
import { RowCounts } from '../../test/support/row-counts.js';
import { startService, type TestService } from '../../test/support/users-app.js';

/** Few and fixed in each run; the soak test sends many more, with changing seeds. */
const REQUESTS = 1_200;
const SEED = 20_261;

/** Paid verdicts of the bank or the issuer. Their rows are kept, so that no verdict is paid for twice. */
const BANK_VERDICTS = [BankErrors.holderDiffers, BankErrors.accountBlocked, BankErrors.beneficiaryInvalid];
const BANK_TABLES = ['bank_accounts', 'bank_syncs'];

describe('hostile requests', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('answers hostile requests as documented, without a defect and without leaking secrets', async () => {
    const baseUrl = service.url;
    const tables = await RowCounts.read(service.dataSource);
    let refusals = 0;
    let last = 0;
    const tally = await fuzzUsersService(service, {
      baseUrl,
      requests: REQUESTS,
      seed: fuzzSeed(SEED),
      watch: {
        // after a 401 the fuzzer may have logged in again, which adds rows
        begin: () => (last >= 400 && last !== 401 ? undefined : tables.grownSince()),
        judge: async ({ status, text }) => {
          last = status;
          if (status < 400 || status >= 500) return;
          const kept = BANK_VERDICTS.some(({ code }) => text.includes(code)) ? BANK_TABLES : [];
          const grown = (await tables.grownSince()).filter((table) => !kept.includes(table));
          expect([text, grown]).toEqual([text, []]);
          refusals++;
        },
      },
    });
    // requests get past validation: most calls have been seen to succeed and to refuse
    const seen = [...tally.keys()];
    expect(seen.filter((key) => / 20[0-2]$/.test(key)).length).toBeGreaterThan(20);
    expect(seen.filter((key) => / 400$/.test(key)).length).toBeGreaterThan(20);
    expect((await fetch(`${baseUrl}/health/ready`)).status).toBe(200);
    expect(service.logs().match(/"level":"(error|fatal)"/g)).toBeNull();
    for (const line of service.logs().trim().split('\n')) expect(typeof JSON.parse(line)).toBe('object');
    recordEvidence('hostile-requests', { requests: REQUESTS });
    recordEvidence('refusals-leave-nothing', { refusals, tables: tables.size });
  });
});
