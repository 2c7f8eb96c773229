import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordEvidence } from './evidence.config.js';

describe('recordEvidence', () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofs-'));
  const file = join(folder, 'notes.jsonl');
  const own = process.env['FD_TEST_NOTES'];
  afterEach(() => {
    delete process.env['FD_TEST_NOTES'];
    if (own !== undefined) process.env['FD_TEST_NOTES'] = own;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('records the promise, the test and the figures', () => {
    process.env['FD_TEST_NOTES'] = file;
    recordEvidence('otp-once', { requests: 32, successes: 1 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      promise: 'otp-once',
      file: __filename,
      test: 'recordEvidence records the promise, the test and the figures',
      figures: { requests: 32, successes: 1 },
    });
  });

  it('does nothing when no results are stored', () => {
    delete process.env['FD_TEST_NOTES'];
    expect(() => recordEvidence('otp-once', {})).not.toThrow();
  });
});
