import { parseDecimal } from './decimal.js';
import { discountedPayout } from './payout-interest.js';
import { Ratio } from './ratio.js';

describe('discountedPayout', () => {
  it.each([
    ['8', 3, 1],
    ['8', 12, 1],
    ['7.35', 6, 3],
    ['2.5', 12, 6],
    ['0', 3, 1],
  ])(
    'at %s per cent: payouts of a rest of %i months, every %i months, reinvested are its interest',
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
