import { PAYOUT_FREQUENCIES } from '@fd/contracts';
import { type ErrorDefinition, QuoteErrors, type Refusal } from '@fd/errors';
import fc from 'fast-check';
import { isOnSale, type Issuer, type Vehicle } from '../catalogue/catalogue.js';
import { matchProduct, type ProductQuery } from './product-quote.js';
import { anIssuer, aVehicle } from '../../test/support/vehicles.js';

const NOW = new Date('2026-06-10T06:30:00Z');

const aQuery = (overrides: Partial<ProductQuery> = {}): ProductQuery => ({
  amountPaise: 1_000_000n,
  tenureDays: 400,
  payoutFrequency: 'Maturity',
  isSenior: false,
  isWoman: false,
  isTaxSaver: false,
  ...overrides,
});

const refusals = (issuer: Partial<Issuer>, query: Partial<ProductQuery>): readonly Refusal[] =>
  matchProduct(anIssuer(issuer), aQuery(query), NOW).refusals ?? [];

const errors = (issuer: Partial<Issuer>, query: Partial<ProductQuery>) =>
  refusals(issuer, query).map(({ error }) => error);

const chosen = (vehicles: Vehicle[], query: Partial<ProductQuery> = {}, at = NOW) =>
  matchProduct(anIssuer({ vehicles }), aQuery(query), at).vehicle;

