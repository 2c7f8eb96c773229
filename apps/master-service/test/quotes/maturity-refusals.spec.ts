import { PAYOUT_FREQUENCIES } from '@fd/contracts';
import type { FailureEnvelope } from '@fd/envelope';
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
    ['tenure missing', { tenure: undefined }, 'SVCMAS2101'],
    ['tenure empty', { tenure: '' }, 'SVCMAS2101'],
    ['tenure no number', { tenure: 'abc' }, 'SVCMAS2101'],
    ['tenure a decimal', { tenure: '365.0' }, 'SVCMAS2101'],
    ['tenure with text after it', { tenure: '730abc' }, 'SVCMAS2101'],
    ['tenure with an injection', { tenure: "730' OR '1'='1" }, 'SVCMAS2101'],
    ['tenure with a space', { tenure: ' 730' }, 'SVCMAS2101'],
    ['tenure in other digits', { tenure: '７３０' }, 'SVCMAS2101'],
    ['tenure with an exponent', { tenure: '1e3' }, 'SVCMAS2101'],
    ['tenure with a NUL', { tenure: '730\u0000' }, 'SVCMAS2101'],
    ['tenure below', { tenure: '364' }, 'SVCMAS2102'],
    ['tenure above', { tenure: '1827' }, 'SVCMAS2102'],
    ['tenure of nothing', { tenure: '0' }, 'SVCMAS2102'],
    ['tenure negative', { tenure: '-730' }, 'SVCMAS2102'],
    ['tenure without end', { tenure: '9'.repeat(400) }, 'SVCMAS2102'],
    ['amount missing', { investment_amount: undefined }, 'SVCMAS2103'],
    ['amount empty', { investment_amount: '' }, 'SVCMAS2103'],
    ['amount no number', { investment_amount: 'abc' }, 'SVCMAS2103'],
    ['amount not a number', { investment_amount: 'NaN' }, 'SVCMAS2103'],
    ['amount below', { investment_amount: '4999.99' }, 'SVCMAS2104'],
    ['amount above', { investment_amount: '50000000.01' }, 'SVCMAS2104'],
    ['amount negative', { investment_amount: '-100000' }, 'SVCMAS2104'],
    ['amount of nothing', { investment_amount: '0' }, 'SVCMAS2104'],
    ['amount with an exponent', { investment_amount: '1e5' }, 'SVCMAS2104'],
    ['amount without end', { investment_amount: '9'.repeat(400) }, 'SVCMAS2104'],
    ['frequency missing', { payout_frequency: undefined }, 'SVCMAS2105'],
    ['frequency unknown', { payout_frequency: 'Weekly' }, 'SVCMAS2105'],
    ['frequency in capitals', { payout_frequency: 'MONTHLY' }, 'SVCMAS2105'],
    ['frequency with an injection', { payout_frequency: "Monthly'; DROP TABLE vehicles; --" }, 'SVCMAS2105'],
    ['frequency that reaches a prototype', { payout_frequency: 'constructor' }, 'SVCMAS2105'],
    ['senior_citizen neither', { senior_citizen: 'yes' }, 'SVCMAS2106'],
    ['senior_citizen empty', { senior_citizen: '' }, 'SVCMAS2106'],
    ['women_citizen neither', { women_citizen: 'TRUE' }, 'SVCMAS2106'],
    ['tax_saver neither', { tax_saver: '1' }, 'SVCMAS2106'],
    ['explain neither', { explain: 'maybe' }, 'SVCMAS2106'],
    ['product_type missing', { product_type: undefined }, 'SVCMAS0109'],
    ['product_type unsupported', { product_type: 'RD' }, 'SVCMAS0109'],
    ['product_type tampered with', { product_type: 'FD<script>' }, 'SVCMAS0109'],
    ['product_type in small letters', { product_type: 'fd' }, 'SVCMAS0109'],
    ['tax saver where none is sold', { tax_saver: 'true' }, 'SVCMAS2108'],
  ])('%s', async (_, changes, code) => {
    expectRefusal(await ask('ARAVFIN', changes), code);
  });

  it.each<[string, string, Parameters<typeof expectRefusal>[1]]>([
    ['tenure', '730', 'SVCMAS2101'],
    ['investment_amount', '100000', 'SVCMAS2103'],
    ['payout_frequency', 'Monthly', 'SVCMAS2105'],
    ['senior_citizen', 'false', 'SVCMAS2106'],
    ['women_citizen', 'false', 'SVCMAS2106'],
    ['tax_saver', 'false', 'SVCMAS2106'],
    ['product_type', 'FD', 'SVCMAS0109'],
    ['explain', 'false', 'SVCMAS2106'],
  ])('%s given twice, though it is the same value', async (name, value, code) => {
    expectRefusal(await ask('ARAVFIN', { [name]: [value, value] }), code);
  });

  it.each<[keyof typeof ISSUERS, Record<string, string>]>([
    ['aravalli', { tax_saver: 'SVCMAS2108' }],
    ['kaveri', {}],
    [
      'nilgiri',
      {
        HalfYearly: 'SVCMAS005',
        Yearly: 'SVCMAS005',
        women_citizen: 'SVCMAS2107',
        tax_saver: 'SVCMAS2108',
      },
    ],
    ['sahyadri', { women_citizen: 'SVCMAS2107', tax_saver: 'SVCMAS2108' }],
    ['vindhya', {}],
  ])('by %s for exactly what it does not sell', async (slug, expected) => {
    const wishes = [
      ...PAYOUT_FREQUENCIES.map((frequency) => [frequency, { payout_frequency: frequency }] as const),
      ...['senior_citizen', 'women_citizen', 'tax_saver'].map((flag) => [flag, { [flag]: 'true' }] as const),
    ];
    const refused: Record<string, string> = {};
    for (const [name, changes] of wishes) {
      const { status, body } = await ask(ISSUERS[slug].code, { tenure: '1825', ...changes });
      if (status !== 200) refused[name] = body.error[0].errorCode;
    }
    expect(refused).toEqual(expected);
  });

  it('of a combination that nobody sells, although its parts are sold', async () => {
    expectRefusal(await ask('KAVSFB', { tax_saver: 'true', tenure: '400' }), 'SVCMAS2109');
    expectRefusal(
      await ask('KAVSFB', { tax_saver: 'true', tenure: '1825', investment_amount: '150001' }),
      'SVCMAS2109',
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
    expectRefusal(await ask(code), 'SVCMAS2201');
  });

  it('never echoes what was sent', async () => {
    for (const changes of [{ tenure: 'zebra' }, { payout_frequency: 'zebra' }, { product_type: 'zebra' }]) {
      expect((await ask('ARAVFIN', changes)).text).not.toContain('zebra');
    }
  });
});
