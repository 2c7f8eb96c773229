import type { Compounding, PayoutFrequency } from '@fd/contracts';
import { addDays, addMonths, type CivilDate, compareCivilDates } from '../dates/civil-date.js';
import { PAYOUT_MONTHS, REST_MONTHS } from './convention.js';
import type { Window } from './window-interest.js';

/** Monthly and quarterly rests compound only in deposits of at least this many months. */
const COMPOUNDING_FROM_MONTHS = 6;

/** `short`: too short for its rests to compound; `simple`: never compounds; `compound`: rests compound. */
export type GrowthKind = 'compound' | 'short' | 'simple';

/** How a deposit is cut into windows, one for each row of interest. */
export interface PayoutPlan {
  readonly kind: GrowthKind;
  /** Months of a compounding rest; null when nothing compounds. */
  readonly restMonths: number | null;
  /** Months between payouts; null: everything at maturity. */
  readonly payoutMonths: number | null;
  /** Unit in which a window is measured; null: the window is one broken part. */
  readonly unitMonths: number | null;
  readonly windows: readonly Window[];
}

function growthKind(start: CivilDate, maturity: CivilDate, compounding: Compounding): GrowthKind {
  const rest = REST_MONTHS[compounding];
  if (rest === null) return 'simple';
  // half-yearly and yearly rests need no exception: none of theirs is complete that early
  const isShort =
    rest < COMPOUNDING_FROM_MONTHS &&
    compareCivilDates(maturity, addMonths(start, COMPOUNDING_FROM_MONTHS)) < 0;
  return isShort ? 'short' : 'compound';
}

function cutIntoWindows(start: CivilDate, maturity: CivilDate, every: number | null): Window[] {
  if (every === null) return [{ fromMonth: 0, from: start, to: maturity }];
  const windows: Window[] = [];
  let from = start;
  for (let fromMonth = 0; compareCivilDates(from, maturity) < 0; fromMonth += every) {
    const next = addMonths(start, fromMonth + every);
    const to = compareCivilDates(next, maturity) < 0 ? next : maturity;
    windows.push({ fromMonth, from, to });
    from = to;
  }
  return windows;
}

/** Cuts a deposit into its windows and says in which unit each is measured. */
export function planPayouts(
  start: CivilDate,
  tenureDays: number,
  compounding: Compounding,
  payoutFrequency: PayoutFrequency,
): PayoutPlan {
  const maturity = addDays(start, tenureDays);
  const kind = growthKind(start, maturity, compounding);
  const rest = kind === 'compound' ? REST_MONTHS[compounding] : null;
  const every = PAYOUT_MONTHS[payoutFrequency];
  return {
    kind,
    restMonths: rest,
    payoutMonths: every,
    unitMonths: rest !== null && every !== null ? Math.min(rest, every) : (rest ?? every),
    windows: cutIntoWindows(start, maturity, every),
  };
}
