import { addDays, type CivilDate, utcDateOf } from './civil-date.js';
import { checkTenure } from './convention.js';

/** India is at UTC+05:30 all year round. */
const INDIA_OFFSET_MS = 330 * 60_000;
const MS_PER_DAY = 86_400_000;

/** The three dates that a request at some instant gives. */
export interface MaturityDates {
  /** Calendar date in India at the request: the day on which interest starts. */
  readonly startDate: CivilDate;
  /** Start date and tenure: the authoritative date of maturity. */
  readonly maturityDateIst: CivilDate;
  /** Calendar date in UTC of the request and tenure times 24 hours: one day earlier before 05:30 in India. */
  readonly maturityDate: CivilDate;
}

/** The calendar date in India at an instant. RangeError for an invalid Date. */
export function indiaDateOf(instant: Date): CivilDate {
  return utcDateOf(instant.getTime() + INDIA_OFFSET_MS);
}

/** Start and maturity dates of a deposit of so many days requested at this instant. */
export function maturityDates(requestInstant: Date, tenureDays: number): MaturityDates {
  checkTenure(tenureDays);
  const startDate = indiaDateOf(requestInstant);
  return {
    startDate,
    maturityDateIst: addDays(startDate, tenureDays),
    maturityDate: utcDateOf(requestInstant.getTime() + tenureDays * MS_PER_DAY),
  };
}
