import { InFlightLimit } from './in-flight-limit.js';

const after = (limit: InFlightLimit, samples: number, isLate: boolean, peak = Infinity): InFlightLimit => {
  for (let sample = 0; sample < samples; sample++) limit.adapt(isLate, peak);
  return limit;
};

describe('InFlightLimit', () => {
  it('keeps the limit at the maximum while the event loop is in time', () => {
    const limit = after(new InFlightLimit(200), 100, false);
    expect([limit.current, limit.isLowered]).toEqual([200, false]);
  });

  it('lowers the limit by 30 % of the requests in flight at each late sample', () => {
    expect(after(new InFlightLimit(200), 1, true).current).toBe(140);
    expect(after(new InFlightLimit(200), 1, true, 100).current).toBe(70);
  });

  it.each([
    [200, 50],
    [5, 1],
    [1, 1],
  ])('starts the limit at %i and never lowers it below %i', (most, floor) => {
    expect(after(new InFlightLimit(most), 50, true).current).toBe(floor);
    expect(after(new InFlightLimit(most), 1, true, 0).current).toBe(floor);
  });

  it('raises the limit step by step once the event loop is in time', () => {
    const limit = after(new InFlightLimit(200), 50, true);
    expect(after(limit, 1, false).current).toBe(70);
    expect(limit.isLowered).toBe(true);
    expect(after(limit, 7, false).current).toBe(200);
    expect(limit.isLowered).toBe(false);
  });

  it('settles the limit around the capacity of the machine', () => {
    // in time with at most 100 at once
    const limit = new InFlightLimit(200);
    const seen: number[] = [];
    for (let sample = 0; sample < 100; sample++) {
      limit.adapt(limit.current > 100, limit.current);
      seen.push(limit.current);
    }
    const settled = seen.slice(20);
    expect(Math.min(...settled)).toBeGreaterThanOrEqual(70);
    expect(Math.max(...settled)).toBeLessThanOrEqual(120);
  });
});
