import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorInput } from './operator-input.js';

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
