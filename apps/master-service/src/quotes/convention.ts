/** How often interest is added to the balance. */
export const compoundings = ['Monthly', 'Quarterly', 'HalfYearly', 'Yearly', 'Simple'] as const;
export type Compounding = (typeof compoundings)[number];

/** How often interest is paid out; Maturity: never before the end. */
export const payoutFrequencies = ['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly'] as const;
export type PayoutFrequency = (typeof payoutFrequencies)[number];

/** Year fraction of broken days: over 365, or the days of leap years over 366. */
export const dayCounts = ['ACT/365', 'ACT/ACT'] as const;
export type DayCount = (typeof dayCounts)[number];

/** What a complete rest earns: rate times months over 12, or rate times the year fraction of its actual days. */
export const fullPeriodRules = ['nominal', 'daycount'] as const;
export type FullPeriodRule = (typeof fullPeriodRules)[number];

/** How the part after the last complete rest is measured: in days, or in whole months and then days. */
export const brokenRules = ['days', 'months-days'] as const;
export type BrokenRule = (typeof brokenRules)[number];

/** What a payout period shorter than the rest pays: the card rate, or the discounted value of a rest's interest. */
export const payoutBases = ['card', 'discounted'] as const;
export type PayoutBasis = (typeof payoutBases)[number];

/** Decimal places of a reported amount: paise or whole rupees. */
export const amountPlaces = [2, 0] as const;
export type AmountPlaces = (typeof amountPlaces)[number];

export const roundingModes = ['half-up', 'floor', 'ceil', 'half-even'] as const;
export type RoundingMode = (typeof roundingModes)[number];

/** Where issuers differ. Every quote follows one complete set of these. */
export interface QuoteSwitches {
  readonly dayCount: DayCount;
  readonly fullPeriods: FullPeriodRule;
  readonly brokenRule: BrokenRule;
  readonly payoutBasis: PayoutBasis;
  readonly places: AmountPlaces;
  readonly rounding: RoundingMode;
}

/** The values of each switch, the default first. */
export const switchValues = {
  dayCount: dayCounts,
  fullPeriods: fullPeriodRules,
  brokenRule: brokenRules,
  payoutBasis: payoutBases,
  places: amountPlaces,
  rounding: roundingModes,
} as const satisfies { [Name in keyof QuoteSwitches]: readonly QuoteSwitches[Name][] };

export const defaultSwitches: QuoteSwitches = {
  dayCount: 'ACT/365',
  fullPeriods: 'nominal',
  brokenRule: 'days',
  payoutBasis: 'card',
  places: 2,
  rounding: 'half-up',
};

/** Months between two rests; null: nothing compounds. */
export const restMonths: Readonly<Record<Compounding, number | null>> = {
  Monthly: 1,
  Quarterly: 3,
  HalfYearly: 6,
  Yearly: 12,
  Simple: null,
};

/** Months between two payouts; null: one payout, at maturity. */
export const payoutMonths: Readonly<Record<PayoutFrequency, number | null>> = {
  Maturity: null,
  Monthly: 1,
  Quarterly: 3,
  HalfYearly: 6,
  Yearly: 12,
};

/** A bound against absurd inputs only (a hundred years); products set their own, far narrower ones. */
export const MAX_TENURE_DAYS = 36_525;

/** RangeError unless a tenure is a whole number of days from 1 to MAX_TENURE_DAYS. */
export function checkTenure(tenureDays: number): void {
  if (!Number.isInteger(tenureDays) || tenureDays < 1 || tenureDays > MAX_TENURE_DAYS) {
    throw new RangeError(`tenure must be 1 to ${MAX_TENURE_DAYS} whole days, got ${tenureDays}`);
  }
}

/** RangeError unless `value` is one of the allowed ones. */
export function checkOneOf(what: string, value: unknown, allowed: readonly unknown[]): void {
  if (!allowed.includes(value)) {
    throw new RangeError(`${what} must be one of ${allowed.join(', ')}, got ${String(value)}`);
  }
}

/** The defaults overridden by an issuer's switches; undefined keeps a default. RangeError on an unknown value. */
export function resolveSwitches(overrides: Partial<QuoteSwitches> = {}): QuoteSwitches {
  const given = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
  const switches: QuoteSwitches = { ...defaultSwitches, ...given };
  for (const [name, allowed] of Object.entries(switchValues)) {
    checkOneOf(name, switches[name as keyof QuoteSwitches], allowed);
  }
  return switches;
}
