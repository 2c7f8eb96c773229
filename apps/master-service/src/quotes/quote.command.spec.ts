import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../test/support/command-line.js';
import { quoteCommand } from './quote.command.js';

const usable = JSON.stringify({
  vectors: [
    {
      id: 'A1',
      input: {
        principal: '100000',
        annual_rate_pct: '7',
        tenure_days: 90,
        start_date: '2025-01-15',
        compounding: 'Quarterly',
        payout_frequency: 'Maturity',
      },
    },
  ],
});

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'quote-'))));
afterAll(() => rm(folder, { recursive: true }));

async function written(text: string): Promise<string> {
  const path = join(folder, 'f.json');
  await writeFile(path, text);
  return path;
}

const quote = (...args: string[]) => runCommand(quoteCommand, ...args);

describe('quote --file', () => {
  it('prints only a JSON array', async () => {
    const path = await written(usable);
    for (const args of [['--file', path], [`--file=${path}`]]) {
      const { code, stdout, stderr } = await quote(...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ id: 'A1', maturity_amount: 101726.03 })]);
    }
  });

  it('reads a file that starts with a byte order mark', async () => {
    expect(await quote('--file', await written(`\uFEFF${usable}`))).toMatchObject({ code: 0 });
  });

  it.each([
    [[], '--file must name a file'],
    [['--file'], '--file'],
    [['--file', ''], '--file must name a file'],
    [['f.json'], 'f.json'],
    [['--colour', 'blue'], '--colour'],
  ])('refuses the arguments %j', async (args, message) => {
    expect(await quote(...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
  });

  it.each([
    ['is no JSON', '{', 'is not JSON ('],
    ['has no entries', '{}', 'the file is not usable: it has neither'],
  ])('fails when the file %s', async (_, text, message) => {
    const path = await written(text);
    const { code, stdout, stderr } = await quote('--file', path);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`${path}: ${message}`);
  });

  it('fails when the file is missing', async () => {
    const path = join(folder, 'nothing.json');
    const { code, stdout, stderr } = await quote('--file', path);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`${path}: cannot be read (`);
  });
});
