import fc from 'fast-check';
import { barsOf, labelledOf, shortRupees, ticksTo } from './chart.js';
import { comparePath, FIRST_WISH, payoutsOf, type Quote, quotePath, wishOf } from './quote.js';

describe('the axis of a chart', () => {
  it.each([
    [97, [0, 20, 40, 60, 80, 100]],
    [1_766.3, [0, 500, 1_000, 1_500, 2_000]],
    [1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [0, [0]],
  ])('of up to %d has round numbers', (highest, ticks) => {
    expect(ticksTo(highest).map((tick) => Number(tick.toFixed(6)))).toEqual(ticks);
  });

  it('reaches over everything, in at most six lines', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1e9, noNaN: true }), (highest) => {
        const ticks = ticksTo(highest);
        expect(ticks.at(-1)!).toBeGreaterThanOrEqual(highest * (1 - 1e-9));
        expect(ticks.length).toBeLessThanOrEqual(6);
      }),
    );
  });

  it.each([
    [250, '₹250'],
    [12_500, '₹12.5k'],
    [250_000, '₹2.5L'],
    [30_000_000, '₹3Cr'],
  ])('says %d as %s', (amount, text) => {
    expect(shortRupees(amount)).toBe(text);
  });

  it('writes only so many labels, the first among them', () => {
    const isLabelled = labelledOf(60);
    const written = Array.from({ length: 60 }, (_, index) => index).filter(isLabelled);
    expect([written[0], written.length]).toEqual([0, 8]);
  });
});

describe('the bars of a chart', () => {
  const box = { width: 600, height: 200 };
  const payouts = [50, 100].map((amount) => ({ date: '2026-01-01', amount }));

  it('are as high as what they stand for', () => {
    expect(barsOf(payouts, 100, box).map(({ y, height }) => [y, height])).toEqual([
      [100, 100],
      [0, 200],
    ]);
  });

  it('stay inside of the box, side by side', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { maxLength: 120 }), (amounts) => {
        const some = amounts.map((amount) => ({ date: '', amount }));
        const bars = barsOf(some, Math.max(0, ...amounts), box);
        bars.forEach(({ x, y, width, height }, index) => {
          expect(x).toBeGreaterThanOrEqual(
            index === 0 ? 0 : bars[index - 1]!.x + bars[index - 1]!.width - 1e-9,
          );
          expect(x + width).toBeLessThanOrEqual(box.width + 1e-9);
          expect(y + height).toBeCloseTo(box.height, 6);
        });
      }),
    );
  });
});

describe('a wish', () => {
  it('is taken from a link, where that names what can be wished', () => {
    expect(wishOf({ issuer: 'KAVSFB', tenure: '365', colour: 'red' })).toEqual({
      ...FIRST_WISH,
      issuer: 'KAVSFB',
      tenure: '365',
    });
  });

  it('is asked of one issuer, with how the answer comes about, and of all', () => {
    const quote = new URL(quotePath({ ...FIRST_WISH, amount: '5 0' }), 'http://localhost');
    expect(quote.pathname).toBe('/api/v1/detail/maturity-amount/ARAVFIN');
    expect([quote.searchParams.get('investment_amount'), quote.searchParams.get('explain')]).toEqual([
      '5 0',
      'true',
    ]);
    const compare = new URL(comparePath(FIRST_WISH), 'http://localhost');
    expect([compare.searchParams.get('amount'), compare.searchParams.has('issuer')]).toEqual([
      '100000',
      false,
    ]);
  });

  it('has its payouts in one list', () => {
    const payout = [
      { year: 2026, data: [{ date: '2026-03-31', amount: 1 }] },
      { year: 2027, data: [{ date: '2027-03-31', amount: 2 }] },
    ];
    expect(payoutsOf({ payout } as unknown as Quote).map(({ amount }) => amount)).toEqual([1, 2]);
  });
});
