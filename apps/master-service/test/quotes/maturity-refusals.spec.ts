import { PAYOUT_FREQUENCIES } from '@fd/contracts';
import type { FailureEnvelope } from '@fd/envelope';
import { MasterErrors, QuoteErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { ISSUERS } from '../support/issuers.js';
import { startService, type TestService } from '../support/master-app.js';
import { askQuote, type Changes } from '../support/quote-calls.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const ask = (code: string, changes?: Changes) => askQuote(service, code, changes);

describe('a quote is refused', () => {
  it.each<[string, Changes, Parameters<typeof expectRefusal>[1]]>([
    ['tenure missing', { tenure: undefined }, QuoteErrors.tenureInvalid],
    ['tenure empty', { tenure: '' }, QuoteErrors.tenureInvalid],
    ['tenure no number', { tenure: 'abc' }, QuoteErrors.tenureInvalid],
    ['tenure a decimal', { tenure: '365.0' }, QuoteErrors.tenureInvalid],
    ['tenure with text after it', { tenure: '730abc' }, QuoteErrors.tenureInvalid],
    ['tenure with an injection', { tenure: "730' OR '1'='1" }, QuoteErrors.tenureInvalid],
    ['tenure with a space', { tenure: ' 730' }, QuoteErrors.tenureInvalid],
    ['tenure in other digits', { tenure: '７３０' }, QuoteErrors.tenureInvalid],
    ['tenure with an exponent', { tenure: '1e3' }, QuoteErrors.tenureInvalid],
    ['tenure with a NUL', { tenure: '730\u0000' }, QuoteErrors.tenureInvalid],
    ['tenure below', { tenure: '364' }, QuoteErrors.tenureOutOfRange],
    ['tenure above', { tenure: '1827' }, QuoteErrors.tenureOutOfRange],
    ['tenure of nothing', { tenure: '0' }, QuoteErrors.tenureOutOfRange],
    ['tenure negative', { tenure: '-730' }, QuoteErrors.tenureOutOfRange],
    ['tenure without end', { tenure: '9'.repeat(400) }, QuoteErrors.tenureOutOfRange],
    ['amount missing', { investment_amount: undefined }, QuoteErrors.amountInvalid],
    ['amount empty', { investment_amount: '' }, QuoteErrors.amountInvalid],
    ['amount no number', { investment_amount: 'abc' }, QuoteErrors.amountInvalid],
    ['amount not a number', { investment_amount: 'NaN' }, QuoteErrors.amountInvalid],
    ['amount below', { investment_amount: '4999.99' }, QuoteErrors.amountOutOfRange],
    ['amount above', { investment_amount: '50000000.01' }, QuoteErrors.amountOutOfRange],
    ['amount negative', { investment_amount: '-100000' }, QuoteErrors.amountOutOfRange],
    ['amount of nothing', { investment_amount: '0' }, QuoteErrors.amountOutOfRange],
    ['amount with an exponent', { investment_amount: '1e5' }, QuoteErrors.amountOutOfRange],
    ['amount without end', { investment_amount: '9'.repeat(400) }, QuoteErrors.amountOutOfRange],
    ['frequency missing', { payout_frequency: undefined }, QuoteErrors.frequencyUnknown],
    ['frequency unknown', { payout_frequency: 'Weekly' }, QuoteErrors.frequencyUnknown],
    ['frequency in capitals', { payout_frequency: 'MONTHLY' }, QuoteErrors.frequencyUnknown],
    [
      'frequency with an injection',
      { payout_frequency: "Monthly'; DROP TABLE vehicles; --" },
      QuoteErrors.frequencyUnknown,
    ],
    ['frequency that reaches a prototype', { payout_frequency: 'constructor' }, QuoteErrors.frequencyUnknown],
    ['senior_citizen neither', { senior_citizen: 'yes' }, QuoteErrors.flagInvalid],
    ['senior_citizen empty', { senior_citizen: '' }, QuoteErrors.flagInvalid],
    ['women_citizen neither', { women_citizen: 'TRUE' }, QuoteErrors.flagInvalid],
    ['tax_saver neither', { tax_saver: '1' }, QuoteErrors.flagInvalid],
    ['explain neither', { explain: 'maybe' }, QuoteErrors.flagInvalid],
    ['product_type missing', { product_type: undefined }, QuoteErrors.productTypeUnsupported],
    ['product_type unsupported', { product_type: 'RD' }, QuoteErrors.productTypeUnsupported],
    ['product_type tampered with', { product_type: 'FD<script>' }, QuoteErrors.productTypeUnsupported],
    ['product_type in small letters', { product_type: 'fd' }, QuoteErrors.productTypeUnsupported],
    ['tax saver where none is sold', { tax_saver: 'true' }, QuoteErrors.taxSaverNotOffered],
  ])('%s', async (_, changes, code) => {
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
  ])('%s given twice, though it is the same value', async (name, value, code) => {
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
  ])('by %s for exactly what it does not sell', async (slug, expected) => {
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

  it('of a combination that nobody sells, although its parts are sold', async () => {
    expectRefusal(await ask('KAVSFB', { tax_saver: 'true', tenure: '400' }), QuoteErrors.noProduct);
    expectRefusal(
      await ask('KAVSFB', { tax_saver: 'true', tenure: '1825', investment_amount: '150001' }),
      QuoteErrors.noProduct,
    );
  });

  it('names the parameter, and the first one in the order of checks only', async () => {
    const order: [string, Changes][] = [
      ['tenure', { tenure: 'x' }],
      ['investment_amount', { investment_amount: 'x' }],
      ['payout_frequency', { payout_frequency: 'x' }],
      ['senior_citizen', { senior_citizen: 'x' }],
      ['women_citizen', { women_citizen: 'x' }],
      ['tax_saver', { tax_saver: 'x' }],
      ['product_type', { product_type: 'x' }],
    ];
    for (const [index, [name]] of order.entries()) {
      const changes = Object.assign({}, ...order.slice(index).map(([, change]) => change)) as Changes;
      const { body } = await ask('ARAVFIN', changes);
      expect((body as FailureEnvelope).error).toEqual([expect.objectContaining({ f_error_reason: name })]);
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
  ])('of the issuer code %s, which nobody has', async (code) => {
    expectRefusal(await ask(code), MasterErrors.issuerUnknown);
  });

  it('never echoes what was sent', async () => {
    for (const changes of [{ tenure: 'zebra' }, { payout_frequency: 'zebra' }, { product_type: 'zebra' }]) {
      expect((await ask('ARAVFIN', changes)).text).not.toContain('zebra');
    }
  });
});