describe('matchProduct: refusals', () => {
  const taxSaver = aVehicle({ isTaxSaver: true, minTenure: 1_825, maxTenure: 1_826, minInvestment: 1_000 });

  it.each<[string, Partial<Issuer>, Partial<ProductQuery>, ErrorDefinition]>([
    [
      'a frequency that the issuer does not sell',
      { payoutFrequencies: ['Maturity'] },
      { payoutFrequency: 'Yearly' },
      QuoteErrors.frequencyNotOffered,
    ],
    [
      'a woman where no rate for women is sold',
      { sellsWomenRate: false },
      { isWoman: true },
      QuoteErrors.womenRateNotOffered,
    ],
    [
      'a tax saver where none is sold',
      { sellsTaxSaver: false },
      { isTaxSaver: true },
      QuoteErrors.taxSaverNotOffered,
    ],
    ['a tenure below all bounds', {}, { tenureDays: 364 }, QuoteErrors.tenureOutOfRange],
    ['a tenure above all bounds', {}, { tenureDays: 1_826 }, QuoteErrors.tenureOutOfRange],
    ['a tenure without end', {}, { tenureDays: Number.MAX_SAFE_INTEGER }, QuoteErrors.tenureOutOfRange],
    ['an amount below all bounds', {}, { amountPaise: 499_999n }, QuoteErrors.amountOutOfRange],
    ['an amount above all bounds', {}, { amountPaise: 10_000_001n }, QuoteErrors.amountOutOfRange],
    ['a negative amount', {}, { amountPaise: -1_000_000n }, QuoteErrors.amountOutOfRange],
    [
      'a tax saver for a tenure that only others have',
      { vehicles: [aVehicle(), taxSaver] },
      { isTaxSaver: true },
      QuoteErrors.noProduct,
    ],
    [
      'a frequency that no vehicle has at the moment',
      { vehicles: [aVehicle()] },
      { payoutFrequency: 'Yearly' },
      QuoteErrors.noProduct,
    ],
    ['an issuer that is not live', { isLive: false }, {}, QuoteErrors.noProduct],
    [
      'a deposit of a hidden vehicle',
      { vehicles: [aVehicle({ isVisible: false })] },
      {},
      QuoteErrors.noProduct,
    ],
    [
      'a vehicle for senior citizens to anyone else',
      { vehicles: [aVehicle({ isSeniorOnly: true })] },
      {},
      QuoteErrors.noProduct,
    ],
    [
      'a vehicle for women to a man',
      { vehicles: [aVehicle({ isWomenOnly: true })] },
      { isSenior: true },
      QuoteErrors.noProduct,
    ],
    [
      'a vehicle that is not on sale yet',
      { vehicles: [aVehicle({ effectiveAt: new Date(NOW.getTime() + 1) })] },
      {},
      QuoteErrors.noProduct,
    ],
    [
      'a vehicle that ends at this instant',
      { vehicles: [aVehicle({ ineffectiveAt: NOW })] },
      {},
      QuoteErrors.noProduct,
    ],
  ])('refuses %s', (_, issuer, query, code) => {
    expect(errors(issuer, query)).toEqual([code]);
  });

  it.each<[string, Partial<Vehicle>[], Partial<ProductQuery>, string]>([
    [
      'one range of tenures',
      [{ minTenure: 730, maxTenure: 1_094 }],
      { tenureDays: 1 },
      'It has 730 to 1,094 days.',
    ],
    ['a single tenure', [{ minTenure: 400, maxTenure: 400 }], { tenureDays: 1 }, 'It has 400 days.'],
    [
      'ranges that adjoin, overlap or lie apart',
      [
        { minTenure: 900, maxTenure: 1_000 },
        { minTenure: 100, maxTenure: 200 },
        { minTenure: 201, maxTenure: 300 },
        { minTenure: 250, maxTenure: 260 },
      ],
      { tenureDays: 1 },
      'It has 100 to 300, 900 to 1,000 days.',
    ],
    [
      'for the depositor of the query, tax savers only for a tax saver',
      [
        { minTenure: 730, maxTenure: 1_094 },
        { minTenure: 1_825, maxTenure: 1_826, isTaxSaver: true },
        { minTenure: 400, maxTenure: 430, isWomenOnly: true },
        { minTenure: 500, maxTenure: 530, isSeniorOnly: true },
      ],
      { tenureDays: 1 },
      'It has 730 to 1,094 days.',
    ],
    [
      'amounts, grouped as in India',
      [{ minInvestment: 5_000, maxInvestment: 10_000_000 }],
      { amountPaise: 1n },
      'It takes ₹5,000 to 1,00,00,000.',
    ],
  ])('names the offered products: %s', (_, vehicles, query, hint) => {
    expect(refusals({ vehicles: vehicles.map(aVehicle) }, query)).toEqual([
      expect.objectContaining({ hint }),
    ]);
  });

  it('names the offered frequencies', () => {
    const sold = { payoutFrequencies: ['Maturity' as const, 'Monthly' as const] };
    expect(refusals(sold, { payoutFrequency: 'Yearly' })).toEqual([
      {
        error: QuoteErrors.frequencyNotOffered,
        field: 'payout_frequency',
        hint: 'It pays out Maturity, Monthly.',
      },
    ]);
  });

  it('names an option that is not sold first, then the tenure with the amount', () => {
    const nothing = { payoutFrequencies: ['Maturity' as const], sellsWomenRate: false, sellsTaxSaver: false };
    const query = { isWoman: true, isTaxSaver: true, tenureDays: 1, amountPaise: 1n };
    expect(errors(nothing, { ...query, payoutFrequency: 'Monthly' })).toEqual([
      QuoteErrors.frequencyNotOffered,
    ]);
    expect(errors(nothing, query)).toEqual([QuoteErrors.womenRateNotOffered]);
    expect(errors({ ...nothing, sellsWomenRate: true }, query)).toEqual([QuoteErrors.taxSaverNotOffered]);
    expect(refusals({}, query).map(({ error, field }) => [error, field])).toEqual([
      [QuoteErrors.tenureOutOfRange, 'tenure'],
      [QuoteErrors.amountOutOfRange, 'investment_amount'],
    ]);
    expect(errors({}, { ...query, tenureDays: 400 })).toEqual([QuoteErrors.amountOutOfRange]);
  });
});

