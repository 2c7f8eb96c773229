import { discountedPayout } from './payouts.js';
import { parseDecimal, Ratio } from './ratio.js';

describe('discountedPayout', () => {
  it.each([
    ['8', 3, 1],
    ['8', 12, 1],
    ['7.35', 6, 3],
    ['2.5', 12, 6],
    ['0', 3, 1],
  ])(
    'earns the interest of the rest when reinvested: %s per cent, rest of %i months, paid every %i months',
    (rate, rest, every) => {
      const yearly = parseDecimal(rate, 'rate').dividedBy(Ratio.of(100));
      const payout = discountedPayout(yearly, rest, every);
      const growth = yearly.times(Ratio.of(every, 12)).plus(Ratio.ONE);
      let saved = Ratio.ZERO;
      for (let paid = 0; paid < rest / every; paid += 1) saved = saved.times(growth).plus(payout);
      expect(saved.equals(yearly.times(Ratio.of(rest, 12)))).toBe(true);
    },
  );
});
