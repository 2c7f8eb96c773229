import { formatRupees } from '@fd/contracts';
import fc from 'fast-check';
import { anyDeposit, anySwitches } from '../../test/support/any-deposit.js';
import { parseCivilDate } from '../dates/civil-date.js';
import { type DepositInput, quoteDeposit } from '../maths/maturity.js';
import { effectiveRate } from './product-quote.js';
import { quoteWorking } from './quote-working.js';

const deposit: DepositInput = {
  principalPaise: 10_000_000n,
  annualRatePercent: '8.78',
  tenureDays: 400,
  startDate: parseCivilDate('2025-01-31'),
  compounding: 'Quarterly',
  payoutFrequency: 'Maturity',
};

const benefits = { seniorBenefit: '0.50', womenBenefit: '0.10' };
const rate = effectiveRate('8.18', benefits, { isSenior: true, isWoman: true });

const working = (changes: Partial<DepositInput>) =>
  quoteWorking(quoteDeposit({ ...deposit, ...changes }), rate);

describe('quoteWorking', () => {
  it('explains a cumulative quote from the rate to the yield', () => {
    const {
      compounding_rule: compoundingRule,
      day_count: dayCount,
      rounding,
      working: lines,
    } = quoteWorking(quoteDeposit(deposit), rate);
    expect(compoundingRule).toBe(
      'Compound interest with quarterly rests counted from the start date, all interest at maturity',
    );
    expect(dayCount).toBe(
      'ACT/365, complete periods as months over 12, the rest in days over 365, in leap years too',
    );
    expect(rounding).toBe('half-up to the paisa, once for each payout');
    expect(lines).toEqual([
      'Rate: 8.18 % of the product + 0.5 % senior citizen benefit + 0.1 % women benefit = 8.78 % a year',
      'Principal: 1,00,000.00 rupees from 2025-01-31 (included) to 2026-03-07 (not included), 400 days',
      `Rule: ${compoundingRule}; ${dayCount}; rounded ${rounding}`,
      '4 complete periods of 3 months 2025-01-31 to 2026-01-31: growth (1 + 8.78 % x 3/12)^4 = 1.0907333493…',
      'Broken part 2026-01-31 to 2026-03-07: 35 days = 35/365 years',
      'Interest: 1,00,000.00 x (1.0907333493… x (1 + 8.78 % x 35/365) - 1) = 9991.642770…, rounded 9,991.64',
      'Maturity amount: 1,00,000.00 + 9,991.64 = 1,09,991.64',
      'Average yield: unrounded interest of 9.99164277… % of the principal / 1.0958904109… years = 9.12 % a year',
    ]);
  });

  it('explains equal payouts once', () => {
    expect(working({ payoutFrequency: 'Monthly' }).working!.slice(3)).toEqual([
      'Payouts 1 to 13, 2025-01-31 to 2026-02-28, 13 equal periods:',
      'Interest of each: 1,00,000.00 x 8.78 % x 1/12 = 731.666666…, rounded 731.67',
      'Payout 14, 2026-02-28 to 2026-03-07:',
      'Broken part 2026-02-28 to 2026-03-07: 7 days = 7/365 years',
      'Interest: 1,00,000.00 x 8.78 % x 7/365 = 168.383561…, rounded 168.38',
      'Total interest: sum of 14 rounded payouts = 9,680.09',
      'Maturity amount: the principal, 1,00,000.00; the interest has been paid out',
      'Average yield: unrounded interest of 9.68005022… % of the principal / 1.1025114155… years = 8.78 % a year',
    ]);
  });

  it.each<[string, Partial<DepositInput>, string]>([
    ['a short deposit', { tenureDays: 90 }, '1,00,000.00 x 8.78 % x 90/365 = 2164.931506…, rounded 2,164.93'],
    [
      'the discounted value',
      { payoutFrequency: 'Monthly', switches: { payoutBasis: 'discounted', places: 0, rounding: 'floor' } },
      '1,00,000.00 x (8.78 % x 3/12) / (1 + q + q^2) with q = 1 + 8.78 % x 1/12 = 726.339322…, rounded 726.00',
    ],
    [
      'a broken part that is limited',
      { compounding: 'HalfYearly', startDate: parseCivilDate('2025-03-01'), tenureDays: 183 },
      '183 days, limited to a complete period = 0.5 years',
    ],
    [
      'rests by their days',
      { compounding: 'Yearly', tenureDays: 1200, switches: { dayCount: 'ACT/ACT', fullPeriods: 'daycount' } },
      'growth (1 + 8.78 % x 1) x (1 + 8.78 % x 1) x (1 + 8.78 % x 0.99977543…) = 1.2871800247…',
    ],
    [
      'broken months',
      { compounding: 'Yearly', tenureDays: 100, switches: { brokenRule: 'months-days' } },
      '3 months and 11 days = (3/12 + 11/365) years',
    ],
  ])('shows %s', (_, changes, text) => {
    expect(working(changes).working!.join('\n')).toContain(text);
  });

  it.each<[Partial<DepositInput>, string, string]>([
    [
      { compounding: 'Simple' },
      'Simple interest, all interest at maturity',
      'ACT/365, days over 365, in leap years too',
    ],
    [
      {
        tenureDays: 30,
        payoutFrequency: 'Monthly',
        switches: { fullPeriods: 'daycount', dayCount: 'ACT/ACT' },
      },
      'Simple interest (quarterly rests, but under 6 months), interest paid monthly',
      'ACT/ACT, days of leap years over 366 and other days over 365',
    ],
    [
      { payoutFrequency: 'Monthly', switches: { payoutBasis: 'discounted', brokenRule: 'months-days' } },
      'Compound interest with quarterly rests counted from the start date, interest paid monthly at its discounted value',
      'ACT/365, complete periods as months over 12, whole months of the broken part over 12, the rest in days over 365, in leap years too',
    ],
  ])('names the rules of %j', (changes, compoundingRule, dayCount) => {
    expect(working(changes)).toMatchObject({ compounding_rule: compoundingRule, day_count: dayCount });
  });

  it('ends with the figures of the quote for any deposit', () => {
    fc.assert(
      fc.property(anyDeposit, anySwitches, (input, switches) => {
        const quote = quoteDeposit({ ...input, switches });
        const { productInterest: card } = quote;
        const parts = { base: card, senior: '0', women: '0', total: card };
        const lines = quoteWorking(quote, parts).working!.map((line) => line.replaceAll(',', ''));
        expect(lines[0]).toBe(`Rate: ${card} % of the product = ${card} % a year`);
        expect(lines.at(-2)).toContain(formatRupees(quote.maturityAmountPaise));
        expect(lines.at(-1)).toMatch(new RegExp(`= ${quote.averageYield} % a year$`));
        const rows = lines.filter((line) => line.startsWith('Interest'));
        expect(rows.length).toBeGreaterThan(0);
        expect(rows.length).toBeLessThanOrEqual(quote.figures.rows.length);
      }),
    );
  });
});
