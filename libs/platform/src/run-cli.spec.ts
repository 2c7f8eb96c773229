import { CommandError, runCli, sayList } from './run-cli.js';

describe('sayList', () => {
  const written = { stdout: '', stderr: '' };
  beforeEach(() => {
    Object.assign(written, { stdout: '', stderr: '' });
    for (const stream of ['stdout', 'stderr'] as const)
      jest.spyOn(process[stream], 'write').mockImplementation((text) => {
        written[stream] += String(text);
        return true;
      });
  });
  afterEach(() => jest.restoreAllMocks());

  it('prints one line for each entry', async () => {
    await sayList(['a', 'b'], 'Nothing.');
    expect(written).toEqual({ stdout: 'a\nb\n', stderr: '' });
  });

  it('shows control and reordering characters as code points, and keeps tabs', async () => {
    await sayList(['a\tb\u001b[2Jc\u202ed\u009b'], 'Nothing.');
    expect(written.stdout).toBe('a\tb<U+001B>[2Jc<U+202E>d<U+009B>\n');
  });

  it('says on standard error that a list is empty', async () => {
    await sayList([], 'Nothing.');
    expect(written).toEqual({ stdout: '', stderr: 'Nothing.\n' });
  });
});

describe('runCli', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    process.exitCode = undefined;
  });

  it('shows control characters of an error as code points', async () => {
    const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    jest.spyOn(process.stdout, 'on').mockReturnThis();
    const run = (): never => {
      throw new CommandError('key \u001b]0;x\u0007\nnext');
    };
    await runCli('service', [{ name: 'act', usage: '', summary: '', run }], ['act']);
    expect(written).toHaveBeenCalledWith('key <U+001B>]0;x<U+0007>\nnext\n');
  });

  it('prints the usage of a command for --help, and does not run it', async () => {
    const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    jest.spyOn(process.stdout, 'on').mockReturnThis();
    const run = jest.fn();
    await runCli(
      'service',
      [{ name: 'act', usage: '--file FILE', summary: 'Acts.', run }],
      ['act', '--help'],
    );
    expect(written).toHaveBeenCalledWith('Usage: act --file FILE\n\nActs.\n');
    expect([run.mock.calls, process.exitCode]).toEqual([[], 0]);
  });
});
