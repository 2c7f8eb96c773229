const FORM = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** India is at UTC+05:30 all year round. */
const INDIA_OFFSET_MS = 330 * 60_000;

/** Whether a value is a date that exists, in the form YYYY-MM-DD. Dates of this form compare as texts do. */
export function isCalendarDate(value: unknown): value is string {
  if (typeof value !== 'string' || value.length !== 10 || !FORM.test(value) || value.startsWith('0000')) {
    return false;
  }
  const date = new Date(`${value}T00:00:00Z`);
  // the parser takes 30 February for a day of March
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** The date in India at an instant, as YYYY-MM-DD. */
export function indiaDateOf(instant: Date): string {
  return new Date(instant.getTime() + INDIA_OFFSET_MS).toISOString().slice(0, 10);
}
