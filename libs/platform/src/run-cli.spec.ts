import { sayList } from './run-cli.js';

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

  it('says on standard error that a list is empty', async () => {
    await sayList([], 'Nothing.');
    expect(written).toEqual({ stdout: '', stderr: 'Nothing.\n' });
  });
});
