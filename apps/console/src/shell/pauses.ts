const LONGEST_PAUSE_MS = 10_000;

/** The pause after so many failures in a row: it doubles, up to ten seconds. */
export const pauseAfter = (failures: number, everyMs: number): number =>
  failures === 0 ? everyMs : Math.min(LONGEST_PAUSE_MS, everyMs * 2 ** Math.min(failures, 10));
