import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { recordEvidence } from './evidence.config.js';

describe('recordEvidence', () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofs-'));
  const file = join(folder, 'notes.jsonl');
  const own = process.env['FD_TEST_PROOFS'];
  afterEach(() => {
    delete process.env['FD_TEST_PROOFS'];
    if (own !== undefined) process.env['FD_TEST_PROOFS'] = own;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('records the promise, the test and the figures', () => {
    process.env['FD_TEST_PROOFS'] = file;
    recordEvidence('otp-once', { requests: 32, successes: 1 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      promise: 'otp-once',
      file: 'libs/testing/src/evidence.spec.ts',
      test: 'recordEvidence records the promise, the test and the figures',
      figures: { requests: 32, successes: 1 },
    });
  });

  describe('of concurrent tests', () => {
    let running = 0;
    beforeAll(() => (process.env['FD_TEST_PROOFS'] = file));

    it.concurrent.each(['first', 'second'])('records the name of the %s', async (which) => {
      running++;
      await eventually(() => expect(running).toBe(2));
      recordEvidence('otp-once', { which });
      expect(readFileSync(file, 'utf8')).toContain(
        `"test":"recordEvidence of concurrent tests records the name of the ${which}","figures":{"which":"${which}"}`,
      );
    });
  });

  it('does nothing when no results are stored', () => {
    delete process.env['FD_TEST_PROOFS'];
    expect(() => recordEvidence('otp-once', {})).not.toThrow();
  });
});
