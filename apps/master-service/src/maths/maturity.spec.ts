import { formatRupees } from '@fd/contracts';
import { parseCivilDate } from '../dates/civil-date.js';
import type { QuoteSwitches } from './convention.js';
import { type DepositInput, quoteDeposit } from './maturity.js';

const deposit: DepositInput = {
  principalPaise: 10_000_000n,
  annualRatePercent: '7.50',
  tenureDays: 730,
  startDate: parseCivilDate('2025-01-15'),
  compounding: 'Yearly',
  payoutFrequency: 'Maturity',
};

const quote = (changes: Partial<DepositInput>) => quoteDeposit({ ...deposit, ...changes });

const interestOf = (changes: Partial<DepositInput>) =>
  formatRupees(quote(changes).figures.totalInterestPaise);

const amounts = (changes: Partial<DepositInput>) =>
  quote(changes).payout.flatMap(({ data }) => data.map(({ amount }) => amount));

describe('quoteDeposit: worked examples', () => {
  it('compounds yearly: 1,00,000 at 7.50 for 730 days', () => {
    const { maturityAmountPaise, figures, averageYield, productInterest, payout } = quote({});
    expect(maturityAmountPaise).toBe(11_556_250n);
    expect(figures.totalInterestPaise).toBe(1_556_250n);
    expect(averageYield).toBe('7.78');
    expect(productInterest).toBe('7.5');
    expect(payout).toEqual([{ year: 2027, data: [{ date: '2027-01-15', amount: 15562.5 }] }]);
  });

  it('compounds quarterly: 4,00,000 at 7.50 for 1826 days', () => {
    const { maturityAmountPaise } = quote({
      principalPaise: 40_000_000n,
      tenureDays: 1826,
      compounding: 'Quarterly',
    });
    expect(formatRupees(maturityAmountPaise)).toBe('579979.21');
  });

  it('pays simple interest on a short deposit: 1,00,000 at 7.00 for 90 days', () => {
    const short = quote({ annualRatePercent: '7.00', tenureDays: 90, compounding: 'Quarterly' });
    expect(formatRupees(short.maturityAmountPaise)).toBe('101726.03');
  });

  it('pays out monthly: 1,00,000 at 7.25 for 730 days', () => {
    const monthly = quote({ annualRatePercent: '7.25', payoutFrequency: 'Monthly' });
    expect(monthly.payout.flatMap(({ data }) => data.map(({ amount }) => amount))).toEqual(
      Array.from({ length: 24 }, () => 604.17),
    );
    expect(monthly.payout.map(({ year, data }) => [year, data.length])).toEqual([
      [2025, 11],
      [2026, 12],
      [2027, 1],
    ]);
    expect(formatRupees(monthly.maturityAmountPaise)).toBe('100000.00');
    expect(monthly.averageYield).toBe('7.25');
  });

  it('compounds within a longer payout period: 10,000 at 6.70 for 1826 days, quarterly rests paid yearly', () => {
    const yearly = quote({
      principalPaise: 1_000_000n,
      annualRatePercent: '6.70',
      tenureDays: 1826,
      compounding: 'Quarterly',
      payoutFrequency: 'Yearly',
    });
    expect(yearly.payout.map(({ data }) => data.map(({ amount }) => amount))).toEqual(
      Array.from({ length: 5 }, () => [687.02]),
    );
    expect(yearly.averageYield).toBe('6.87');
  });
});

describe('quoteDeposit: around six months', () => {
  // 1 March to 1 September are 184 days
  const startDate = parseCivilDate('2025-03-01');

  it.each([
    ['Monthly', 183, '4010.96'],
    ['Monthly', 184, '4067.26'],
    ['Quarterly', 183, '4010.96'],
    ['Quarterly', 184, '4040.00'],
    ['Quarterly', 185, '4062.80'],
    // part of a half year never earns more than a complete one
    ['HalfYearly', 182, '3989.04'],
    ['HalfYearly', 183, '4000.00'],
    ['HalfYearly', 184, '4000.00'],
    ['Yearly', 183, '4010.96'],
    ['Simple', 183, '4010.96'],
    ['Simple', 184, '4032.88'],
  ] as const)('pays with %s rests for %i days at 8 per cent: %s', (compounding, tenureDays, interest) => {
    expect(interestOf({ annualRatePercent: '8', startDate, compounding, tenureDays })).toBe(interest);
  });

  it('pays all 183 days of a half year for a short deposit and for simple interest', () => {
    const halfYearly = { annualRatePercent: '8', startDate, payoutFrequency: 'HalfYearly' } as const;
    expect(amounts({ ...halfYearly, compounding: 'Quarterly', tenureDays: 183 })).toEqual([4010.96]);
    expect(amounts({ ...halfYearly, compounding: 'Simple', tenureDays: 184 + 181 + 183 })).toEqual([
      4000, 4000, 4010.96,
    ]);
    expect(amounts({ ...halfYearly, compounding: 'HalfYearly', tenureDays: 184 + 181 + 183 })).toEqual([
      4000, 4000, 4000,
    ]);
  });

  it('pays slightly less on the day at which compounding starts, at a very low rate', () => {
    const low = {
      annualRatePercent: '1',
      startDate: parseCivilDate('2025-03-01'),
      compounding: 'Quarterly',
    } as const;
    expect(interestOf({ ...low, tenureDays: 183 })).toBe('501.37');
    expect(interestOf({ ...low, tenureDays: 184 })).toBe('500.63');
  });
});

