import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { EntityManager } from 'typeorm';
import { Jobs } from './jobs.service.js';

// longer than a period of one second with its jitter, shorter than two
const ROUND_MS = 1_300;

describe('Jobs', () => {
  let jobs: Jobs;
  let registry: Registry;
  let warnings: object[];
  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    warnings = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: object) => void warnings.push(message));
    jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
    registry = new Registry();
    jobs = new Jobs(registry, {} as EntityManager);
  });
  afterEach(async () => {
    await jobs.beforeApplicationShutdown();
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  const poll = (run: (signal: AbortSignal) => Promise<void>) => {
    jobs.poll({ name: 'test', waiting: 'tests wait', run });
    jobs.start();
  };

  it('repeats a job without overlaps', async () => {
    let finish = (): void => undefined;
    const run = jest.fn(() => new Promise<void>((resolve) => (finish = resolve)));
    poll(run);
    await jest.advanceTimersByTimeAsync(5 * ROUND_MS);
    expect(run).toHaveBeenCalledTimes(1);
    finish();
    await jest.advanceTimersByTimeAsync(ROUND_MS);
    expect(run).toHaveBeenCalledTimes(2);
    finish();
  });

  it('logs once that rounds fail, until one succeeds, and measures each', async () => {
    const failure = (): Promise<void> => Promise.reject(new Error('away'));
    const run = jest.fn(() => Promise.resolve());
    run.mockImplementationOnce(failure).mockImplementationOnce(failure);
    run.mockImplementationOnce(() => Promise.resolve()).mockImplementationOnce(failure);
    poll(run);
    await jest.advanceTimersByTimeAsync(4 * 1_000);
    expect(run).toHaveBeenCalledTimes(4);
    expect(warnings).toEqual(Array(2).fill({ msg: 'tests wait', reason: 'Error: away' }));
    const metrics = await registry.metrics();
    expect(metrics).toContain('background_round_duration_seconds_count{work="test",outcome="failed"} 3');
    expect(metrics).toContain('background_round_duration_seconds_count{work="test",outcome="ok"} 1');
  });

  it('aborts the signal at shutdown, waits for the running round, and starts no other', async () => {
    const ended: boolean[] = [];
    const run = jest.fn(
      (signal: AbortSignal) =>
        new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            ended.push(signal.aborted);
            resolve();
          });
        }),
    );
    poll(run);
    await jest.advanceTimersByTimeAsync(ROUND_MS);
    await jobs.beforeApplicationShutdown();
    await jest.advanceTimersByTimeAsync(5 * ROUND_MS);
    expect([run.mock.calls.length, ended]).toEqual([1, [true]]);
  });

  it('deletes batches until none is left, and fails the round after the jobs behind a failed one', async () => {
    const batches = [3, 2, 0, 7];
    jobs.cleanUp({ name: 'broken rows', deleteBatch: () => Promise.reject(new Error('away')) });
    jobs.cleanUp({ name: 'old rows', deleteBatch: () => Promise.resolve(batches.shift()!) });
    await expect(jobs.runCleanup()).rejects.toThrow('not cleaned up: broken rows');
    expect(batches).toEqual([7]);
    expect(warnings).toEqual([{ msg: 'not cleaned up', what: 'broken rows', reason: 'Error: away' }]);
  });
});
