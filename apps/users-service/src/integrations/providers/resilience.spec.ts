import { withTimeLimit } from './resilience.js';

describe('a time limit', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const until = (signal: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('too late'))));

  it('aborts the work at its time limit, not before', async () => {
    let signal: AbortSignal | undefined;
    const work = withTimeLimit(1_000, (given) => until((signal = given)));
    const ended = expect(work).rejects.toThrow('too late');
    jest.advanceTimersByTime(999);
    expect(signal!.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    // once what has arrived was read
    jest.advanceTimersByTime(1);
    expect(signal!.aborted).toBe(true);
    await ended;
  });

  it.each([
    ['done', () => Promise.resolve('done')],
    ['failed', () => Promise.reject(new Error('failed'))],
    [
      'failed at once',
      () => {
        throw new Error('failed at once');
      },
    ],
  ])('leaves nothing running once the work has %s', async (outcome, work: () => Promise<string>) => {
    const answer = await withTimeLimit(1_000, work).catch(({ message }: Error) => message);
    expect([answer, jest.getTimerCount()]).toEqual([outcome, 0]);
  });
});
