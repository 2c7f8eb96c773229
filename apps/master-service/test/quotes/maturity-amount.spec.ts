import type { MaturityQuote } from '@fd/contracts';
import { ISSUERS } from '../support/issuers.js';
import { startApp, startService, type TestService } from '../support/master-app.js';
import { askQuote, type Changes, quoteOf } from '../support/quote-calls.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(() => service.clock.set('2026-06-10T06:30:00Z'));

const ask = (code: string, changes?: Changes) => askQuote(service, code, changes);
const quote = (code: string, changes?: Changes) => quoteOf(service, code, changes);
const rowsOf = ({ payout }: MaturityQuote) => payout.flatMap(({ data }) => data);
const cents = (amount: number) => Math.round(amount * 100);

describe('GET /api/v1/detail/maturity-amount/{issuer_code}', () => {
  it('answers a flat body with exactly the fields of the interface', async () => {
    expect(await quote('ARAVFIN')).toEqual({
      product_interest: '7.85',
      average_yield: '8.16',
      payout_frequency: 'Maturity',
      maturity_date: '2028-06-09',
      maturity_date_ist: '2028-06-09',
      f_investment_vehicle_id: 'f5ec52ed-0108-4475-92e1-bc7656670b14',
      product_min_investment: 5_000,
      product_max_investment: 2_499_999,
      product_min_tenure: 730,
      product_max_tenure: 1_094,
      product_min_tenure_label: '24 to 35 months',
      payout: [{ year: 2028, data: [{ date: '2028-06-09', amount: 16_316.23 }] }],
      maturity_amount: 116_316.23,
    });
  });

  it.each(['Monthly', 'Quarterly', 'HalfYearly', 'Yearly'])(
    'pays interest %s by year, dates ascending, and returns the principal at maturity',
    async (frequency) => {
      const body = await quote('ARAVFIN', { payout_frequency: frequency, tenure: '1825' });
      expect(body).toMatchObject({ payout_frequency: frequency, maturity_amount: 100_000 });
      const rows = rowsOf(body);
      expect(rows.map(({ date }) => date)).toEqual([...new Set(rows.map(({ date }) => date))].sort());
      expect(rows.at(-1)!.date).toBe(body.maturity_date_ist);
      for (const { year, data } of body.payout) {
        expect(data.every(({ date }) => date.startsWith(`${year}-`))).toBe(true);
      }
      const months = { Monthly: 1, Quarterly: 3, HalfYearly: 6, Yearly: 12 }[frequency]!;
      expect(rows).toHaveLength(60 / months);
    },
  );

  it('adds the benefits for senior citizens and women, both for a senior woman', async () => {
    const rate = async (changes: Changes) => (await quote('KAVSFB', changes)).product_interest;
    expect(await rate({})).toBe('7.75');
    expect(await rate({ senior_citizen: 'true' })).toBe('8.25');
    expect(await rate({ women_citizen: 'true' })).toBe('7.85');
    expect(await rate({ senior_citizen: 'true', women_citizen: 'true' })).toBe('8.35');
  });

  it('prefers a vehicle for senior citizens or women', async () => {
    const at = { tenure: '1210' };
    expect(await quote('ARAVFIN', { ...at, senior_citizen: 'true' })).toMatchObject({
      product_interest: '8.45',
      product_min_tenure: 1_200,
      product_max_tenure: 1_230,
    });
    expect(await quote('ARAVFIN', at)).toMatchObject({ product_interest: '8.05', product_min_tenure: 1_095 });
    expect(await quote('ARAVFIN', { tenure: '750', women_citizen: 'true' })).toMatchObject({
      product_interest: '8.05',
      product_min_tenure: 730,
      product_max_tenure: 760,
    });
  });

  it('quotes a tax saver on request', async () => {
    const body = await quote('KAVSFB', { tenure: '1826', tax_saver: 'true' });
    expect(body).toMatchObject({
      product_max_investment: 150_000,
      product_min_tenure: 1_825,
      product_max_tenure: 1_826,
    });
  });

  it('returns the bounds of the product', async () => {
    expect(await quote('ARAVFIN', { investment_amount: '2499999' })).toMatchObject({
      product_max_investment: 2_499_999,
    });
    expect(await quote('ARAVFIN', { investment_amount: '2500000' })).toMatchObject({
      product_interest: '7.9',
      product_min_investment: 2_500_000,
      product_max_investment: 50_000_000,
    });
    expect(await quote('ARAVFIN', { tenure: '729' })).toMatchObject({
      product_min_tenure: 546,
      product_max_tenure: 729,
    });
  });

  it('accepts the minimum and maximum of tenure and amount', async () => {
    for (const tenure of ['365', '1826']) {
      for (const investment_amount of ['5000', '50000000']) {
        const body = await quote('ARAVFIN', { tenure, investment_amount });
        expect(body.maturity_amount).toBeGreaterThan(Number(investment_amount));
      }
    }
  });

  it('reads an amount by its leading number', async () => {
    const plain = await quote('ARAVFIN', { investment_amount: '10000' });
    for (const investment_amount of [
      '10000abc',
      '10000 rupees',
      "10000' OR '1'='1",
      '10000.00',
      '10000.001',
      '+10000',
    ]) {
      expect(await quote('ARAVFIN', { investment_amount })).toEqual(plain);
    }
    expect(cents((await quote('ARAVFIN', { investment_amount: '10000.50' })).maturity_amount)).toBe(
      1_163_220,
    );
  });

  it('defaults flags to false and ignores unknown parameters', async () => {
    const plain = await quote('KAVSFB');
    expect(
      await quote('KAVSFB', {
        senior_citizen: undefined,
        women_citizen: undefined,
        tax_saver: undefined,
        utm_source: 'x',
        '__proto__[tenure]': '1',
        'tenure[]': '9',
      }),
    ).toEqual(plain);
  });

  it('changes the dates of a quote at midnight in India', async () => {
    service.clock.set('2026-06-10T18:29:59Z');
    expect(await quote('ARAVFIN', { tenure: '365' })).toMatchObject({
      maturity_date: '2027-06-10',
      maturity_date_ist: '2027-06-10',
    });
    service.clock.set('2026-06-10T18:30:00Z');
    expect(await quote('ARAVFIN', { tenure: '365' })).toMatchObject({
      maturity_date: '2027-06-10',
      maturity_date_ist: '2027-06-11',
    });
    service.clock.set('2026-06-11T00:00:00Z');
    expect(await quote('ARAVFIN', { tenure: '365' })).toMatchObject({
      maturity_date: '2027-06-11',
      maturity_date_ist: '2027-06-11',
    });
  });

  it('applies each rate from its first to its last instant', async () => {
    const rate = async (instant: string) => {
      service.clock.set(instant);
      return (await quote('KAVSFB', { tenure: '444' })).product_interest;
    };
    expect(await rate('2025-03-31T18:29:59Z')).toBe('7.25');
    expect(await rate('2025-03-31T18:30:00Z')).toBe('8.05');
    expect(await rate('2027-03-31T18:29:59Z')).toBe('8.05');
    expect(await rate('2027-03-31T18:30:00Z')).toBe('7.85');
  });

  it('answers the same bytes on every replica', async () => {
    const replica = await startApp(service.stores.environment);
    for (const { code } of Object.values(ISSUERS)) {
      for (const explain of ['true', 'false']) {
        const changes = { payout_frequency: 'Quarterly', senior_citizen: 'true', explain };
        expect((await askQuote(replica, code, changes)).text).toBe((await ask(code, changes)).text);
      }
    }
    await replica.close();
  });

  it('forbids caching', async () => {
    expect((await ask('ARAVFIN')).headers['cache-control']).toBe('no-store');
  });

  it('adds only an explanation with explain=true', async () => {
    const plain = await quote('KAVSFB', { senior_citizen: 'true', payout_frequency: 'Monthly' });
    const {
      principal,
      interest_amount,
      rate_applied,
      compounding_rule,
      day_count,
      rounding,
      working,
      ...rest
    } = await quote('KAVSFB', { senior_citizen: 'true', payout_frequency: 'Monthly', explain: 'true' });
    expect(rest).toEqual(plain);
    expect(principal).toBe(100_000);
    expect(cents(interest_amount!)).toBe(rowsOf(plain).reduce((sum, { amount }) => sum + cents(amount), 0));
    expect(rate_applied).toEqual({ base: '7.7', senior: '0.5', women: '0' });
    for (const text of [compounding_rule, day_count, rounding]) expect(text).toMatch(/\w/);
    expect(working!.length).toBeGreaterThan(2);
  });

  it('adds no explanation with explain=false', async () => {
    expect(await quote('KAVSFB', { explain: 'false' })).toEqual(await quote('KAVSFB'));
  });
});
