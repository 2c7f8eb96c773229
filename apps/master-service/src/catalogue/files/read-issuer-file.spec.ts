import { VEHICLE, TAX_SAVER, GOOD, loadText, messages, changed } from '../../../test/support/issuer-file.js';
import { formatProblem } from './yaml-source.js';

describe('readIssuerFile', () => {
  it.each<[string, string, string, string]>([
    ['no YAML', 'issuer:\n', 'issuer: [\n', 'Flow sequence'],
    [
      'a key twice',
      '  f_code: TESTBANK\n',
      '  f_code: TESTBANK\n  f_code: TESTBANK\n',
      'Map keys must be unique',
    ],
    ['an unknown key at the top', 'quote:', 'quotes:', 'unknown key quotes (known: slug, issuer, quote, '],
    ['an unknown key of the issuer', '  name: Test Bank', '  nam: Test Bank', 'unknown key nam (known: id, '],
    ['an unknown key of a row', 'label: 1 to 5 years', 'lable: 1 to 5 years', 'unknown key lable'],
    ['an unknown switch', 'day_count: ACT/ACT', 'day_cuont: ACT/ACT', 'unknown key day_cuont'],
    ['an unknown value of a switch', 'ACT/ACT', 'ACT/360', 'day_count: must be one of ACT/365, ACT/ACT'],
    ['an unknown compounding', 'Quarterly', 'Weekly', 'compounding_freq: must be one of Monthly, '],
    [
      'an unknown issuer type',
      'issuer_type: BANK',
      'issuer_type: SHOP',
      'issuer_type: must be one of BANK, NBFC',
    ],
    ['an unknown frequency', '      Monthly:', '      Weekly:', 'Weekly: is no payout frequency (Maturity, '],
    [
      'an unknown frequency in sells',
      '[Maturity, Monthly]',
      '[Maturity, Weekly]',
      'payout_frequencies[1]: must be one of',
    ],
    [
      'a frequency that is sold twice',
      '[Maturity, Monthly]',
      '[Maturity, Monthly, Monthly]',
      'payout_frequencies: names a frequency twice',
    ],
    ['text where a number belongs', '  id: 7', '  id: seven', 'id: must be a whole number'],
    ['a number where text belongs', 'crisil_rating: AAA', 'crisil_rating: 1', 'crisil_rating: must be text'],
    [
      'NULL without quotes',
      'crisil_rating: AAA',
      'crisil_rating: NULL',
      'crisil_rating: must be text (in quotes',
    ],
    [
      'text where a flag belongs',
      'upcoming_bank: false',
      'upcoming_bank: maybe',
      'upcoming_bank: must be true or false',
    ],
    ['a list where a map belongs', 'quote:\n  day_count: ACT/ACT', 'quote: []', 'quote: must be a map'],
    ['a text where a list belongs', '[Maturity, Monthly]', 'Maturity', 'payout_frequencies: must be a list'],
    ['a malformed row', `{ vehicle: ${TAX_SAVER}, days: [1825, 1826], rate: 7 }`, 'nothing', 'must be a map'],
    ['a bad UUID', VEHICLE, 'aaaa', 'vehicle: must be a UUID'],
    ['a bad code', 'f_code: TESTBANK', 'f_code: test', 'f_code: must be 3 to 20 capitals and digits'],
    ['a bad slug', 'slug: testbank', 'slug: Test Bank', 'slug: must be 2 to 40 small letters'],
    [
      'a slug that is not the name of the file',
      'slug: testbank',
      'slug: others',
      'must be called others.yaml',
    ],
    ['a bad URL', 'https://logo.example/a.png', 'http://logo.example/a.png', 'url: must be an https URL'],
    ['a negative rate', 'rate: 7.40', 'rate: -7.40', 'rate: must not be negative'],
    ['no rate at all', 'rate: 7.40', 'rate: 0', 'rate: must be more than nothing'],
    ['an impossible rate', 'rate: 7.40', 'rate: 74', 'rate: must be at most 15 per cent a year'],
    ['a rate that is no decimal', 'rate: 7.40', 'rate: 7.4.0', 'rate: must be a decimal such as 7.40'],
    ['a rate with an exponent', 'rate: 7.40', 'rate: 74e-1', 'rate: must be a decimal such as 7.40'],
    ['a hexadecimal rate', 'rate: 7.40', 'rate: 0x1', 'rate: must be a decimal such as 7.40'],
    ['an octal rate', 'rate: 7.40', 'rate: 0o7', 'rate: must be a decimal such as 7.40'],
    ['a rate with leading zeros', 'rate: 7.40', 'rate: 007', 'rate: must be a decimal such as 7.40'],
    [
      'a decimal rate with a leading zero',
      'rate: 7.40',
      'rate: 07.40',
      'rate: must be a decimal such as 7.40',
    ],
    ['a rate with a plus sign', 'rate: 7.40', 'rate: +7', 'rate: must be a decimal such as 7.40'],
    [
      'a rate that YAML reads as infinite',
      'rate: 7.40',
      'rate: .inf',
      'rate: must be a decimal such as 7.40',
    ],
    [
      'a hexadecimal benefit',
      'senior_citizen: 0.50',
      'senior_citizen: 0x1',
      'senior_citizen: must be a decimal',
    ],
    ['a hexadecimal tenure', '[365, 1825], rate', '[0x16d, 1825], rate', 'days[0]: must be a whole number'],
    [
      'an amount with leading zeros',
      'amount: [1000,',
      'amount: [01000,',
      'amount[0]: must be a whole number',
    ],
    ['a hexadecimal id', '  id: 7', '  id: 0x7', 'id: must be a whole number'],
    ['bytes that are not UTF-8', 'crisil_rating: AAA', 'crisil_rating: A\uFFFDA', 'is not UTF-8'],
    ['a rate with a sign of per cent', 'rate: 7.40', 'rate: 7.40%', 'rate: must be a decimal such as 7.40'],
    ['a rate too precise', 'rate: 7.40', 'rate: 7.40001', 'rate: has more than four decimals'],
    [
      'an impossible benefit',
      'senior_citizen: 0.50',
      'senior_citizen: 50',
      'senior_citizen: must be at most 5',
    ],
    [
      'tenures the wrong way round',
      '[365, 1825], rate: 7.40',
      '[1825, 365], rate: 7.40',
      'days: begins above its end',
    ],
    [
      'a tenure that is no range',
      '[365, 1825], rate: 7.40',
      '[365], rate: 7.40',
      'days: must be [least, most] in days',
    ],
    [
      'a tenure of nothing',
      '[365, 1825], rate: 7.40',
      '[0, 1825], rate: 7.40',
      'days[0]: must be at least 1',
    ],
    [
      'amounts the wrong way round',
      'amount: [1000, 100000]',
      'amount: [100000, 1000]',
      'amount: begins above its end',
    ],
    [
      'an amount with paise',
      'amount: [1000, 100000]',
      'amount: [1000.50, 100000]',
      'amount[0]: must be a whole number',
    ],
    [
      'a time without its offset',
      '2025-04-01T00:00:00+05:30',
      '2025-04-01T00:00:00',
      'effective_from: must be a time with its offset',
    ],
    [
      'a date instead of a time',
      '2025-04-01T00:00:00+05:30',
      '2025-04-01',
      'effective_from: must be a time with its offset',
    ],
    [
      'an impossible date',
      '2025-04-01T00',
      '2025-02-30T00',
      'effective_from: must be a time with its offset',
    ],
    ['another product', 'rate: 7.40', 'rate: 7.40, product_type: RD', 'product_type: must be FD'],
    [
      'a women’s benefit that is not sold',
      '  women_rate: true',
      '  women_rate: false',
      'women: there is a benefit, but sells.women_rate is false',
    ],
    [
      'a tax saver that is not sold',
      '  tax_saver: true\nbenefits',
      '  tax_saver: false\nbenefits',
      'tax_saver: sells.tax_saver is false',
    ],
    ['a tax saver for too long', '[1825, 1826]', '[1825, 1830]', 'tax_saver: must run for five years'],
    ['a tax saver for too little time', '[1825, 1826]', '[1095, 1826]', 'tax_saver: must run for five years'],
    [
      'a tax saver that can be left',
      '    early_withdrawal: false\n',
      '',
      'tax_saver: must be locked in for five years',
    ],
    [
      'a tax saver of too much',
      'amount: [1000, 100000]',
      'amount: [1000, 150001]',
      'tax_saver: takes at most 150000 rupees',
    ],
    [
      'a frequency outside of sells',
      '[Maturity, Monthly]',
      '[Maturity]',
      'Monthly: is not in sells.payout_frequencies',
    ],
    [
      'a frequency without a vehicle',
      '[Maturity, Monthly]',
      '[Maturity, Monthly, Yearly]',
      'Yearly: is sold, but no vehicle of it is on sale now',
    ],
    [
      'an end before the beginning',
      'rate: 7.40',
      'rate: 7.40, effective_until: 2025-04-01T00:00:00+05:30',
      'effective_until: must be later than effective_from',
    ],
    [
      'nothing on sale',
      'effective_from: 2025',
      'effective_from: 2035',
      'is_issuer_live: is true, but no vehicle is on sale now',
    ],
  ])('reports with its line: %s', (_, from, to, message) => {
    const { text, line } = changed(from, to);
    const { issuers, problems } = loadText(text);
    expect(issuers).toEqual([]);
    const reported = problems.filter(
      (problem) => problem.severity === 'error' && problem.message.includes(message),
    );
    expect(reported.map(formatProblem)).toHaveLength(1);
    // a problem names the line of the wrong value, which may be another one
    const elsewhere = ['sells.', 'tax_saver:', 'is on sale now', 'Map keys', 'Flow sequence'];
    if (!elsewhere.some((word) => message.includes(word))) expect(reported[0]!.line).toBe(line);
  });

  it.each<[string, string, string, string]>([
    ['a field of the issuer', '  f_code: TESTBANK\n', '', 'testbank.yaml:2: f_code is missing'],
    [
      'a block',
      'benefits:\n  senior_citizen: 0.50\n  women: 0.10\n',
      '',
      'testbank.yaml:1: benefits is missing',
    ],
    ['the slug', 'slug: testbank\n', '', 'testbank.yaml:1: slug is missing'],
    [
      'the name of a card',
      '  - name: Regular\n    rates:',
      '  - rates:',
      'testbank.yaml:40: name is missing',
    ],
    ['a rate', ', rate: 7.40', '', 'testbank.yaml:43: rate is missing'],
    [
      'a term that is given nowhere',
      '  amount: [1000, 100000]\n',
      '',
      'testbank.yaml:42: amount is missing: give it here, in the card or in the defaults',
    ],
    ['all cards', GOOD.slice(GOOD.indexOf('rate_cards:')), '', 'testbank.yaml:1: rate_cards is missing'],
  ])('reports a missing value: %s', (_, from, to, expected) => {
    expect(messages(changed(from, to).text)).toContain(expected);
  });

  it('suggests a new id for a missing one', () => {
    const { text } = changed(`vehicle: ${VEHICLE}, `, '');
    expect(messages(text)).toEqual([
      expect.stringMatching(/^testbank\.yaml:43: vehicle is missing \(a fresh one: [0-9a-f-]{36}\)$/),
    ]);
  });

  it('refuses a tax saver of a finance company', () => {
    const { text } = changed('issuer_type: BANK', 'issuer_type: NBFC');
    expect(messages(text)).toEqual([
      'testbank.yaml:31: tax_saver: only banks may sell tax saver deposits',
      'testbank.yaml:52: tax_saver: only banks may sell tax saver deposits',
    ]);
  });

  it('refuses a rate for women without a benefit or a vehicle, and a vehicle for women that the issuer does not sell', () => {
    expect(messages(changed('  women: 0.10\n', '').text)).toEqual([
      'testbank.yaml:30: women_rate: is true, but there is neither a benefit nor a vehicle for women',
    ]);
    const text = changed('rate: 7.40', 'rate: 7.40, women_only: true')
      .text.replace('women_rate: true', 'women_rate: false')
      .replace('  women: 0.10\n', '');
    expect(messages(text)).toContain('testbank.yaml:42: women_only: sells.women_rate is false');
  });

  describe('the terms of early withdrawal', () => {
    const withTerms = (terms: string) => changed('defaults:', `${terms}\ndefaults:`).text;
    const block = (steps: string) =>
      withTerms(`premature_withdrawal: { source: Terms, effective_from: 2025-04-01, steps: ${steps} }`);

    it('accepts a file with or without terms of early withdrawal, and keeps them as written', () => {
      const steps =
        '[{ held: 3 months, interest: none }, { held: 200 days, penalty: 1, penalty_without_rate: 2.50 }]';
      const { issuers, problems } = loadText(block(steps));
      expect(problems.map(formatProblem)).toEqual([]);
      expect(issuers[0]!.prematureWithdrawal).toEqual({
        source: 'Terms',
        effectiveFrom: '2025-04-01',
        steps: [
          { held: '3 months', penalty: null, penaltyWithoutRate: null },
          { held: '200 days', penalty: '1', penaltyWithoutRate: '2.50' },
        ],
      });
      expect(loadText(GOOD).issuers[0]!.prematureWithdrawal).toBeNull();
    });

    it.each([
      ['no steps', block('[]'), 'steps: must not be empty'],
      [
        'a malformed time',
        block('[{ held: soon, penalty: 1 }]'),
        'must be a time such as 7 days or 3 months',
      ],
      [
        'neither penalty nor none',
        block('[{ held: 7 days }]'),
        'must have either a penalty or interest: none',
      ],
      [
        'a time of centuries',
        block('[{ held: 99999 months, penalty: 1 }]'),
        'must be at most a hundred years',
      ],
      [
        'a penalty without a rate beside none',
        block('[{ held: 7 days, interest: none, penalty_without_rate: 2 }]'),
        'penalty_without_rate: needs a penalty',
      ],
      ['both', block('[{ held: 7 days, penalty: 1, interest: none }]'), 'must have either a penalty'],
      [
        'steps out of order',
        block('[{ held: 3 months, penalty: 1 }, { held: 30 days, penalty: 1 }]'),
        'steps: must ascend by the time held',
      ],
      [
        'a malformed date',
        withTerms(
          'premature_withdrawal: { source: Terms, effective_from: 2025-02-30, steps: [{ held: 7 days, penalty: 1 }] }',
        ),
        'effective_from: must be a date',
      ],
    ])('refuses %s', (_name, text, message) => {
      expect(messages(text).join()).toContain(message);
    });
  });
});
