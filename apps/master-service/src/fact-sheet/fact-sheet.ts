import {
  canonicalHash,
  type DatedRule,
  FACT_SHEET_FORMAT,
  type FactSheet,
  type FactSheetDeposit,
  type FactSheetInsurance,
  type FactSheetLanguage,
  type FactSheetNomination,
  type FactSheetRule,
  type FactSheetTax,
  type FactSheetWithdrawal,
  NOMINATION_RULES,
  type TdsOfYear,
  toRupees,
} from '@fd/contracts';
import { FactSheetErrors } from '@fd/errors';
import type { WithdrawalTerm } from '../catalogue/catalogue.js';
import { compareCivilDates, formatCivilDate } from '../dates/civil-date.js';
import { ruleOn } from '../law/dated-rule.js';
import { INSURANCE_RULES, WITHDRAWAL_RULES } from '../law/deposit.law.js';
import { earlyPayments, type HeldDeposit, stepsOf, withdrawalTermsOn } from './early-withdrawal.js';
import { FACT_SHEET_TEXTS, filled, rupeesText } from './fact-sheet.texts.js';
import { interestByTaxYear, taxYearName } from './tax-years.js';
import { estimateTds, type TaxFacts, type TdsEstimate } from './tds.js';

interface FactSheetQuestion extends HeldDeposit {
  readonly tax: Omit<TaxFacts, 'issuerType'>;
  /** The only tax year to estimate; absent: all. */
  readonly financialYear: string | undefined;
  readonly lang: FactSheetLanguage;
}

/**
 * The facts of a deposit that begins now, with their law. Equal requests on a day, with the same catalogue and law, have the
 * same hash on every replica.
 * @throws FactSheetErrors.lawUnknown, financialYearOutside, declarationFormNotAccepted
 */
export function factSheetOf(question: FactSheetQuestion): FactSheet {
  const { issuer, lang } = question;
  const sheet: Omit<FactSheet, 'hash'> = {
    format: FACT_SHEET_FORMAT,
    lang,
    is_estimate: true,
    estimate_text: FACT_SHEET_TEXTS[lang].estimate,
    issuer: {
      f_issuer_id: issuer.issuerId,
      f_code: issuer.code,
      name: issuer.name,
      issuer_type: issuer.issuerType,
    },
    deposit: depositOf(question),
    tax: taxOf(question),
    insurance: insuranceOf(question),
    premature_withdrawal: withdrawalOf(question),
    nomination: nominationOf(question),
  };
  return { ...sheet, hash: canonicalHash(sheet) };
}

function depositOf({ query, product, lang }: FactSheetQuestion): FactSheetDeposit {
  const { quote, vehicle } = product;
  return {
    amount: toRupees(quote.figures.principalPaise),
    tenure: query.tenureDays,
    payout_frequency: vehicle.payoutFrequency,
    senior_citizen: query.isSenior,
    women_citizen: query.isWoman,
    tax_saver: query.isTaxSaver,
    f_investment_vehicle_id: vehicle.vehicleId,
    start_date: quote.startDate,
    maturity_date_ist: quote.maturityDateIst,
    product_interest: quote.productInterest,
    average_yield: quote.averageYield,
    interest_amount: toRupees(quote.figures.totalInterestPaise),
    maturity_amount: toRupees(quote.maturityAmountPaise),
    payout: quote.payout,
    holiday_text: FACT_SHEET_TEXTS[lang].holiday,
  };
}

function taxOf(question: FactSheetQuestion): FactSheetTax {
  const { issuer, product, tax, financialYear, lang } = question;
  const years = interestByTaxYear(product.quote.figures).filter(
    ({ start }) => financialYear === undefined || taxYearName(start) === financialYear,
  );
  if (years.length === 0) throw FactSheetErrors.financialYearOutside({ field: 'financial_year' });
  const estimates = estimateTds(years, { ...tax, issuerType: issuer.issuerType });
  return {
    pan_given: tax.hasPan,
    senior_for_tax: tax.isSenior,
    declaration_form: tax.form,
    years: estimates.map((estimate) => yearOf(estimate, question)),
    total_tds: toRupees(estimates.reduce((sum, { tds }) => sum + tds, 0n)),
    assumptions: [...FACT_SHEET_TEXTS[lang].assumptions],
  };
}

