import type { IssuerDetailPayload, IssuersPayload, VehiclePayload } from '@fd/contracts';
import { ApiKeyErrors, MasterErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { ISSUERS } from '../support/issuers.js';
import { shippedIssuers, startService, type TestService } from '../support/master-app.js';

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
