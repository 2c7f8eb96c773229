import type { Compounding, PayoutFrequency } from '@fd/contracts';

/** Where issuers differ: the values of each switch, the default first. */
export const SWITCH_VALUES = {
  /** Year fraction of broken days: over 365, or the days of leap years over 366. */
  dayCount: ['ACT/365', 'ACT/ACT'],
  /** What a complete rest earns: rate times months over 12, or rate times the year fraction of its actual days. */
  fullPeriods: ['nominal', 'daycount'],
  /** How the part after the last complete rest is measured: in days, or in whole months and then days. */
  brokenRule: ['days', 'months-days'],
  /** What a payout period shorter than the rest pays: the card rate, or the discounted value of a rest's interest. */
  payoutBasis: ['card', 'discounted'],
  /** Decimal places of a reported amount: paise or whole rupees. */
  places: [2, 0],
  rounding: ['half-up', 'floor', 'ceil', 'half-even'],
} as const;

type SwitchName = keyof typeof SWITCH_VALUES;
const SWITCH_NAMES = Object.keys(SWITCH_VALUES) as SwitchName[];

/** Every quote follows one complete set of switches. */
export type QuoteSwitches = {
  readonly [Name in SwitchName]: (typeof SWITCH_VALUES)[Name][number];
};

export const DEFAULT_SWITCHES: QuoteSwitches = {
  dayCount: 'ACT/365',
  fullPeriods: 'nominal',
  brokenRule: 'days',
  payoutBasis: 'card',
  places: 2,
  rounding: 'half-up',
};

const MONTHS = { Monthly: 1, Quarterly: 3, HalfYearly: 6, Yearly: 12 } as const;

/** Months between two rests; null: nothing compounds. */
export const REST_MONTHS: Readonly<Record<Compounding, number | null>> = { ...MONTHS, Simple: null };

/** Months between two payouts; null: one payout, at maturity. */
export const PAYOUT_MONTHS: Readonly<Record<PayoutFrequency, number | null>> = { ...MONTHS, Maturity: null };

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
  const switches: Record<SwitchName, unknown> = { ...DEFAULT_SWITCHES };
  for (const name of SWITCH_NAMES) {
    const given = overrides[name];
    if (given === undefined) continue;
    checkOneOf(name, given, SWITCH_VALUES[name]);
    switches[name] = given;
  }
  return switches as QuoteSwitches;
}
