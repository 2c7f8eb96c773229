import { type ComparePayload, type MaturityQuote, PAYOUT_FREQUENCIES, PRODUCT_TYPES } from '@fd/contracts';
import type { FailureEnvelope } from '@fd/envelope';
import { type ErrorCode, type ErrorDefinition, errorOf, MasterErrors, QuoteErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { ISSUERS } from '../support/issuers.js';
import { shippedIssuers, startApp, startService, type TestService } from '../support/master-app.js';
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

describe('refusals of GET /api/v1/detail/maturity-amount/{issuer_code}', () => {
  it.each<[string, Changes, Parameters<typeof expectRefusal>[1]]>([
    ['a missing tenure', { tenure: undefined }, QuoteErrors.tenureInvalid],
    ['an empty tenure', { tenure: '' }, QuoteErrors.tenureInvalid],
    ['a tenure that is no number', { tenure: 'abc' }, QuoteErrors.tenureInvalid],
    ['a decimal tenure', { tenure: '365.0' }, QuoteErrors.tenureInvalid],
    ['a tenure with text after it', { tenure: '730abc' }, QuoteErrors.tenureInvalid],
    ['a tenure with an injection', { tenure: "730' OR '1'='1" }, QuoteErrors.tenureInvalid],
    ['a tenure with a space', { tenure: ' 730' }, QuoteErrors.tenureInvalid],
    ['a tenure in full-width digits', { tenure: '７３０' }, QuoteErrors.tenureInvalid],
    ['a tenure with an exponent', { tenure: '1e3' }, QuoteErrors.tenureInvalid],
    ['a tenure with a NUL character', { tenure: '730\u0000' }, QuoteErrors.tenureInvalid],
    ['a tenure below all bounds', { tenure: '364' }, QuoteErrors.tenureOutOfRange],
    ['a tenure above all bounds', { tenure: '1827' }, QuoteErrors.tenureOutOfRange],
    ['a tenure of 0 days', { tenure: '0' }, QuoteErrors.tenureOutOfRange],
    ['a negative tenure', { tenure: '-730' }, QuoteErrors.tenureOutOfRange],
    ['a tenure of 400 digits', { tenure: '9'.repeat(400) }, QuoteErrors.tenureOutOfRange],
    ['a negative tenure of 400 digits', { tenure: `-${'9'.repeat(400)}` }, QuoteErrors.tenureOutOfRange],
    ['a missing amount', { investment_amount: undefined }, QuoteErrors.amountInvalid],
    ['an empty amount', { investment_amount: '' }, QuoteErrors.amountInvalid],
    ['an amount that is no number', { investment_amount: 'abc' }, QuoteErrors.amountInvalid],
    ['the amount NaN', { investment_amount: 'NaN' }, QuoteErrors.amountInvalid],
    ['an amount below all bounds', { investment_amount: '4999.99' }, QuoteErrors.amountOutOfRange],
    ['an amount above all bounds', { investment_amount: '50000000.01' }, QuoteErrors.amountOutOfRange],
    ['a negative amount', { investment_amount: '-100000' }, QuoteErrors.amountOutOfRange],
    ['an amount of 0', { investment_amount: '0' }, QuoteErrors.amountOutOfRange],
    ['an amount with an exponent, read as 1', { investment_amount: '1e5' }, QuoteErrors.amountOutOfRange],
    ['an amount of 400 digits', { investment_amount: '9'.repeat(400) }, QuoteErrors.amountOutOfRange],
    ['a missing frequency', { payout_frequency: undefined }, QuoteErrors.frequencyUnknown],
    ['an unknown frequency', { payout_frequency: 'Weekly' }, QuoteErrors.frequencyUnknown],
    ['a frequency in capitals', { payout_frequency: 'MONTHLY' }, QuoteErrors.frequencyUnknown],
    [
      'a frequency with an injection',
      { payout_frequency: "Monthly'; DROP TABLE vehicles; --" },
      QuoteErrors.frequencyUnknown,
    ],
    [
      'a frequency that names a member of every object',
      { payout_frequency: 'constructor' },
      QuoteErrors.frequencyUnknown,
    ],
    ['senior_citizen that is neither true nor false', { senior_citizen: 'yes' }, QuoteErrors.flagInvalid],
    ['an empty senior_citizen', { senior_citizen: '' }, QuoteErrors.flagInvalid],
    ['women_citizen that is neither true nor false', { women_citizen: 'TRUE' }, QuoteErrors.flagInvalid],
    ['tax_saver that is neither true nor false', { tax_saver: '1' }, QuoteErrors.flagInvalid],
    ['explain that is neither true nor false', { explain: 'maybe' }, QuoteErrors.flagInvalid],
    ['a missing product_type', { product_type: undefined }, QuoteErrors.productTypeUnsupported],
    ['an unsupported product_type', { product_type: 'RD' }, QuoteErrors.productTypeUnsupported],
    ['a product_type with markup', { product_type: 'FD<script>' }, QuoteErrors.productTypeUnsupported],
    ['a product_type in small letters', { product_type: 'fd' }, QuoteErrors.productTypeUnsupported],
    ['a tax saver where none is sold', { tax_saver: 'true' }, QuoteErrors.taxSaverNotOffered],
  ])('refuses %s', async (_, changes, code) => {
    expectRefusal(await ask('ARAVFIN', changes), code);
  });

  it.each<[string, string, Parameters<typeof expectRefusal>[1]]>([
    ['tenure', '730', QuoteErrors.tenureInvalid],
    ['investment_amount', '100000', QuoteErrors.amountInvalid],
    ['payout_frequency', 'Monthly', QuoteErrors.frequencyUnknown],
    ['senior_citizen', 'false', QuoteErrors.flagInvalid],
    ['women_citizen', 'false', QuoteErrors.flagInvalid],
    ['tax_saver', 'false', QuoteErrors.flagInvalid],
    ['product_type', 'FD', QuoteErrors.productTypeUnsupported],
    ['explain', 'false', QuoteErrors.flagInvalid],
  ])('refuses %s given twice, even with the same value', async (name, value, code) => {
    expectRefusal(await ask('ARAVFIN', { [name]: [value, value] }), code);
  });

  it.each<[keyof typeof ISSUERS, Record<string, string>]>([
    ['aravalli', { tax_saver: QuoteErrors.taxSaverNotOffered.code }],
    ['kaveri', {}],
    [
      'nilgiri',
      {
        HalfYearly: QuoteErrors.frequencyNotOffered.code,
        Yearly: QuoteErrors.frequencyNotOffered.code,
        women_citizen: QuoteErrors.womenRateNotOffered.code,
        tax_saver: QuoteErrors.taxSaverNotOffered.code,
      },
    ],
    [
      'sahyadri',
      { women_citizen: QuoteErrors.womenRateNotOffered.code, tax_saver: QuoteErrors.taxSaverNotOffered.code },
    ],
    ['vindhya', {}],
  ])('refuses at %s exactly the options that it does not sell', async (slug, expected) => {
    const queries = [
      ...PAYOUT_FREQUENCIES.map((frequency) => [frequency, { payout_frequency: frequency }] as const),
      ...['senior_citizen', 'women_citizen', 'tax_saver'].map((flag) => [flag, { [flag]: 'true' }] as const),
    ];
    const refused: Record<string, string> = {};
    for (const [name, changes] of queries) {
      const { status, body } = await ask(ISSUERS[slug].code, { tenure: '1825', ...changes });
      if (status !== 200) refused[name] = body.error[0].errorCode;
    }
    expect(refused).toEqual(expected);
  });

  it('refuses a combination without a vehicle, although its parts are sold', async () => {
    expectRefusal(await ask('KAVSFB', { tax_saver: 'true', tenure: '400' }), QuoteErrors.noProduct);
    expectRefusal(
      await ask('KAVSFB', { tax_saver: 'true', tenure: '1825', investment_amount: '150001' }),
      QuoteErrors.noProduct,
    );
  });

  it('names all invalid parameters in the order of checks', async () => {
    const order: [string, Changes][] = [
      ['tenure', { tenure: 'x' }],
      ['investment_amount', { investment_amount: 'x' }],
      ['payout_frequency', { payout_frequency: 'x' }],
      ['senior_citizen', { senior_citizen: 'x' }],
      ['women_citizen', { women_citizen: 'x' }],
      ['tax_saver', { tax_saver: 'x' }],
      ['product_type', { product_type: 'x' }],
    ];
    for (const index of order.keys()) {
      const bad = order.slice(index);
      const changes = Object.assign({}, ...bad.map(([, change]) => change)) as Changes;
      const { body } = await ask('ARAVFIN', changes);
      expect((body as FailureEnvelope).error).toEqual(
        bad.map(([field]) => expect.objectContaining({ f_error_reason: field, field }) as object),
      );
    }
  });

  it.each([
    'NOBODY',
    'aravfin',
    'ARAVFIN%20',
    'constructor',
    '__proto__',
    '%00',
    'ARAVFIN;--',
    'x'.repeat(500),
  ])('refuses the unknown issuer code %s', async (code) => {
    expectRefusal(await ask(code), MasterErrors.issuerUnknown);
  });

  it('names the offered values, and the issuer that another name means', async () => {
    const messageOf = async (code: string, changes: Changes = {}) =>
      ((await ask(code, changes)).body as { error: { f_error_message: string }[] }).error[0]!.f_error_message;
    expect(await messageOf('ARAVFIN', { tenure: '1' })).toMatch(
      /^Choose a tenure that is offered\. It has [\d, to]+ days\.$/,
    );
    expect(await messageOf('ARAVFIN', { investment_amount: '1' })).toMatch(/ It takes ₹[\d,]+ to [\d,]+\.$/);
    for (const name of ['aravfin', 'aravalli', ISSUERS.aravalli.id.toUpperCase()]) {
      expect(await messageOf(name)).toBe('This issuer does not exist. Did you mean ARAVFIN?');
    }
    expect(await messageOf('NOBODY')).toBe('This issuer does not exist.');
  });

  it.each<[string, readonly string[]]>([
    ['payout_frequency', PAYOUT_FREQUENCIES],
    ['product_type', PRODUCT_TYPES],
  ])('names every accepted value of an unknown %s', async (name, accepted) => {
    const { error } = (await ask('ARAVFIN', { [name]: 'zebra' })).body as { error: { error: string }[] };
    expect(error[0]!.error.replace(`${name} must be `, '').split(/, | or /)).toEqual(accepted);
  });

  it('never echoes a parameter', async () => {
    for (const changes of [{ tenure: 'zebra' }, { payout_frequency: 'zebra' }, { product_type: 'zebra' }]) {
      expect((await ask('ARAVFIN', changes)).text).not.toContain('zebra');
    }
  });
});

const askComparison = (query: Record<string, string | string[]>) =>
  service.api.get('/api/v1/compare', { query });

async function compare(query: Record<string, string>): Promise<ComparePayload> {
  const { status, body } = await askComparison(query);
  expect([status, body.message]).toEqual([200, 'SUCCESS']);
  return body.payload as ComparePayload;
}

describe('GET /api/v1/compare', () => {
  it("ranks the quotes of all issuers by interest, each equal to the issuer's quote", async () => {
    const { quotes, unavailable } = await compare({ amount: '100000', tenure: '730' });
    expect(unavailable).toEqual([]);
    expect(quotes.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
    const interest = quotes.map(({ interest_amount }) => interest_amount);
    expect(interest).toEqual([...interest].sort((a, b) => b - a));
    for (const quote of quotes) {
      const { body } = await service.api.get(`/api/v1/detail/maturity-amount/${quote.f_code}`, {
        query: {
          tenure: '730',
          investment_amount: '100000',
          payout_frequency: 'Maturity',
          product_type: 'FD',
          explain: 'true',
        },
      });
      expect(body).toMatchObject({
        product_interest: quote.product_interest,
        average_yield: quote.average_yield,
        maturity_amount: quote.maturity_amount,
        maturity_date_ist: quote.maturity_date_ist,
        f_investment_vehicle_id: quote.f_investment_vehicle_id,
        interest_amount: quote.interest_amount,
      });
    }
  });

  it('names the issuers without a quote, with the reason', async () => {
    const reasons = async (query: Record<string, string>) => {
      const { quotes, unavailable } = await compare({ amount: '100000', tenure: '730', ...query });
      expect(quotes.length + unavailable.length).toBe(5);
      for (const { errorCode, error } of unavailable)
        expect(error).toBe(errorOf(errorCode as ErrorCode).text);
      return Object.fromEntries(unavailable.map(({ slug, errorCode }) => [slug, errorCode]));
    };
    expect(await reasons({ payout_frequency: 'Yearly' })).toEqual({
      nilgiri: QuoteErrors.frequencyNotOffered.code,
    });
    expect(await reasons({ women_citizen: 'true' })).toEqual({
      nilgiri: QuoteErrors.womenRateNotOffered.code,
      sahyadri: QuoteErrors.womenRateNotOffered.code,
    });
    expect(await reasons({ tax_saver: 'true', tenure: '1825' })).toEqual({
      aravalli: QuoteErrors.taxSaverNotOffered.code,
      nilgiri: QuoteErrors.taxSaverNotOffered.code,
      sahyadri: QuoteErrors.taxSaverNotOffered.code,
    });
    expect(await reasons({ tenure: '30' })).toEqual({
      aravalli: QuoteErrors.tenureOutOfRange.code,
      nilgiri: QuoteErrors.tenureOutOfRange.code,
      sahyadri: QuoteErrors.tenureOutOfRange.code,
    });
    expect(await reasons({ amount: '30000000' })).toEqual({
      kaveri: QuoteErrors.amountOutOfRange.code,
      nilgiri: QuoteErrors.amountOutOfRange.code,
      sahyadri: QuoteErrors.amountOutOfRange.code,
      vindhya: QuoteErrors.amountOutOfRange.code,
    });
    expect(Object.keys(await reasons({ amount: '1' }))).toHaveLength(5);
  });

  it('repeats the requested deposit', async () => {
    expect(
      await compare({
        amount: '10000.505abc',
        tenure: '365',
        payout_frequency: 'Quarterly',
        senior_citizen: 'true',
      }),
    ).toMatchObject({
      amount: 10_000.51,
      tenure: 365,
      payout_frequency: 'Quarterly',
      senior_citizen: true,
      women_citizen: false,
      tax_saver: false,
    });
  });

  it('accepts numbers of any size', async () => {
    expect(await compare({ amount: '9'.repeat(500), tenure: '9'.repeat(500) })).toMatchObject({ quotes: [] });
  });

  it('omits issuers that are not live', async () => {
    const issuers = await shippedIssuers();
    await service.stores.importIssuers(
      issuers.map((issuer) => ({ ...issuer, isLive: issuer.slug !== 'kaveri' })),
    );
    await service.refreshCatalogue();
    const { quotes, unavailable } = await compare({ amount: '100000', tenure: '730' });
    expect([...quotes, ...unavailable].map(({ slug }) => slug).sort()).toEqual([
      'aravalli',
      'nilgiri',
      'sahyadri',
      'vindhya',
    ]);
    await service.stores.importIssuers(issuers);
    await service.refreshCatalogue();
  });

  const GOOD = { amount: '100000', tenure: '730' };

  it.each<[string, Record<string, string | string[]>, ErrorDefinition]>([
    ['a call without tenure', { amount: '100000' }, QuoteErrors.tenureInvalid],
    ['a call without amount', { tenure: '730' }, QuoteErrors.amountInvalid],
    [
      'an amount under the name of another route',
      { tenure: '730', investment_amount: '100000' },
      QuoteErrors.amountInvalid,
    ],
    ['an unknown frequency', { ...GOOD, payout_frequency: 'Weekly' }, QuoteErrors.frequencyUnknown],
    ['a flag that is neither true nor false', { ...GOOD, tax_saver: 'no' }, QuoteErrors.flagInvalid],
    ['another product', { ...GOOD, product_type: 'RD' }, QuoteErrors.productTypeUnsupported],
  ])('refuses %s', async (_, query, code) => {
    expectRefusal(await askComparison(query), code);
  });

  it.each<[string, string, ErrorDefinition]>([
    ['tenure', '730', QuoteErrors.tenureInvalid],
    ['amount', '100000', QuoteErrors.amountInvalid],
    ['payout_frequency', 'Monthly', QuoteErrors.frequencyUnknown],
    ['senior_citizen', 'true', QuoteErrors.flagInvalid],
    ['women_citizen', 'true', QuoteErrors.flagInvalid],
    ['tax_saver', 'true', QuoteErrors.flagInvalid],
    ['product_type', 'FD', QuoteErrors.productTypeUnsupported],
  ])('refuses %s given twice', async (name, value, code) => {
    expectRefusal(await askComparison({ ...GOOD, [name]: [value, value] }), code);
  });
});
