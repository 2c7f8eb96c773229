import { FactSheetErrors } from '@fd/errors';
import { type CivilDate, formatCivilDate } from '../dates/civil-date.js';

/** A text in each language of fact sheets. `{name}` is a parameter. */
export interface LawText {
  readonly en: string;
  readonly hi: string;
}

/** A rule of law as data: its name, its period, its source and its content. */
export interface DatedRule<Value> {
  readonly id: string;
  readonly law: string;
  readonly section: string;
  /** First day, YYYY-MM-DD. */
  readonly from: string;
  /** Last day; null: until further notice. */
  readonly to: string | null;
  readonly source: string;
  readonly value: Value;
}

/**
 * Returns the rule in force on a day.
 * @throws FactSheetErrors.lawUnknown without such a rule
 */
export function ruleOn<Value>(rules: readonly DatedRule<Value>[], date: CivilDate): DatedRule<Value> {
  const day = formatCivilDate(date);
  const rule = rules.find(({ from, to }) => from <= day && (to === null || day <= to));
  if (!rule) throw FactSheetErrors.lawUnknown();
  return rule;
}
