import { SPARE, GOOD, loadText, messages, changed } from '../../../test/support/issuer-file.js';
import { formatProblem } from './yaml-source.js';

describe('checkIssuer', () => {
  const row = (terms: string) =>
    changed('      Monthly:', `        - { vehicle: ${SPARE}, ${terms} }\n      Monthly:`).text;

  it.each([
    ['a shared day', 'days: [1825, 2000], rate: 7', '1825 to 1825 days and 1000 to 100000 rupees'],
    [
      'a band within another',
      'days: [400, 500], rate: 7, amount: [5000, 6000]',
      '400 to 500 days and 5000 to 6000 rupees',
    ],
    [
      'the same time in part',
      'days: [365, 365], rate: 7, effective_from: 2020-01-01T00:00:00+05:30',
      '365 to 365 days',
    ],
  ])('refuses an overlap of %s and names both lines', (_, terms, what) => {
    expect(messages(row(terms))).toEqual([
      expect.stringContaining(`testbank.yaml:44: overlaps line 43: Maturity for ${what}`),
    ]);
  });

  it.each([
    ['other tenures', 'days: [1826, 2000], rate: 7'],
    ['other amounts', 'days: [365, 1825], rate: 7, amount: [100001, 200000]'],
    [
      'a time that has ended before',
      'days: [365, 1825], rate: 7, effective_from: 2020-01-01T00:00:00+05:30, effective_until: 2025-04-01T00:00:00+05:30',
    ],
    ['senior citizens only', 'days: [365, 1825], rate: 7.50, senior_only: true'],
    ['women only', 'days: [365, 1825], rate: 7.50, women_only: true'],
    ['a vehicle that is not visible', 'days: [365, 1825], rate: 7, visible: false'],
  ])('accepts vehicles with %s', (_, terms) => {
    expect(messages(row(terms))).toEqual([]);
  });
});

describe('a warning', () => {
  it('names a gap of tenure at the row before it', () => {
    const text = changed(
      'days: [365, 1825], rate: 7.40',
      `days: [365, 400], rate: 7.40 }\n        - { vehicle: ${SPARE}, days: [411, 1825], rate: 7.50`,
    ).text;
    const { issuers, problems } = loadText(text);
    expect(problems.map(formatProblem)).toEqual([
      'testbank.yaml:43: warning: Maturity: nothing is sold for 401 to 410 days and 1000 to 100000 rupees',
    ]);
    expect(issuers).toHaveLength(1);
  });

  it('names a gap of amount in part of the tenures', () => {
    const text = changed(
      'days: [365, 1825], rate: 7.40',
      `days: [365, 1825], rate: 7.40, amount: [1000, 4999] }\n        - { vehicle: ${SPARE}, days: [730, 1825], rate: 7.50, amount: [5000, 9000]`,
    ).text;
    expect(messages(text)).toEqual([
      'testbank.yaml:43: warning: Maturity: nothing is sold for 365 to 729 days and 5000 to 9000 rupees',
    ]);
  });

  it('names a gap that opens when a rate ends without a successor', () => {
    const text = changed(
      'days: [365, 1825], rate: 7.40',
      `days: [365, 400], rate: 7.40, effective_until: 2027-01-01T00:00:00+05:30 }\n        - { vehicle: ${SPARE}, days: [401, 500], rate: 7.50, effective_until: 2027-01-01T00:00:00+05:30 }\n        - { vehicle: ${SPARE.replace('9', '8')}, days: [501, 1825], rate: 7.50, effective_until: 2028-01-01T00:00:00+05:30 }\n        - { vehicle: ${SPARE.replace(/9$/, '7')}, days: [365, 400], rate: 7.50, effective_from: 2027-01-01T00:00:00+05:30`,
    ).text;
    expect(messages(text)).toEqual([
      'testbank.yaml:46: warning: Maturity: nothing is sold for 401 to 500 days and 1000 to 100000 rupees from 2026-12-31T18:30:00.000Z on',
    ]);
  });

  it('names a special that pays less than the regular vehicle', () => {
    const text = changed(
      '  - name: Tax saver',
      `  - name: Seniors\n    senior_only: true\n    rates:\n      Maturity:\n        - { vehicle: ${SPARE}, days: [500, 500], rate: 7.30 }\n  - name: Tax saver`,
    ).text;
    expect(messages(text)).toEqual([
      'testbank.yaml:50: warning: Maturity, senior only: pays 7.30, less than line 43 with 7.40',
    ]);
  });

  it('names a deposit of a finance company outside 12 to 60 months', () => {
    const text = GOOD.slice(0, GOOD.indexOf('  - name: Tax saver'))
      .replace('issuer_type: BANK', 'issuer_type: NBFC')
      .replace('tax_saver: true', 'tax_saver: false')
      .replace('[365, 1825], rate: 7.40', '[300, 1825], rate: 7.40');
    expect(messages(text)).toEqual([
      'testbank.yaml:43: warning: days: deposits of an NBFC run for 12 to 60 months (365 to 1827 days)',
    ]);
  });
});
