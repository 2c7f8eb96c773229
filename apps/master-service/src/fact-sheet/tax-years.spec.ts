import { COMPOUNDINGS, formatRupees, PAYOUT_FREQUENCIES } from '@fd/contracts';
import fc from 'fast-check';
import { addDays, civilDate, parseCivilDate } from '../dates/civil-date.js';
import { type DepositInput, quoteDeposit } from '../maths/maturity.js';
import { interestByTaxYear, taxYearName, taxYearStart } from './tax-years.js';

const yearsOf = (input: Partial<DepositInput>) => {
  const { figures } = quoteDeposit({
    principalPaise: 10_000_000n,
    annualRatePercent: '7.5',
    tenureDays: 730,
    startDate: civilDate(2025, 1, 15),
    compounding: 'Yearly',
    payoutFrequency: 'Maturity',
    ...input,
  });
  return interestByTaxYear(figures).map(({ start, paise }) => [taxYearName(start), formatRupees(paise)]);
};

describe('taxYearStart', () => {
  it.each([
    ['2026-03-31', '2025-26'],
    ['2026-04-01', '2026-27'],
    ['2099-12-31', '2099-00'],
  ])('puts %s into %s', (day, name) => {
    expect(taxYearName(taxYearStart(parseCivilDate(day)))).toBe(name);
  });
});

describe('interestByTaxYear', () => {
  it('counts interest paid at maturity as it accrues', () => {
    // 76 days of 1,00,000: 1561.64; a year and 76 days of 1,07,500: 9178.77; in all 15562.50
    expect(yearsOf({})).toEqual([
      ['2024-25', '1561.64'],
      ['2025-26', '7617.13'],
      ['2026-27', '6383.73'],
    ]);
  });

  it('counts payouts in the year of payment', () => {
    // quarters of 1,875.00 on 15 April, July, October and January
    expect(yearsOf({ compounding: 'Quarterly', payoutFrequency: 'Quarterly' })).toEqual([
      ['2025-26', '7500.00'],
      ['2026-27', '7500.00'],
    ]);
  });

  it('counts the interest of a deposit that matures on 1 April in the year before, unless it is paid out on that day', () => {
    const year = { startDate: civilDate(2025, 4, 1), tenureDays: 365 };
    expect(yearsOf(year)).toEqual([['2025-26', '7500.00']]);
    expect(yearsOf({ ...year, payoutFrequency: 'Yearly' })).toEqual([['2026-27', '7500.00']]);
  });

  it('sums to the interest of the quote', () => {
    fc.assert(
      fc.property(
        fc.record({
          principalPaise: fc.bigInt({ min: 1n, max: 1_000_000_000n }),
          annualRatePercent: fc.integer({ min: 1, max: 1_500 }).map((hundredths) => String(hundredths / 100)),
          tenureDays: fc.integer({ min: 1, max: 3_660 }),
          startDate: fc.integer({ min: 0, max: 3_000 }).map((days) => addDays(civilDate(2025, 4, 1), days)),
          compounding: fc.constantFrom(...COMPOUNDINGS),
          payoutFrequency: fc.constantFrom(...PAYOUT_FREQUENCIES),
        }),
        (input) => {
          const { figures } = quoteDeposit(input);
          const years = interestByTaxYear(figures);
          expect(years.reduce((sum, { paise }) => sum + paise, 0n)).toBe(figures.totalInterestPaise);
          expect(years.every(({ paise }) => paise >= 0n)).toBe(true);
        },
      ),
    );
  });
});
