import { FactSheetErrors } from '@fd/errors';
import { type CivilDate, formatCivilDate } from '../dates/civil-date.js';

/** A text in each language that a fact sheet speaks. `{name}` is filled in. */
export interface LawText {
  readonly en: string;
  readonly hi: string;
}

/** A rule of law as data: which one, when it holds, where it was read, and what it says. */
export interface DatedRule<Value> {
  readonly id: string;
  readonly law: string;
  readonly section: string;
  /** First day, YYYY-MM-DD. */
  readonly from: string;
  /** Last day; null: until it is changed. */
  readonly to: string | null;
  readonly source: string;
  readonly value: Value;
}

/**
 * The rule that holds on a day.
 * @throws FactSheetErrors.lawUnknown when no rule on record holds on it: nothing is guessed
 */
export function ruleOn<Value>(rules: readonly DatedRule<Value>[], date: CivilDate): DatedRule<Value> {
  const day = formatCivilDate(date);
  const rule = rules.find(({ from, to }) => from <= day && (to === null || day <= to));
  if (!rule) throw FactSheetErrors.lawUnknown();
  return rule;
}