describe('quoteDeposit: switches', () => {
  const eightPercent = { annualRatePercent: '8', startDate: parseCivilDate('2027-07-01') };

  it.each<[string, Partial<DepositInput>, Partial<QuoteSwitches>, number[]]>([
    ['days over 365 in a leap year', { tenureDays: 300 }, {}, [6575.34]],
    ['days of 2028 over 366', { tenureDays: 300 }, { dayCount: 'ACT/ACT' }, [6568.4]],
    ['a complete leap year as a year', { tenureDays: 366 }, { dayCount: 'ACT/ACT' }, [8000]],
    ['a complete leap year by days', { tenureDays: 366 }, { fullPeriods: 'daycount' }, [8021.92]],
    ['broken days', { tenureDays: 100 }, {}, [2191.78]],
    ['broken months, then days', { tenureDays: 100 }, { brokenRule: 'months-days' }, [2175.34]],
    [
      'broken months of simple interest',
      { tenureDays: 92, compounding: 'Simple' },
      { brokenRule: 'months-days' },
      [2000],
    ],
  ])('supports %s', (_, changes, switches, expected) => {
    expect(amounts({ ...eightPercent, ...changes, switches })).toEqual(expected);
  });

  it('discounts only complete payout periods that are shorter than the rest', () => {
    const monthly = { ...eightPercent, payoutFrequency: 'Monthly' } as const;
    const switches = { payoutBasis: 'discounted' } as const;
    const quarterly = amounts({ ...monthly, compounding: 'Quarterly', tenureDays: 190, switches });
    expect(quarterly).toEqual([662.24, 662.24, 662.24, 662.24, 662.24, 662.24, 131.51]);
    expect(amounts({ ...monthly, compounding: 'Monthly', tenureDays: 184, switches })[0]).toBe(666.67);
    expect(amounts({ ...monthly, compounding: 'Quarterly', tenureDays: 92, switches })[0]).toBe(666.67);
  });

  it('rounds every row by its mode and sums rounded rows', () => {
    const monthly = { annualRatePercent: '7.25', payoutFrequency: 'Monthly' } as const;
    const total = (switches: Partial<QuoteSwitches>) => interestOf({ ...monthly, switches });
    expect(total({})).toBe('14500.08');
    expect(total({ rounding: 'floor' })).toBe('14499.84');
    expect(total({ places: 0 })).toBe('14496.00');
    expect(total({ places: 0, rounding: 'ceil' })).toBe('14520.00');
  });

  it('keeps the paise of the principal when interest is rounded to rupees', () => {
    const { maturityAmountPaise } = quote({ principalPaise: 100_056n, switches: { places: 0 } });
    expect(formatRupees(maturityAmountPaise)).toBe('1156.56');
  });

  it('uses the default of an undefined switch', () => {
    expect(quote({ switches: { dayCount: undefined } }).figures.switches.dayCount).toBe('ACT/365');
  });
});

describe('quoteDeposit: bad input', () => {
  it.each<[string, Partial<Record<keyof DepositInput, unknown>>, RegExp]>([
    ['no principal', { principalPaise: 0n }, /principal/],
    ['negative principal', { principalPaise: -1n }, /principal/],
    ['rate with an exponent', { annualRatePercent: '1e1' }, /annual rate/],
    ['negative rate', { annualRatePercent: '-7' }, /annual rate/],
    ['no days', { tenureDays: 0 }, /tenure/],
    ['half a day', { tenureDays: 7.5 }, /tenure/],
    ['days without end', { tenureDays: 1_000_000 }, /tenure/],
    ['impossible start', { startDate: { year: 2025, month: 2, day: 30 } }, /calendar date/],
    ['maturity after the year 9999', { startDate: { year: 9999, month: 12, day: 1 } }, /calendar date/],
    ['unknown switch value', { switches: { dayCount: '30/360' } }, /dayCount/],
    ['three places', { switches: { places: 3 } }, /places/],
  ])('refuses %s', (_, changes, message) => {
    const broken = { ...deposit, ...changes } as DepositInput;
    expect(() => quoteDeposit(broken)).toThrow(RangeError);
    expect(() => quoteDeposit(broken)).toThrow(message);
  });
});
