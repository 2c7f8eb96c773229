const INDIA_OFFSET_MS = 330 * 60_000;

/** An instant in the time of India: `2025-04-01T00:00:00+05:30`, with milliseconds only where there are some. */
export function formatIndiaTime(instant: Date): string {
  const local = new Date(instant.getTime() + INDIA_OFFSET_MS).toISOString();
  return `${local.replace(/(\.000)?Z$/, '')}+05:30`;
}
