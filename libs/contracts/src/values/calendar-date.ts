const FORM = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** India is at UTC+05:30 all year round. */
const INDIA_OFFSET_MS = 330 * 60_000;

/** Whether a value is an existing date in the form YYYY-MM-DD. Such dates compare as text. */
export function isCalendarDate(value: unknown): value is string {
  if (typeof value !== 'string' || value.length !== 10 || !FORM.test(value) || value.startsWith('0000')) {
    return false;
  }
  const date = new Date(`${value}T00:00:00Z`);
  // the parser reads 30 February as a day of March
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** The date in India at an instant, as YYYY-MM-DD. */
export function indiaDateOf(instant: Date): string {
  return new Date(instant.getTime() + INDIA_OFFSET_MS).toISOString().slice(0, 10);
}