describe('matchProduct: choice', () => {
  it('includes both ends of tenure and amount', () => {
    const vehicle = aVehicle();
    for (const tenureDays of [365, 1_825]) {
      for (const amountPaise of [500_000n, 10_000_000n]) {
        expect(chosen([vehicle], { tenureDays, amountPaise })).toBe(vehicle);
      }
    }
  });

  it('prefers a special vehicle to a regular one, and one for senior women to those for either', () => {
    const regular = aVehicle();
    const senior = aVehicle({ isSeniorOnly: true });
    const both = aVehicle({ isSeniorOnly: true, isWomenOnly: true });
    expect(chosen([regular, senior, both])).toBe(regular);
    expect(chosen([regular, senior, both], { isSenior: true })).toBe(senior);
    expect(chosen([regular, senior, both], { isSenior: true, isWoman: true })).toBe(both);
  });

  it('gives a senior woman the higher rate of a special for senior citizens and one for women', () => {
    const senior = aVehicle({ vehicleId: 'a', isSeniorOnly: true, rate: '8.50', rank: 1, maxTenure: 410 });
    const women = aVehicle({ vehicleId: 'b', isWomenOnly: true, rate: '10.25' });
    expect(chosen([senior, women], { isSenior: true, isWoman: true })).toBe(women);
    expect(chosen([senior, women], { isSenior: true })).toBe(senior);
  });

  it('uses the regular vehicle outside of the bounds of the special one', () => {
    const regular = aVehicle();
    const senior = aVehicle({ isSeniorOnly: true, minTenure: 1_000 });
    expect(chosen([senior, regular], { isSenior: true })).toBe(regular);
  });

  it('prefers, at equal rates, narrower tenures, then narrower amounts, then the rank, then the id', () => {
    const wide = aVehicle({ vehicleId: 'b', rank: 1 });
    const narrow = aVehicle({ minTenure: 390, maxTenure: 410, maxInvestment: 200_000 });
    const narrowToo = aVehicle({ minTenure: 390, maxTenure: 410 });
    const second = aVehicle({ vehicleId: 'a', rank: 2 });
    const unranked = aVehicle({ vehicleId: '0' });
    const twin = aVehicle({ vehicleId: 'c', rank: 1 });
    expect(chosen([wide, narrow, narrowToo])).toBe(narrowToo);
    expect(chosen([wide, narrow])).toBe(narrow);
    expect(chosen([unranked, second, wide])).toBe(wide);
    expect(chosen([twin, wide])).toBe(wide);
  });

  it('assigns paise between two adjoining bands to the lower one, and none above the highest', () => {
    const lower = aVehicle({ maxInvestment: 24_999 });
    const upper = aVehicle({ minInvestment: 25_000 });
    expect(chosen([lower, upper], { amountPaise: 2_499_950n })).toBe(lower);
    expect(chosen([lower, upper], { amountPaise: 2_500_000n })).toBe(upper);
    expect(chosen([lower, upper], { amountPaise: 10_000_050n })).toBeUndefined();
    expect(chosen([lower], { amountPaise: 2_499_950n })).toBeUndefined();
  });

  it('changes at the exact instant of the change', () => {
    const change = new Date('2027-03-31T18:30:00Z');
    const old = aVehicle({ ineffectiveAt: change });
    const next = aVehicle({ effectiveAt: change });
    expect(chosen([old, next], {}, new Date(change.getTime() - 1))).toBe(old);
    expect(chosen([old, next], {}, change)).toBe(next);
  });
});

