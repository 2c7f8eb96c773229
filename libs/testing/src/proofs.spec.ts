import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { proves } from './proofs.config.js';

describe('proves', () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofs-'));
  const file = join(folder, 'notes.jsonl');
  const own = process.env['FD_TEST_NOTES'];
  afterEach(() => {
    delete process.env['FD_TEST_NOTES'];
    if (own !== undefined) process.env['FD_TEST_NOTES'] = own;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('notes the promise, the test and the figures', () => {
    process.env['FD_TEST_NOTES'] = file;
    proves('otp-once', { requests: 32, successes: 1 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      promise: 'otp-once',
      file: __filename,
      test: 'proves notes the promise, the test and the figures',
      figures: { requests: 32, successes: 1 },
    });
  });

  it('does nothing when no results are kept', () => {
    delete process.env['FD_TEST_NOTES'];
    expect(() => proves('otp-once', {})).not.toThrow();
  });
});
