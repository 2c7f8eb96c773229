import { addDays, type CivilDate, utcDateOf } from '../dates/civil-date.js';
import { indiaDateOf } from '../dates/india-time.js';
import { checkTenure } from './convention.js';

/** The three dates that a request at some instant gives. */
export interface MaturityDates {
  /** Calendar date in India at the request: the day on which interest starts. */
  readonly startDate: CivilDate;
  /** Start date and tenure: the authoritative date of maturity. */
  readonly maturityDateIst: CivilDate;
  /** Calendar date in UTC of the request and tenure times 24 hours: one day earlier before 05:30 in India. */
  readonly maturityDate: CivilDate;
}

/** Start and maturity dates of a deposit of so many days requested at this instant. */
export function maturityDates(requestInstant: Date, tenureDays: number): MaturityDates {
  checkTenure(tenureDays);
  const startDate = indiaDateOf(requestInstant);
  return {
    startDate,
    maturityDateIst: addDays(startDate, tenureDays),
    maturityDate: addDays(utcDateOf(requestInstant.getTime()), tenureDays),
  };
}
