import fc from 'fast-check';
import { anyDeposit, anySwitches } from '../../test/support/any-deposit.js';
import { referenceQuote } from '../../test/support/reference-quote.js';
import { addDays, addMonths, compareCivilDates, formatCivilDate } from '../dates/civil-date.js';
import { type DepositInput, quoteDeposit } from './maturity.js';
import { Ratio } from './ratio.js';

describe('quoteDeposit, for every input', () => {
  const withSwitches = fc
    .tuple(anyDeposit, anySwitches)
    .map(([input, switches]): DepositInput => ({ ...input, switches }));

  it('equals a second implementation of the convention', () => {
    fc.assert(
      fc.property(withSwitches, (input) => {
        const { figures, payout } = quoteDeposit(input);
        const reference = referenceQuote(input);
        const dates = payout.flatMap(({ data }) => data.map(({ date }) => date));
        expect(dates).toEqual(reference.rows.map(({ date }) => date));
        const principal = Ratio.of(figures.principalPaise, 100);
        figures.rows.forEach(({ interestPerRupee }, index) => {
          const { n, d } = reference.rows[index]!.rupees;
          expect(interestPerRupee.times(principal).equals(Ratio.of(n, d))).toBe(true);
        });
        expect(figures.years.equals(Ratio.of(reference.years.n, reference.years.d))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('ends on the maturity date, with ascending dates grouped under their year', () => {
    fc.assert(
      fc.property(withSwitches, (input) => {
        const { payout, maturityDateIst } = quoteDeposit(input);
        const rows = payout.flatMap(({ year, data }) => data.map(({ date }) => ({ year, date })));
        expect(rows.at(-1)?.date).toBe(maturityDateIst);
        expect(maturityDateIst).toBe(formatCivilDate(addDays(input.startDate, input.tenureDays)));
        expect(rows.every(({ year, date }) => date.startsWith(String(year)))).toBe(true);
        expect(rows.every(({ date }, index) => index === 0 || rows[index - 1]!.date < date)).toBe(true);
        expect(new Set(payout.map(({ year }) => year)).size).toBe(payout.length);
      }),
    );
  });

  it('pays the principal and the sum of its rows', () => {
    fc.assert(
      fc.property(withSwitches, (input) => {
        const { payout, maturityAmountPaise, figures } = quoteDeposit(input);
        const paise = (rupees: number) => BigInt(Math.round(rupees * 100));
        const sum = payout
          .flatMap(({ data }) => data)
          .reduce((total, { amount }) => total + paise(amount), 0n);
        expect(sum).toBe(figures.totalInterestPaise);
        const paidBefore = input.payoutFrequency === 'Maturity' ? 0n : sum;
        expect(maturityAmountPaise + paidBefore).toBe(figures.principalPaise + sum);
      }),
    );
  });

  it('returns the same quote for the same input', () => {
    fc.assert(
      fc.property(withSwitches, (input) => {
        expect(quoteDeposit({ ...input })).toEqual(quoteDeposit(input));
      }),
    );
  });

  it('grows in proportion to the principal before rounding', () => {
    fc.assert(
      fc.property(withSwitches, fc.integer({ min: 2, max: 1000 }), (input, times) => {
        const one = quoteDeposit({ ...input, principalPaise: 100n });
        const many = quoteDeposit({ ...input, principalPaise: BigInt(times) * 100n });
        expect(many.figures.interestPerRupee.equals(one.figures.interestPerRupee)).toBe(true);
        expect(many.averageYield).toBe(one.averageYield);
        expect(many.figures.rows.length).toBe(one.figures.rows.length);
      }),
    );
  });

  it('never falls with a longer tenure, except where compounding starts at a very low rate', () => {
    fc.assert(
      fc.property(anyDeposit, (input) => {
        const cumulative: DepositInput = { ...input, payoutFrequency: 'Maturity' };
        const next = { ...cumulative, tenureDays: input.tenureDays + 1 };
        const maturity = addDays(next.startDate, next.tenureDays);
        const reachesSixMonths =
          ['Monthly', 'Quarterly'].includes(input.compounding) &&
          compareCivilDates(maturity, addMonths(input.startDate, 6)) === 0;
        fc.pre(!(reachesSixMonths && Number(input.annualRatePercent) < 2.2));
        const shorter = quoteDeposit(cumulative).figures.interestPerRupee;
        expect(quoteDeposit(next).figures.interestPerRupee.compare(shorter)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 500 },
    );
  });
});
