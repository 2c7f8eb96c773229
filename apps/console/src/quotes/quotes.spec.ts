import fc from 'fast-check';
import { barsOf, labelledOf, shortRupees, ticksTo } from './chart.js';
import { momentsOf } from './growth.js';
import { indexOfTenure, offeredTenures, type Vehicle } from './offered.js';
import {
  comparePath,
  DEFAULT_QUERY,
  payoutsOf,
  type Quote,
  quotePath,
  type QuoteQuery,
  queryOf,
} from './quote.js';

describe('the axis of a chart', () => {
  it.each([
    [97, [0, 20, 40, 60, 80, 100]],
    [1_766.3, [0, 500, 1_000, 1_500, 2_000]],
    [1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [0, [0]],
  ])('returns round numbers up to %d', (highest, ticks) => {
    expect(ticksTo(highest).map((tick) => Number(tick.toFixed(6)))).toEqual(ticks);
  });

  it('covers all values with at most six grid lines', () => {
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
  ])('shows %d as %s', (amount, text) => {
    expect(shortRupees(amount)).toBe(text);
  });

  it('limits the number of labels and keeps the first', () => {
    const isLabelled = labelledOf(60);
    const written = Array.from({ length: 60 }, (_, index) => index).filter(isLabelled);
    expect([written[0], written.length]).toEqual([0, 8]);
  });
});

describe('the bars of a chart', () => {
  const box = { width: 600, height: 200 };
  const payouts = [50, 100].map((amount) => ({ date: '2026-01-01', amount }));

  it('returns heights proportional to the values', () => {
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

describe('a quote query', () => {
  it('reads a quote query from a link with valid values', () => {
    expect(queryOf({ issuer: 'KAVSFB', tenure: '365', colour: 'red' })).toEqual({
      ...DEFAULT_QUERY,
      issuer: 'KAVSFB',
      tenure: '365',
    });
  });

  it('sends a quote query for one issuer with explain, and for all issuers', () => {
    const quote = new URL(quotePath({ ...DEFAULT_QUERY, amount: '5 0' }), 'http://localhost');
    expect(quote.pathname).toBe('/api/v1/detail/maturity-amount/ARAVFIN');
    expect([quote.searchParams.get('investment_amount'), quote.searchParams.get('explain')]).toEqual([
      '5 0',
      'true',
    ]);
    const compare = new URL(comparePath(DEFAULT_QUERY), 'http://localhost');
    expect([compare.searchParams.get('amount'), compare.searchParams.has('issuer')]).toEqual([
      '100000',
      false,
    ]);
  });

  it('returns the payouts of a quote in one list', () => {
    const payout = [
      { year: 2026, data: [{ date: '2026-03-31', amount: 1 }] },
      { year: 2027, data: [{ date: '2027-03-31', amount: 2 }] },
    ];
    expect(payoutsOf({ payout } as unknown as Quote).map(({ amount }) => amount)).toEqual([1, 2]);
  });
});

describe('the growth of a deposit', () => {
  const quote = (changes: Partial<Quote>): Quote => ({
    ...({} as Quote),
    ...{ principal: 100_000, interest_amount: 10_000, maturity_date_ist: '2028-06-09' },
    ...{ payout_frequency: 'Maturity', payout: [] },
    ...changes,
  });

  it('adds up the payouts', () => {
    const data = [
      { date: '2027-06-10', amount: 5_100 },
      { date: '2028-06-09', amount: 4_900 },
    ];
    const moments = momentsOf(quote({ payout_frequency: 'Yearly', payout: [{ year: 2027, data }] }), 730);
    expect(moments.map(({ gained, isEstimate }) => [gained, isEstimate])).toEqual([
      [5_100, false],
      [10_000, false],
    ]);
  });

  it('rises to the interest at maturity, and marks estimates', () => {
    const moments = momentsOf(quote({}), 730);
    expect(moments).toHaveLength(8);
    expect(moments.at(-1)).toEqual({
      date: '2028-06-09',
      amount: 10_000,
      gained: 10_000,
      isEstimate: false,
    });
    const gains = moments.map(({ gained }) => gained);
    expect([...gains].sort((a, b) => a - b)).toEqual(gains);
    expect(moments.slice(0, -1).every(({ isEstimate }) => isEstimate)).toBe(true);
  });
});

describe('the offered tenures', () => {
  const vehicle = (from: number, to: number, changes: Partial<Vehicle> = {}): Vehicle => ({
    ...{ f_investment_vehicle_id: `${from}`, product_rank: null, product_interest_freq: 'Quarterly' },
    ...{ product_min_tenure: from, product_max_tenure: to, product_interest: '7.4' },
    ...{ product_min_investment: 5_000, product_max_investment: 200_000, product_tax_saver: false },
    ...{ product_women: false, product_senior_citizen: false, is_visible: true },
    ...{ product_min_tenure_label: `${from} days` },
    ...changes,
  });
  const issuer = { women_benefit: 0.1, senior_citizen_benefit: 0.5, is_women_rate_offered: true };
  const monthly = vehicle(546, 729, { product_interest_freq: 'Monthly' });
  const vehicles = [vehicle(730, 1_094), vehicle(365, 545), monthly];
  const offered = (of: readonly Vehicle[], changes: Partial<QuoteQuery> = {}, terms = issuer) =>
    offeredTenures(of, terms, { ...DEFAULT_QUERY, ...changes });

  it('offers the tenures of the frequency and the amount, shortest first', () => {
    expect(offered(vehicles).map(({ from }) => from)).toEqual([365, 730]);
    expect(offered(vehicles, { amount: '1' })).toEqual([]);
  });

  const forWomen = vehicle(730, 760, { product_women: true, product_interest: '7.72' });
  const forSeniors = vehicle(1_000, 1_030, { product_senior_citizen: true, product_interest: '7.8' });
  const taxSaver = vehicle(730, 760, { product_tax_saver: true, product_interest: '7' });
  const hidden = vehicle(730, 760, { is_visible: false, product_interest: '9' });
  const woman = { women_citizen: 'true' };
  const senior = { senior_citizen: 'true' };

  it.each<[string, Partial<QuoteQuery>, string[]]>([
    ['anyone', {}, ['365-545 7.4', '730-1094 7.4']],
    ['a woman', woman, ['365-545 7.5', '730-760 7.82', '761-1094 7.5']],
    ['a senior citizen', senior, ['365-545 7.9', '730-999 7.9', '1000-1030 8.3', '1031-1094 7.9']],
    [
      'a woman who is a senior citizen',
      { ...woman, ...senior },
      ['365-545 8', '730-760 8.32', '761-999 8', '1000-1030 8.4', '1031-1094 8'],
    ],
    ['a tax saver', { tax_saver: 'true' }, ['730-760 7']],
  ])('offers to %s what a quote finds, at its rate', (_, changes, ranges) => {
    const all = [forWomen, hidden, ...vehicles, taxSaver, forSeniors];
    expect(offered(all, changes).map(({ from, to, rate }) => `${from}-${to} ${rate}`)).toEqual(ranges);
  });

  it('offers nothing to a woman where a quote refuses the rate for women', () => {
    expect(offered(vehicles, woman, { ...issuer, is_women_rate_offered: false })).toEqual([]);
  });

  it.each([
    [400, 0],
    [560, 0],
    [700, 1],
    [9_999, 1],
  ])('choose for %d days the tenure %d', (days, index) => {
    expect(indexOfTenure(offered(vehicles), days)).toBe(index);
  });
});
