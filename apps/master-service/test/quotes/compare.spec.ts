import type { ComparePayload } from '@fd/contracts';
import { type ErrorCode, type ErrorDefinition, errorOf, QuoteErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { shippedIssuers, startService, type TestService } from '../support/master-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const ask = (query: Record<string, string | string[]>) => service.api.get('/api/v1/compare', { query });

async function compare(query: Record<string, string>): Promise<ComparePayload> {
  const { status, body } = await ask(query);
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
    expectRefusal(await ask(query), code);
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
    expectRefusal(await ask({ ...GOOD, [name]: [value, value] }), code);
  });
});
