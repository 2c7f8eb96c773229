import { type DatedRule, NOMINATION_RULES } from '@fd/contracts';
import { FactSheetErrors } from '@fd/errors';
import { civilDate, compareCivilDates, parseCivilDate } from '../dates/civil-date.js';
import { ruleOn } from './dated-rule.js';
import { INSURANCE_RULES, WITHDRAWAL_RULES } from './deposit.law.js';
import { TDS_RULES } from './tax.law.js';

const TABLES: Record<string, readonly DatedRule<unknown>[]> = {
  tds: TDS_RULES,
  'insurance of banks': INSURANCE_RULES.BANK,
  'insurance of NBFCs': INSURANCE_RULES.NBFC,
  'withdrawal from banks': WITHDRAWAL_RULES.BANK,
  'withdrawal from NBFCs': WITHDRAWAL_RULES.NBFC,
  'nomination with banks': NOMINATION_RULES.BANK,
  'nomination with NBFCs': NOMINATION_RULES.NBFC,
};

describe.each(Object.entries(TABLES))('the law of %s', (_name, rules) => {
  it('names law, section and source of each rule', () => {
    for (const { law, section, source } of rules) expect([law, section, source]).not.toContain('');
  });

  it('defines one rule for each day from the first one, without an end', () => {
    for (const [index, { to }] of rules.entries()) {
      const next = rules[index + 1];
      if (!next) expect(to).toBeNull();
      else expect(Date.parse(next.from) - Date.parse(to!)).toBe(86_400_000);
    }
  });
});

it('starts each law of tax on the first day of a tax year', () => {
  for (const { from } of TDS_RULES) expect(from).toMatch(/-04-01$/);
});

it('gives every rule a unique id', () => {
  const ids = Object.values(TABLES).flatMap((rules) => rules.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
});

describe('ruleOn', () => {
  it.each([
    ['2025-04-01', 'TDS_194A_2025'],
    ['2026-03-31', 'TDS_194A_2025'],
    ['2026-04-01', 'TDS_393_2026'],
    ['2031-04-01', 'TDS_393_2026'],
  ])('finds for %s the rule %s', (day, id) => {
    expect(ruleOn(TDS_RULES, parseCivilDate(day)).id).toBe(id);
  });

  it('refuses a day before the first rule', () => {
    expect(compareCivilDates(civilDate(2025, 3, 31), parseCivilDate(TDS_RULES[0]!.from))).toBeLessThan(0);
    expect(() => ruleOn(TDS_RULES, civilDate(2025, 3, 31))).toThrow(FactSheetErrors.lawUnknown().message);
  });
});
