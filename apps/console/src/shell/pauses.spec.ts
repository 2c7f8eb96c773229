import { pauseAfter } from './pauses.js';

describe('polling pauses', () => {
  it('keeps its interval while answers arrive', () => {
    expect(pauseAfter(0, 1_000)).toBe(1_000);
  });

  it('waits longer after each failure, up to ten seconds', () => {
    const pauses = [1, 2, 3, 4, 100].map((failures) => pauseAfter(failures, 1_000));
    expect(pauses).toEqual([2_000, 4_000, 8_000, 10_000, 10_000]);
  });
});