describe('matchProduct: any catalogue and any query', () => {
  const ends = (max: number) =>
    fc
      .tuple(fc.integer({ min: 1, max }), fc.integer({ min: 1, max }))
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  const instant = fc.integer({ min: -3, max: 3 }).map((days) => new Date(NOW.getTime() + days * 86_400_000));
  const vehicle = fc
    .record({
      days: ends(12),
      rupees: ends(12),
      payoutFrequency: fc.constantFrom(...PAYOUT_FREQUENCIES),
      rank: fc.option(fc.integer({ min: 1, max: 3 })),
      rate: fc.constantFrom('8', '9', '10'),
      isSeniorOnly: fc.boolean(),
      isWomenOnly: fc.boolean(),
      isTaxSaver: fc.boolean(),
      isVisible: fc.boolean(),
      effectiveAt: instant,
      ineffectiveAt: fc.option(instant),
    })
    .map(({ days, rupees, ...rest }) =>
      aVehicle({
        ...rest,
        minTenure: days[0],
        maxTenure: days[1],
        minInvestment: rupees[0],
        maxInvestment: rupees[1],
      }),
    );
  const issuer = fc.record({
    vehicles: fc.array(vehicle, { maxLength: 8 }),
    payoutFrequencies: fc.subarray([...PAYOUT_FREQUENCIES], { minLength: 1 }),
    sellsWomenRate: fc.boolean(),
    sellsTaxSaver: fc.boolean(),
  });
  const query = fc.record({
    // whole rupees, since another test covers paise
    amountPaise: fc.integer({ min: 0, max: 13 }).map((rupees) => BigInt(rupees) * 100n),
    tenureDays: fc.integer({ min: 0, max: 13 }),
    payoutFrequency: fc.constantFrom(...PAYOUT_FREQUENCIES),
    isSenior: fc.boolean(),
    isWoman: fc.boolean(),
    isTaxSaver: fc.boolean(),
  });

  /** All rules for a single vehicle. */
  const serves = (of: Issuer, vehicle: Vehicle, query: ProductQuery): boolean =>
    of.payoutFrequencies.includes(query.payoutFrequency) &&
    (of.sellsWomenRate || !query.isWoman) &&
    (of.sellsTaxSaver || !query.isTaxSaver) &&
    vehicle.isVisible &&
    isOnSale(vehicle, NOW) &&
    vehicle.payoutFrequency === query.payoutFrequency &&
    vehicle.isTaxSaver === query.isTaxSaver &&
    (!vehicle.isSeniorOnly || query.isSenior) &&
    (!vehicle.isWomenOnly || query.isWoman) &&
    query.tenureDays >= vehicle.minTenure &&
    query.tenureDays <= vehicle.maxTenure &&
    query.amountPaise >= BigInt(vehicle.minInvestment) * 100n &&
    query.amountPaise <= BigInt(vehicle.maxInvestment) * 100n;

  it('finds a vehicle that serves the query, exactly when one exists', () => {
    fc.assert(
      fc.property(issuer, query, (parts, requested) => {
        const of = anIssuer(parts);
        const serving = of.vehicles.filter((candidate) => serves(of, candidate, requested));
        const { vehicle: found, refusals: reasons } = matchProduct(of, requested, NOW);
        expect(found !== undefined).toBe(serving.length > 0);
        expect(found === undefined).toBe(reasons !== undefined);
        if (found) expect(serving).toContain(found);
      }),
      { numRuns: 2_000 },
    );
  });

  it('chooses the same vehicle in any order of storage', () => {
    fc.assert(
      fc.property(issuer, query, fc.infiniteStream(fc.nat()), (parts, requested, random) => {
        const of = anIssuer(parts);
        const order = new Map(of.vehicles.map((candidate) => [candidate, random.next().value as number]));
        const shuffled = { ...of, vehicles: [...of.vehicles].sort((a, b) => order.get(a)! - order.get(b)!) };
        expect(matchProduct(shuffled, requested, NOW)).toEqual(matchProduct(of, requested, NOW));
      }),
      { numRuns: 500 },
    );
  });

  it('chooses no vehicle while a more special, better paid or narrower one serves', () => {
    fc.assert(
      fc.property(issuer, query, (parts, requested) => {
        const of = anIssuer(parts);
        const { vehicle: found } = matchProduct(of, requested, NOW);
        const weight = ({ isSeniorOnly, isWomenOnly, rate, minTenure, maxTenure }: Vehicle) =>
          (Number(isSeniorOnly) + Number(isWomenOnly)) * 10_000 +
          Number(rate) * 100 -
          (maxTenure - minTenure);
        const serving = of.vehicles.filter((candidate) => serves(of, candidate, requested));
        if (found) expect(weight(found)).toBe(Math.max(...serving.map(weight)));
      }),
      { numRuns: 500 },
    );
  });
});
