import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { hasInput, operatorInput } from './operator-input.js';

describe('hasInput', () => {
  it('returns whether there is input, without waiting', async () => {
    expect(await hasInput(Readable.from(['ABCDE1234F']))).toBe(true);
    expect(await hasInput(Readable.from([]))).toBe(false);
    const silent = new PassThrough();
    expect(await hasInput(silent)).toBe(false);
    expect(silent.destroyed).toBe(true);
  });
});

describe('operatorInput', () => {
  const folder = mkdtempSync(join(tmpdir(), 'input-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reads a file, such as a mounted Secret', async () => {
    const file = join(folder, 'subject');
    writeFileSync(file, '919876543210\n');
    expect(await operatorInput(file)).toBe('919876543210\n');
    await expect(operatorInput(join(folder, 'missing'))).rejects.toThrow(/ENOENT/);
  });
});
