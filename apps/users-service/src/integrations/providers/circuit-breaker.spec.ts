import { CircuitBreaker, type Verdict } from './resilience.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const OPEN = new Error('open');
const [FAILURE, FATAL, ANSWER, NOTHING] = (['failure', 'fatal', 'answer', 'nothing'] as const).map(
  (verdict) => new Error(verdict),
) as [Error, Error, Error, Error];
const newBreaker = (waitsForProbe = true) =>
  new CircuitBreaker(
    { sampleMs: 1_000, minCalls: 4, openMs: 500, waitsForProbe },
    (error) => (error as Error).message as Verdict,
  );

/** A call that ends when and as the test says. */
function held() {
  let end!: (outcome: Error | 'done') => void;
  const call = new Promise<'done'>((resolve, reject) => {
    end = (outcome) => (outcome === 'done' ? resolve(outcome) : reject(outcome));
  });
  return { work: () => call, end };
}

/** Makes a call that ends as given; what its caller gets. */
const ends = async (breaker: CircuitBreaker, outcome: Error | 'done'): Promise<Error | 'done'> =>
  breaker
    .run(
      () => (outcome === 'done' ? Promise.resolve(outcome) : Promise.reject(outcome)),
      () => OPEN,
    )
    .catch((error: Error) => error);

const fails = async (breaker: CircuitBreaker, times: number): Promise<void> => {
  for (let time = 0; time < times; time++) expect(await ends(breaker, FAILURE)).toBe(FAILURE);
};

describe('CircuitBreaker', () => {
  it('opens when more than half of enough calls fail', async () => {
    const breaker = newBreaker();
    for (const outcome of [FAILURE, 'done', FAILURE, 'done'] as const) await ends(breaker, outcome);
    expect(breaker.isOpen).toBe(false);
    await fails(breaker, 1);
    expect(breaker.isOpen).toBe(true);
    expect(await ends(breaker, 'done')).toBe(OPEN);
  });

  it('counts neither refusals nor calls that say nothing about the provider', async () => {
    const breaker = newBreaker();
    await fails(breaker, 3);
    for (const outcome of [ANSWER, NOTHING, ANSWER, NOTHING]) await ends(breaker, outcome);
    expect(breaker.isOpen).toBe(false);
    await fails(breaker, 1);
    expect(breaker.isOpen).toBe(true);
  });

  it('opens at the first fatal failure, and closes after a success', async () => {
    const breaker = newBreaker();
    expect(await ends(breaker, FATAL)).toBe(FATAL);
    expect(breaker.isOpen).toBe(true);
    expect(await ends(breaker, 'done')).toBe(OPEN);
    jest.advanceTimersByTime(500);
    expect(await ends(breaker, 'done')).toBe('done');
    expect(breaker.isOpen).toBe(false);
  });

  it('forgets failures after the sampling time', async () => {
    const breaker = newBreaker();
    await fails(breaker, 3);
    jest.advanceTimersByTime(1_100);
    await fails(breaker, 3);
    expect(breaker.isOpen).toBe(false);
  });

  it.each([
    ['closes', 'done', false],
    ['closes', ANSWER, false],
    ['opens again', FAILURE, true],
    ['opens again', FATAL, true],
    ['opens again', NOTHING, true],
  ] as const)('%s after a probe with the outcome %s', async (_name, outcome, isOpen) => {
    const breaker = newBreaker();
    await fails(breaker, 4);
    jest.advanceTimersByTime(499);
    expect(await ends(breaker, 'done')).toBe(OPEN);
    jest.advanceTimersByTime(1);
    expect(await ends(breaker, outcome)).toBe(outcome);
    expect(breaker.isOpen).toBe(isOpen);
  });

  it.each(['done', FAILURE] as const)(
    'lets other calls wait for a probe that ends as %s',
    async (outcome) => {
      const breaker = newBreaker();
      await fails(breaker, 4);
      jest.advanceTimersByTime(500);
      const probe = held();
      const probing = breaker.run(probe.work, () => OPEN).catch((error: Error) => error);
      const others = [ends(breaker, 'done'), ends(breaker, 'done')];
      expect(breaker.isOpen).toBe(false);
      probe.end(outcome);
      expect(await probing).toBe(outcome);
      const expected = outcome === 'done' ? 'done' : OPEN;
      expect(await Promise.all(others)).toEqual([expected, expected]);
    },
  );

  it('refuses other calls while a probe runs, if calls do not wait for it', async () => {
    const breaker = newBreaker(false);
    await fails(breaker, 4);
    jest.advanceTimersByTime(500);
    const probe = held();
    const probing = breaker.run(probe.work, () => OPEN);
    expect(await ends(breaker, 'done')).toBe(OPEN);
    probe.end('done');
    await probing;
    expect(await ends(breaker, 'done')).toBe('done');
  });

  it('does not stay open longer because of calls from before its opening', async () => {
    const breaker = newBreaker();
    const late = held();
    const running = breaker.run(late.work, () => OPEN).catch((error: Error) => error);
    await fails(breaker, 4);
    jest.advanceTimersByTime(500);
    late.end(FAILURE);
    expect(await running).toBe(FAILURE);
    expect(await ends(breaker, 'done')).toBe('done');
  });
});
