import { type DatedRule, ruleInForce } from '@fd/contracts';
import { FactSheetErrors } from '@fd/errors';
import { type CivilDate, formatCivilDate } from '../dates/civil-date.js';

/**
 * Returns the rule in force on a day.
 * @throws FactSheetErrors.lawUnknown without such a rule
 */
export function ruleOn<Value>(rules: readonly DatedRule<Value>[], date: CivilDate): DatedRule<Value> {
  const rule = ruleInForce(rules, formatCivilDate(date));
  if (!rule) throw FactSheetErrors.lawUnknown();
  return rule;
}