function yearOf(estimate: TdsEstimate, { lang, product }: FactSheetQuestion): TdsOfYear {
  const { start, rule, threshold, reason, rate, acceptedForm } = estimate;
  const words = { threshold: rupeesText(threshold), rate, form: acceptedForm };
  const name = taxYearName(start);
  return {
    financial_year: name,
    label: `${rule.value.yearName[lang]} ${name}`,
    interest: toRupees(estimate.paise),
    threshold,
    reason,
    rate,
    tds: toRupees(estimate.tds),
    accepted_form: acceptedForm,
    is_law_projected: compareCivilDates(start, product.dates.startDate) > 0,
    text: filled(FACT_SHEET_TEXTS[lang].tds[reason], words),
    rule: presentRule(rule),
  };
}

function insuranceOf({ issuer, product, lang }: FactSheetQuestion): FactSheetInsurance {
  const rule = ruleOn(INSURANCE_RULES[issuer.issuerType], product.dates.startDate);
  const { limit, text } = rule.value;
  const { principalPaise, rows } = product.quote.figures;
  // includes the last interest, paid on the day of maturity
  const owed = principalPaise + rows.at(-1)!.paise;
  const covered = owed < BigInt(limit) * 100n ? owed : BigInt(limit) * 100n;
  return {
    is_insured: limit > 0,
    limit,
    covered: toRupees(covered),
    not_covered: toRupees(owed - covered),
    text: filled(text[lang], { limit: rupeesText(limit) }),
    rule: presentRule(rule),
  };
}

function withdrawalOf(question: FactSheetQuestion): FactSheetWithdrawal {
  const { issuer, product, lang } = question;
  const { startDate } = product.dates;
  const rule = ruleOn(WITHDRAWAL_RULES[issuer.issuerType], startDate);
  const texts = FACT_SHEET_TEXTS[lang].withdrawal;
  const terms = withdrawalTermsOn(issuer, startDate);
  const steps = terms ? stepsOf(terms, question) : [];
  // an issuer with unknown terms may allow it too
  const isAllowed = product.vehicle.hasEarlyWithdrawal && (terms === null || steps.length > 0);
  return {
    is_allowed: isAllowed,
    allowed_from: steps[0] ? formatCivilDate(steps[0].from) : null,
    steps: steps.map(({ from, term }) => ({
      from: formatCivilDate(from),
      penalty: term.penalty,
      text: termText(term, lang),
    })),
    examples: earlyPayments(steps, question).map(
      ({ heldDays, date, rate, interest, paidBefore, amount }) => ({
        held_days: heldDays,
        date: formatCivilDate(date),
        rate,
        interest: toRupees(interest),
        paid_before: toRupees(paidBefore),
        amount: toRupees(amount),
      }),
    ),
    source: terms && product.vehicle.hasEarlyWithdrawal ? terms.source : null,
    text: isAllowed ? (terms ? texts.terms : texts.unknown) : texts.never,
    law_text: rule.value[lang],
    rule: presentRule(rule),
  };
}

function termText({ penalty, penaltyWithoutRate }: WithdrawalTerm, lang: FactSheetLanguage): string {
  const texts = FACT_SHEET_TEXTS[lang].withdrawal;
  if (penalty === null) return texts.noInterest;
  const text = filled(texts.penalty, { penalty });
  return penaltyWithoutRate === null
    ? text
    : `${text} ${filled(texts.penaltyWithoutRate, { penalty: penaltyWithoutRate })}`;
}

function nominationOf({ issuer, product, lang }: FactSheetQuestion): FactSheetNomination {
  const rule = ruleOn(NOMINATION_RULES[issuer.issuerType], product.dates.startDate);
  const { most, kinds, text } = rule.value;
  const required = issuer.isNomineeRequired ? ` ${FACT_SHEET_TEXTS[lang].nomineeRequired}` : '';
  return {
    is_required: issuer.isNomineeRequired,
    most,
    kinds: [...kinds],
    text: `${text[lang]}${required}`,
    rule: presentRule(rule),
  };
}

function presentRule({ id, law, section, from, to, source }: DatedRule<unknown>): FactSheetRule {
  return { id, law, section, from, to, source };
}
