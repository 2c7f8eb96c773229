import type { PayoutFrequency } from '@fd/contracts';
import {
  loadCatalogue,
  type LoadedCatalogue,
  readCatalogueFolder,
} from '../../src/catalogue/files/load-catalogue.js';
import { formatProblem } from '../../src/catalogue/files/yaml-source.js';
import { isOnSale, type Issuer, type Vehicle } from '../../src/catalogue/catalogue.js';
import { matchProduct } from '../../src/quotes/product-matching.js';
import { ISSUERS } from '../support/issuers.js';
import { CATALOGUE_FOLDER, USUAL_DAY } from '../support/master-app.js';

const DAYS = [
  '2023-04-01T00:00:00+05:30',
  '2025-03-31T23:59:59+05:30',
  USUAL_DAY,
  '2027-04-01T00:00:00+05:30',
  '2040-02-29T12:00:00+05:30',
];

let loaded: LoadedCatalogue;
beforeAll(async () => {
  loaded = loadCatalogue(await readCatalogueFolder(CATALOGUE_FOLDER), new Date(USUAL_DAY));
});

const issuer = (slug: string): Issuer => loaded.issuers.find((candidate) => candidate.slug === slug)!;
const onSale = (of: Issuer): Vehicle[] =>
  of.vehicles.filter((vehicle) => isOnSale(vehicle, new Date(USUAL_DAY)));

describe('the shipped catalogue', () => {
  it('finds no problem and no warning in the shipped catalogue', () => {
    expect(loaded.problems.map(formatProblem)).toEqual([]);
  });

  it('contains the five issuers with their names', () => {
    expect(
      Object.fromEntries(loaded.issuers.map(({ slug, code, issuerId }) => [slug, { id: issuerId, code }])),
    ).toEqual(ISSUERS);
  });

  it.each<[string, object, PayoutFrequency[]]>([
    [
      'aravalli',
      {
        issuerType: 'NBFC',
        compounding: 'Yearly',
        sellsWomenRate: true,
        womenBenefit: '0.10',
        sellsTaxSaver: false,
      },
      ['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly'],
    ],
    [
      'kaveri',
      {
        issuerType: 'BANK',
        compounding: 'Quarterly',
        sellsWomenRate: true,
        womenBenefit: '0.10',
        sellsTaxSaver: true,
      },
      ['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly'],
    ],
    [
      'nilgiri',
      {
        issuerType: 'NBFC',
        compounding: 'HalfYearly',
        sellsWomenRate: false,
        womenBenefit: '0',
        sellsTaxSaver: false,
      },
      ['Maturity', 'Monthly', 'Quarterly'],
    ],
    [
      'sahyadri',
      {
        issuerType: 'NBFC',
        compounding: 'Monthly',
        sellsWomenRate: false,
        sellsTaxSaver: false,
        isNomineeRequired: true,
      },
      ['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly'],
    ],
    [
      'vindhya',
      {
        issuerType: 'BANK',
        compounding: 'Quarterly',
        sellsWomenRate: true,
        womenBenefit: '0.05',
        sellsTaxSaver: true,
      },
      ['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly'],
    ],
  ])('describes %s as documented', (slug, expected, frequencies) => {
    expect(issuer(slug)).toMatchObject(expected);
    expect(issuer(slug).payoutFrequencies).toEqual(frequencies);
  });

  it.each(Object.keys(ISSUERS))(
    'sells deposits at %s of 5,000 to 1 crore rupees for 365 to 1825 days at any time',
    (slug) => {
      const of = issuer(slug);
      // a match changes only at an end of a band
      const tenures = new Set([
        365,
        1_825,
        ...of.vehicles.flatMap((v) => [v.minTenure, v.maxTenure, v.maxTenure + 1]),
      ]);
      const rupees = new Set([
        5_000,
        10_000_000,
        ...of.vehicles.flatMap((v) => [v.minInvestment, v.maxInvestment, v.maxInvestment + 1]),
      ]);
      for (const day of DAYS) {
        for (const payoutFrequency of of.payoutFrequencies) {
          for (const tenureDays of tenures) {
            if (tenureDays < 365 || tenureDays > 1_825) continue;
            for (const amount of rupees) {
              if (amount < 5_000 || amount > 10_000_000) continue;
              const query = { amountPaise: BigInt(amount) * 100n, tenureDays, payoutFrequency };
              const everybody = { isSenior: false, isWoman: false, isTaxSaver: false };
              const { vehicle, refusals } = matchProduct(of, { ...query, ...everybody }, new Date(day));
              if (!vehicle)
                throw new Error(
                  `${slug} ${payoutFrequency} ${tenureDays} days ${amount} on ${day}: ${refusals[0].error.code}`,
                );
              expect(vehicle.isSeniorOnly || vehicle.isWomenOnly || vehicle.isTaxSaver).toBe(false);
            }
          }
        }
      }
    },
  );

  it.each(Object.keys(ISSUERS))(
    'pays no more at %s for a monthly than for a yearly payout of the same deposit',
    (slug) => {
      const of = issuer(slug);
      const regular = onSale(of).filter(
        (v) => !v.isSeniorOnly && !v.isWomenOnly && !v.isTaxSaver && v.isVisible,
      );
      const longest = of.payoutFrequencies.includes('Yearly') ? 'Yearly' : 'Maturity';
      const monthly = regular.filter((v) => v.payoutFrequency === 'Monthly');
      expect(monthly.length).toBeGreaterThan(0);
      for (const vehicle of monthly) {
        const same = regular.find(
          (v) =>
            v.payoutFrequency === longest &&
            v.minTenure === vehicle.minTenure &&
            v.minInvestment === vehicle.minInvestment,
        )!;
        // with monthly rests the same rate has the same yield
        if (of.compounding === 'Monthly') expect(Number(vehicle.rate)).toBe(Number(same.rate));
        else expect(Number(vehicle.rate)).toBeLessThan(Number(same.rate));
      }
    },
  );

  it('contains values that clients must accept: the text NULL, empty labels and ids, null ranks', () => {
    const all = loaded.issuers.flatMap(onSale);
    expect(
      all.some((v) => v.details === 'NULL' && v.issuerCommission === 'NULL' && v.selfCommission === 'NULL'),
    ).toBe(true);
    expect(all.some((v) => v.details !== 'NULL')).toBe(true);
    expect(all.some((v) => v.tenureLabel === '')).toBe(true);
    expect(all.some((v) => v.productId === '') && all.some((v) => v.productId !== '')).toBe(true);
    expect(all.some((v) => v.rank === null) && all.some((v) => v.rank !== null)).toBe(true);
  });

  it('contains former rates, an announced one and vehicles of all kinds', () => {
    const all = loaded.issuers.flatMap(({ vehicles }) => vehicles);
    const now = new Date(USUAL_DAY);
    for (const of of loaded.issuers)
      expect(of.vehicles.some((v) => v.ineffectiveAt && v.ineffectiveAt < now)).toBe(true);
    expect(all.some((v) => v.effectiveAt > now)).toBe(true);
    for (const flag of ['isSeniorOnly', 'isWomenOnly', 'isTaxSaver'] as const) {
      expect(loaded.issuers.flatMap(onSale).some((vehicle) => vehicle[flag])).toBe(true);
    }
  });
});
