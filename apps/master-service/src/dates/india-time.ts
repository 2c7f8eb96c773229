import { type CivilDate, utcDateOf } from './civil-date.js';

/** India is at UTC+05:30 all year round. */
const INDIA_OFFSET_MS = 330 * 60_000;

/** An instant in Indian time: `2025-04-01T00:00:00+05:30`, with milliseconds unless they are zero. */
export function formatIndiaTime(instant: Date): string {
  const local = new Date(instant.getTime() + INDIA_OFFSET_MS).toISOString();
  return `${local.replace(/(\.000)?Z$/, '')}+05:30`;
}

/** The calendar date in India at an instant. RangeError for an invalid Date. */
export function indiaDateOf(instant: Date): CivilDate {
  return utcDateOf(instant.getTime() + INDIA_OFFSET_MS);
}
