import type { IssuerDetailPayload, IssuersPayload, PayoutFrequency, VehiclePayload } from '@fd/contracts';
import { ApiKeyErrors, MasterErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { isOnSale, type Issuer, type Vehicle } from '../../src/catalogue/catalogue.js';
import {
  loadCatalogue,
  type LoadedCatalogue,
  readCatalogueFolder,
} from '../../src/catalogue/files/load-catalogue.js';
import { formatProblem } from '../../src/catalogue/files/yaml-source.js';
import { matchProduct } from '../../src/quotes/product-quote.js';
import { ISSUERS } from '../support/issuers.js';
import {
  CATALOGUE_FOLDER,
  createStores,
  type MasterApp,
  type MasterStores,
  shippedIssuers,
  startApp,
  startService,
  type TestService,
  USUAL_DAY,
} from '../support/master-app.js';
import { anIssuer, aVehicle } from '../support/vehicles.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(() => service.clock.set('2026-06-10T06:30:00Z'));

const detail = async (id: string): Promise<IssuerDetailPayload> => {
  const { status, body } = await service.api.get(`/detail/${id}`);
  expect([status, body.success, body.statusCode, body.message]).toEqual([200, 1, 200, 'SUCCESS']);
  return body.payload as IssuerDetailPayload;
};

describe('GET /detail/{issuer_uuid}', () => {
  it('answers every field of the interface with its type', async () => {
    const { issuerData } = await detail(ISSUERS.aravalli.id);
    expect(issuerData).toEqual({
      id: 1,
      name: 'Aravalli Finance',
      description: expect.stringContaining('Deposit-taking finance company'),
      f_code: 'ARAVFIN',
      f_issuer_id: ISSUERS.aravalli.id,
      url: 'https://cdn.catalogue.example/issuers/aravalli/logo.png',
      sub_logo: 'https://cdn.catalogue.example/issuers/aravalli/logo-small.png',
      compounding_freq: 'Yearly',
      issuer_type: 'NBFC',
      crisil_rating: 'AAA/Stable',
      icra_rating: 'AAA/Stable',
      trusted_users: '2 lakh+',
      subtag_1: 'Highest safety rating',
      subtag_2: 'Interest compounded yearly',
      bank_type: '',
      hero_tag: 'Most chosen',
      faq: null,
      utm_url: null,
      pg_setting: null,
      bank_disabled_at: null,
      deleted_at: null,
      upcoming_bank_date: null,
      baseline_issuer_rank: 1,
      is_range_required: false,
      upcoming_bank: false,
      enable_our_pg: true,
      enable_easy_split: false,
      is_nominee_required: false,
      is_issuer_live: true,
      active_issuer_rank: 1,
      renewal_options: { Principal: true, 'No Renewal': true, 'Total Amount': true },
      women_benefit: 0.1,
      senior_citizen_benefit: 0.25,
      minTenure: 365,
      maxTenure: 1_826,
    });
  });

  it('answers every field of a vehicle with its type', async () => {
    const { vehiclesPayload } = await detail(ISSUERS.kaveri.id);
    const special = vehiclesPayload.find(({ product_min_tenure }) => product_min_tenure === 444)!;
    expect(special).toEqual({
      f_product_id: '',
      f_issuer_id: ISSUERS.kaveri.id,
      f_investment_vehicle_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      product_type: 'FD',
      product_details: 'NULL',
      product_issuer_commision: 'NULL',
      product_self_commision: 'NULL',
      product_rank: null,
      product_min_tenure: 444,
      product_max_tenure: 444,
      product_min_investment: 1_000,
      product_max_investment: 20_000_000,
      product_senior_citizen: false,
      product_tax_saver: false,
      product_women: false,
      product_early_withdrawal: true,
      is_visible: true,
      product_effective_date: '2025-04-01T00:00:00+05:30',
      product_ineffective_date: '2027-04-01T00:00:00+05:30',
      product_payout_term: 'C',
      product_loc_in_period: '7',
      product_interest_freq: 'Maturity',
      product_interest: '8.05',
      yield: expect.stringMatching(/^8\.\d\d$/),
      product_min_tenure_label: '444 days',
    });
  });

  it.each(Object.entries(ISSUERS))(
    'lists exactly the vehicles of %s that are on sale',
    async (slug, { id }) => {
      const stored = (await shippedIssuers()).find((issuer) => issuer.slug === slug)!;
      for (const day of ['2024-06-10T06:30:00Z', '2026-06-10T06:30:00Z', '2027-06-10T06:30:00Z']) {
        service.clock.set(day);
        const { vehiclesPayload, issuerData } = await detail(id);
        const expected = stored.vehicles.filter(
          (v) => v.effectiveAt <= new Date(day) && (!v.ineffectiveAt || new Date(day) < v.ineffectiveAt),
        );
        expect(vehiclesPayload.map((v) => v.f_investment_vehicle_id).sort()).toEqual(
          expected.map((v) => v.vehicleId).sort(),
        );
        expect(issuerData.minTenure).toBe(Math.min(...vehiclesPayload.map((v) => v.product_min_tenure)));
        expect(issuerData.maxTenure).toBe(Math.max(...vehiclesPayload.map((v) => v.product_max_tenure)));
      }
    },
  );

  it('lists vehicles by rank, those without a rank last', async () => {
    const { vehiclesPayload } = await detail(ISSUERS.aravalli.id);
    const ranks = vehiclesPayload.map(({ product_rank }) => product_rank ?? Infinity);
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    expect(ranks).toContain(Infinity);
  });

  it.each(Object.values(ISSUERS))(
    'shows the rates at which the visible vehicles of $code are quoted',
    async ({ id, code }) => {
      const { vehiclesPayload, issuerData } = await detail(id);
      for (const vehicle of vehiclesPayload.filter(({ is_visible }) => is_visible)) {
        const { body, status } = await service.api.get(`/api/v1/detail/maturity-amount/${code}`, {
          query: queryFor(vehicle),
        });
        expect(status).toBe(200);
        expect(body.f_investment_vehicle_id).toBe(vehicle.f_investment_vehicle_id);
        const benefits =
          (vehicle.product_senior_citizen ? issuerData.senior_citizen_benefit : 0) +
          (vehicle.product_women ? issuerData.women_benefit : 0);
        expect(Number(body.product_interest)).toBeCloseTo(Number(vehicle.product_interest) + benefits, 10);
        if (benefits === 0) expect(body.product_interest).toBe(vehicle.product_interest);
      }
    },
  );

  it('accepts the id in capitals', async () => {
    expect((await detail(ISSUERS.nilgiri.id.toUpperCase())).issuerData.f_code).toBe('NILHFC');
  });
});

function queryFor(vehicle: VehiclePayload): Record<string, string> {
  return {
    tenure: String(vehicle.product_min_tenure),
    investment_amount: String(vehicle.product_max_investment),
    payout_frequency: vehicle.product_interest_freq,
    senior_citizen: String(vehicle.product_senior_citizen),
    women_citizen: String(vehicle.product_women),
    tax_saver: String(vehicle.product_tax_saver),
    product_type: 'FD',
  };
}

describe('a refusal', () => {
  it.each([
    'abc',
    '1',
    '6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e100',
    '6f1c2a340b1e4c559d2a1f0a5a9e1001',
    "' OR 1=1 --",
    '%00',
    '..%2Fdetail',
  ])('refuses %s, which is no UUID', async (id) => {
    expectRefusal(await service.api.get(`/detail/${id}`), MasterErrors.issuerIdInvalid);
  });

  it('refuses an id that belongs to no issuer', async () => {
    expectRefusal(
      await service.api.get('/detail/6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e9999'),
      MasterErrors.issuerUnknown,
    );
    expectRefusal(
      await service.api.get('/detail/00000000-0000-0000-0000-000000000000'),
      MasterErrors.issuerUnknown,
    );
  });
});

describe('GET /api/v1/issuers', () => {
  it('lists all issuers by rank with their offers', async () => {
    const { body } = await service.api.get('/api/v1/issuers');
    expect(body.message).toBe('SUCCESS');
    const { issuers } = body.payload as IssuersPayload;
    expect(issuers.map(({ slug }) => slug)).toEqual(['aravalli', 'kaveri', 'sahyadri', 'nilgiri', 'vindhya']);
    expect(issuers[0]).toMatchObject({
      ...(await detail(ISSUERS.aravalli.id)).issuerData,
      slug: 'aravalli',
      payout_frequencies: ['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly'],
      is_women_rate_offered: true,
      is_tax_saver_offered: false,
      min_investment: 5_000,
      max_investment: 50_000_000,
      highest_interest: '8.3',
    });
  });
});

describe.each([`/detail/${ISSUERS.vindhya.id}`, '/api/v1/issuers'])('caching of %s', (path) => {
  it('answers 304 to its ETag until the content changes', async () => {
    const first = await service.api.get(path);
    const { etag } = first.headers as { etag: string };
    expect(first.headers['cache-control']).toBe('private, max-age=60');
    expect(etag).toMatch(/^"[\w-]{27}"$/);

    const ask = (tag: string) => service.api.get(path, { headers: { 'if-none-match': tag } });
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await ask(tag);
      expect([answer.status, answer.text, answer.headers['etag']]).toEqual([304, '', etag]);
    }
    expect((await ask('"other"')).status).toBe(200);

    service.clock.set('2024-06-10T06:30:00Z');
    const changed = await ask(etag);
    expect(changed.status).toBe(200);
    expect(changed.headers['etag']).not.toBe(etag);
  });

  it('checks the key before the ETag', async () => {
    const { etag } = (await service.api.get(path)).headers as { etag: string };
    const answer = await service.anonymous.get(path, { headers: { 'if-none-match': etag } });
    expectRefusal(answer, ApiKeyErrors.missing);
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});

/** More than two pages of the reader. */
const MANY = 4_100;

describe('GET /detail/{issuer_uuid} of a catalogue read in pages', () => {
  let stores: MasterStores;
  let app: MasterApp;
  const issuer = anIssuer({ vehicles: Array.from({ length: MANY }, () => aVehicle()) });
  beforeAll(async () => {
    stores = await createStores({ isEmpty: true });
    await stores.importIssuers([issuer]);
    app = await startApp(stores.environment);
  });
  afterAll(async () => {
    await app.close();
    await stores.drop();
  });

  it('lists each vehicle once', async () => {
    const { body } = await app.api.get(`/detail/${issuer.issuerId}`);
    const { vehiclesPayload } = body.payload as IssuerDetailPayload;
    const ids = vehiclesPayload.map(({ f_investment_vehicle_id: id }) => id);
    expect(ids.toSorted()).toEqual(issuer.vehicles.map(({ vehicleId }) => vehicleId).toSorted());
  });
});

const DAYS = [
  '2023-04-01T00:00:00+05:30',
  '2025-03-31T23:59:59+05:30',
  USUAL_DAY,
  '2027-04-01T00:00:00+05:30',
  '2040-02-29T12:00:00+05:30',
];

let loaded: LoadedCatalogue;

const issuer = (slug: string): Issuer => loaded.issuers.find((candidate) => candidate.slug === slug)!;
const onSale = (of: Issuer): Vehicle[] =>
  of.vehicles.filter((vehicle) => isOnSale(vehicle, new Date(USUAL_DAY)));

describe('the shipped catalogue', () => {
  beforeAll(async () => {
    loaded = loadCatalogue(await readCatalogueFolder(CATALOGUE_FOLDER), new Date(USUAL_DAY));
  });

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
