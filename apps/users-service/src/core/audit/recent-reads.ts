/** For how long one record stands for repeated reads. */
const STANDS_MS = 60_000;
/** A few megabytes. What is forgotten earlier is recorded again. */
const MAX_READS = 20_000;

/** Reads that this replica has recorded within the last minute, the oldest first. */
export class RecentReads {
  private readonly recordedAt = new Map<string, number>();

  /** When the record of the last minute was made that stands for a read; undefined: none does. */
  find(read: string, nowMs: number): number | undefined {
    const recordedAt = this.recordedAt.get(read);
    return recordedAt !== undefined && isRecent(recordedAt, nowMs) ? recordedAt : undefined;
  }

  add(read: string, recordedAtMs: number): void {
    this.recordedAt.delete(read);
    for (const [oldest, at] of this.recordedAt) {
      if (isRecent(at, recordedAtMs) && this.recordedAt.size < MAX_READS) break;
      this.recordedAt.delete(oldest);
    }
    this.recordedAt.set(read, recordedAtMs);
  }
}

/** False also when the clock was set back. */
const isRecent = (atMs: number, nowMs: number): boolean => nowMs >= atMs && nowMs - atMs < STANDS_MS;
