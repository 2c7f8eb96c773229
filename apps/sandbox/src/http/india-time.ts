const OFFSET_MS = 5.5 * 3_600_000;

/** Formats a date as ISO 8601 in Indian time, which has had the same offset since 1945: `2025-11-21T12:30:00.000+05:30`. */
export function indiaTime(date: Date): string {
  return new Date(date.getTime() + OFFSET_MS).toISOString().replace('Z', '+05:30');
}

/** Adds seconds to a moment. */
export function after(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1_000);
}
