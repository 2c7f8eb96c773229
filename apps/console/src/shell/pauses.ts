const LONGEST_PAUSE_MS = 10_000;

/** Milliseconds until the next poll: `everyMs`, doubled for each consecutive failure, at most ten seconds. */
export const pauseAfter = (failures: number, everyMs: number): number =>
  failures === 0 ? everyMs : Math.min(LONGEST_PAUSE_MS, everyMs * 2 ** Math.min(failures, 10));
