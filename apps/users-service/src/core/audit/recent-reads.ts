/** A few megabytes. An evicted read is recorded again. */
const MAX_READS = 20_000;

/** Recently recorded reads of this replica, the oldest first. */
export class RecentReads {
  private readonly recordedAt = new Map<string, number>();

  /** @param coversMs how long one record covers repeated reads */
  constructor(private readonly coversMs: number) {}

  /** Returns the time of the record that covers a read; undefined without one. */
  find(read: string, nowMs: number): number | undefined {
    const recordedAt = this.recordedAt.get(read);
    return recordedAt !== undefined && this.isRecent(recordedAt, nowMs) ? recordedAt : undefined;
  }

  add(read: string, recordedAtMs: number): void {
    this.recordedAt.delete(read);
    for (const [oldest, at] of this.recordedAt) {
      if (this.isRecent(at, recordedAtMs) && this.recordedAt.size < MAX_READS) break;
      this.recordedAt.delete(oldest);
    }
    this.recordedAt.set(read, recordedAtMs);
  }

  /** False also when the clock was set back. */
  private isRecent(atMs: number, nowMs: number): boolean {
    return nowMs >= atMs && nowMs - atMs < this.coversMs;
  }
}
