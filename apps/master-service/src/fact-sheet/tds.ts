import type { DatedRule, DeclarationForm, IssuerType, Paise, TdsReason } from '@fd/contracts';
import { FactSheetErrors } from '@fd/errors';
import { ruleOn } from '../law/dated-rule.js';
import { TDS_RULES, type TdsTerms } from '../law/tax.law.js';
import { parseDecimal, Ratio, roundToPaise } from '../maths/ratio.js';
import type { YearOfInterest } from './tax-years.js';

/** The inputs of the tax on a depositor's interest, except for the amount. */
export interface TaxFacts {
  readonly issuerType: IssuerType;
  /** 60 or older at any time in the year. */
  readonly isSenior: boolean;
  /** Whether the depositor has an operative PAN. */
  readonly hasPan: boolean;
  readonly form: DeclarationForm | null;
}

export interface TdsEstimate extends YearOfInterest {
  readonly rule: DatedRule<TdsTerms>;
  /** Rupees. */
  readonly threshold: number;
  readonly acceptedForm: DeclarationForm;
  readonly reason: TdsReason;
  /** Per cent of the interest of the year. */
  readonly rate: string;
  readonly tds: Paise;
}

/**
 * Estimates the tax that the issuer deducts in each year from the interest of a resident individual.
 * @throws FactSheetErrors.lawUnknown for a year without a known law
 * @throws FactSheetErrors.declarationFormNotAccepted when no year accepts the form
 */
export function estimateTds(years: readonly YearOfInterest[], facts: TaxFacts): TdsEstimate[] {
  const estimates = years.map((year) => estimateOfYear(year, facts));
  const isAccepted = facts.form === null || estimates.some(({ acceptedForm }) => acceptedForm === facts.form);
  if (!isAccepted) throw FactSheetErrors.declarationFormNotAccepted({ field: 'declaration_form' });
  return estimates;
}

function estimateOfYear(year: YearOfInterest, facts: TaxFacts): TdsEstimate {
  const rule = ruleOn(TDS_RULES, year.start);
  const kind = facts.isSenior ? 'senior' : 'general';
  const threshold = rule.value.threshold[facts.issuerType][kind];
  const acceptedForm = rule.value.form[kind];
  const reason = reasonOf(year.paise, threshold, facts, acceptedForm);
  const rate = rateOf(reason, rule.value);
  return { ...year, rule, threshold, acceptedForm, reason, rate, tds: shareOf(year.paise, rate) };
}

function reasonOf(interest: Paise, threshold: number, facts: TaxFacts, accepted: DeclarationForm): TdsReason {
  if (interest <= BigInt(threshold) * 100n) return 'UP_TO_THRESHOLD';
  // without a PAN a declaration is void
  if (!facts.hasPan) return 'NO_PAN';
  return facts.form === accepted ? 'DECLARED' : 'DEDUCTED';
}

function rateOf(reason: TdsReason, { rate }: TdsTerms): string {
  if (reason === 'DEDUCTED') return rate.withPan;
  return reason === 'NO_PAN' ? rate.withoutPan : '0';
}

function shareOf(interest: Paise, percent: string): Paise {
  const rupees = Ratio.of(interest, 100).times(parseDecimal(percent, 'rate of tax')).dividedBy(Ratio.of(100));
  return roundToPaise(rupees, { places: 2, rounding: 'half-up' });
}
