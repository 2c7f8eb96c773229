import { PAYOUT_FREQUENCIES, PRODUCT_TYPES } from '@fd/contracts';
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

describe('GET /api/v1/detail/maturity-amount/{issuer_code}', () => {
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
