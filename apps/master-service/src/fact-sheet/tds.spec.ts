import {
  type DeclarationForm,
  formatRupees,
  type IssuerType,
  parseRupees,
  type TdsReason,
} from '@fd/contracts';
import { FactSheetErrors } from '@fd/errors';
import { civilDate } from '../dates/civil-date.js';
import { estimateTds, type TaxFacts } from './tds.js';

const yearOf = (firstYear: number, rupees: string) => ({
  start: civilDate(firstYear, 4, 1),
  paise: parseRupees(rupees)!,
});
const factsOf = (facts: Partial<TaxFacts>): TaxFacts => ({
  issuerType: 'BANK',
  isSenior: false,
  hasPan: true,
  form: null,
  ...facts,
});

type Person = 'general' | 'senior';
type Case = [year: number, IssuerType, Person, interest: string, TdsReason, tds: string];

/** Equal in both years: no change of limits or rates by the Act of 2025 was found. */
const LIMITS: [IssuerType, Person, interest: string, TdsReason, tds: string][] = [
  ['BANK', 'general', '50000.00', 'UP_TO_THRESHOLD', '0.00'],
  ['BANK', 'general', '50000.01', 'DEDUCTED', '5000.00'],
  ['BANK', 'general', '73578.86', 'DEDUCTED', '7357.89'],
  ['BANK', 'senior', '100000.00', 'UP_TO_THRESHOLD', '0.00'],
  ['BANK', 'senior', '100000.01', 'DEDUCTED', '10000.00'],
  ['BANK', 'senior', '100000.05', 'DEDUCTED', '10000.01'],
  ['NBFC', 'general', '10000.00', 'UP_TO_THRESHOLD', '0.00'],
  ['NBFC', 'general', '10000.01', 'DEDUCTED', '1000.00'],
  ['NBFC', 'general', '12345.67', 'DEDUCTED', '1234.57'],
  ['NBFC', 'senior', '10000.00', 'UP_TO_THRESHOLD', '0.00'],
  ['NBFC', 'senior', '10000.01', 'DEDUCTED', '1000.00'],
];
const CASES: Case[] = [2025, 2026].flatMap((year) => LIMITS.map((limit): Case => [year, ...limit]));

describe('the limit and the rate', () => {
  it.each(CASES)(
    'deducts in %i at a %s for a %s person with interest of %s: %s %s',
    (year, issuerType, person, interest, reason, tds) => {
      const [estimate] = estimateTds(
        [yearOf(year, interest)],
        factsOf({ issuerType, isSenior: person === 'senior' }),
      );
      expect([estimate!.reason, formatRupees(estimate!.tds)]).toEqual([reason, tds]);
      expect(estimate!.rule.id).toBe(year === 2025 ? 'TDS_194A_2025' : 'TDS_393_2026');
    },
  );
});

describe('without an operative PAN', () => {
  it.each<[number, IssuerType, string, DeclarationForm | null, TdsReason, string]>([
    [2025, 'BANK', '60000.00', null, 'NO_PAN', '12000.00'],
    [2026, 'BANK', '60000.00', null, 'NO_PAN', '12000.00'],
    [2026, 'NBFC', '12345.67', null, 'NO_PAN', '2469.13'],
    // a declaration is void
    [2025, 'BANK', '60000.00', '15G', 'NO_PAN', '12000.00'],
    [2026, 'BANK', '60000.00', '121', 'NO_PAN', '12000.00'],
    // the limit applies to all depositors
    [2026, 'BANK', '50000.00', null, 'UP_TO_THRESHOLD', '0.00'],
  ])(
    'estimates in %i at a %s for interest of %s with form %s: %s %s',
    (year, issuerType, interest, form, reason, tds) => {
      const [estimate] = estimateTds([yearOf(year, interest)], factsOf({ issuerType, hasPan: false, form }));
      expect([estimate!.reason, formatRupees(estimate!.tds)]).toEqual([reason, tds]);
    },
  );
});

describe('declarations', () => {
  it.each<[number, Person, DeclarationForm]>([
    [2025, 'general', '15G'],
    [2025, 'senior', '15H'],
    [2026, 'general', '121'],
    [2026, 'senior', '121'],
  ])('deducts nothing in %i from a %s person with Form %s', (year, person, form) => {
    const [estimate] = estimateTds(
      [yearOf(year, '150000.00')],
      factsOf({ isSenior: person === 'senior', form }),
    );
    expect(estimate).toMatchObject({ reason: 'DECLARED', rate: '0', tds: 0n, acceptedForm: form });
  });

  it.each<[number, Person, DeclarationForm]>([
    [2025, 'general', '15H'],
    [2025, 'senior', '15G'],
    [2025, 'general', '121'],
    [2026, 'general', '15G'],
    [2026, 'senior', '15H'],
  ])('refuses in %i from a %s person Form %s', (year, person, form) => {
    const facts = factsOf({ isSenior: person === 'senior', form });
    expect(() => estimateTds([yearOf(year, '150000.00')], facts)).toThrow(
      FactSheetErrors.declarationFormNotAccepted().message,
    );
  });

  it('accepts a form only in the years in which it is valid', () => {
    const years = [yearOf(2025, '60000.00'), yearOf(2026, '60000.00')];
    const estimates = estimateTds(years, factsOf({ form: '15G' }));
    expect(estimates.map(({ reason, tds }) => [reason, tds])).toEqual([
      ['DECLARED', 0n],
      ['DEDUCTED', 600_000n],
    ]);
  });
});

it('refuses a year without a known law', () => {
  expect(() => estimateTds([yearOf(2024, '1.00')], factsOf({}))).toThrow(
    FactSheetErrors.lawUnknown().message,
  );
});
