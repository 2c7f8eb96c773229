/**
 * Does WORK with a signal that fires after MS milliseconds. The timer ends with the work: those of AbortSignal.timeout() run
 * on for seconds after calls of milliseconds, thousands of them under load.
 */
export async function withTimeLimit<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  // a service that ends waits for requests, not for timers
  const timer = setTimeout(() => limit.abort(), ms).unref();
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
  }
}
