import { runQuoteCommand } from './quote.command.js';

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

function run(argv: string[], files: Record<string, string> = {}) {
  const printed = { stdout: '', stderr: '' };
  const code = runQuoteCommand(argv, {
    readFile: (path) => {
      const text = files[path];
      if (text === undefined) throw new Error(`no such file: ${path}`);
      return text;
    },
    stdout: (text) => void (printed.stdout += text),
    stderr: (text) => void (printed.stderr += text),
  });
  return { code, ...printed };
}

describe('quote command', () => {
  it.each([[['--file', 'f.json']], [['--file=f.json']]])('prints nothing but a JSON array for %j', (argv) => {
    const { code, stdout, stderr } = run(argv, { 'f.json': usable });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ id: 'A1', maturity_amount: 101726.03 })]);
  });

  it('reads a file that starts with a byte order mark', () => {
    expect(run(['--file', 'f.json'], { 'f.json': `\uFEFF${usable}` }).code).toBe(0);
  });

  it.each([[[]], [['--file']], [['--file', '']], [['f.json']], [['--colour', 'blue']]])(
    'tells how it is called for %j',
    (argv) => {
      expect(run(argv, { 'f.json': usable })).toEqual({
        code: 2,
        stdout: '',
        stderr: 'Usage: quote --file FILE\n',
      });
    },
  );

  it.each([
    ['cannot be read', {}, 'f.json: cannot be read (no such file: f.json)\n'],
    ['is no JSON', { 'f.json': '{' }, 'f.json: is not JSON ('],
    ['has no entries', { 'f.json': '{}' }, 'f.json: the file is not usable: it has neither'],
  ])('fails and says why when the file %s', (_, files, message) => {
    const { code, stdout, stderr } = run(['--file', 'f.json'], files);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.startsWith(message)).toBe(true);
  });
});
