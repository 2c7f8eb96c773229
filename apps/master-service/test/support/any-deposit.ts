import fc from 'fast-check';
import { COMPOUNDINGS, PAYOUT_FREQUENCIES } from '@fd/contracts';
import { addDays, civilDate } from '../../src/dates/civil-date.js';
import { type QuoteSwitches, SWITCH_VALUES } from '../../src/maths/convention.js';
import type { DepositInput } from '../../src/maths/maturity.js';

const decimals = (max: number, places: number) =>
  fc.integer({ min: 0, max: max * 10 ** places }).map((units) => {
    const digits = String(units).padStart(places + 1, '0');
    return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  });

/** Any combination of switches. */
export const anySwitches: fc.Arbitrary<QuoteSwitches> = fc.record({
  dayCount: fc.constantFrom(...SWITCH_VALUES.dayCount),
  fullPeriods: fc.constantFrom(...SWITCH_VALUES.fullPeriods),
  brokenRule: fc.constantFrom(...SWITCH_VALUES.brokenRule),
  payoutBasis: fc.constantFrom(...SWITCH_VALUES.payoutBasis),
  places: fc.constantFrom(...SWITCH_VALUES.places),
  rounding: fc.constantFrom(...SWITCH_VALUES.rounding),
});

/** Any deposit under the default rules, up to slightly over five years. Tenures around half years are frequent. */
export const anyDeposit: fc.Arbitrary<DepositInput> = fc.record({
  principalPaise: fc.bigInt({ min: 1n, max: 1_000_000_000n }),
  annualRatePercent: fc.oneof(decimals(15, 2), decimals(3, 4)),
  tenureDays: fc.oneof(
    fc.integer({ min: 1, max: 1900 }),
    fc
      .tuple(fc.integer({ min: 1, max: 10 }), fc.integer({ min: -2, max: 4 }))
      .map(([halves, days]) => Math.round(halves * 182.6) + days),
  ),
  startDate: fc.nat(4000).map((days) => addDays(civilDate(2023, 1, 1), days)),
  compounding: fc.constantFrom(...COMPOUNDINGS),
  payoutFrequency: fc.constantFrom(...PAYOUT_FREQUENCIES),
});
