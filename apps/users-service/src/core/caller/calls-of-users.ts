const DAY_MS = 86_400_000;
/** About a megabyte. An evicted user starts a new day. */
const MAX_USERS = 10_000;

/** Counts calls of one kind by user and day on this replica. Each such call leaves a row behind. */
export class CallsOfUsers {
  private readonly days = new Map<string, { readonly sinceMs: number; count: number }>();

  constructor(private readonly maxPerDay: number) {}

  /** Returns the seconds until the user may make another such call; 0 if now. */
  secondsUntilNext(userId: string, nowMs: number): number {
    const day = this.days.get(userId);
    if (!day || day.count < this.maxPerDay) return 0;
    const leftMs = day.sinceMs + DAY_MS - nowMs;
    return Math.max(0, Math.ceil(leftMs / 1_000));
  }

  count(userId: string, nowMs: number): void {
    const day = this.days.get(userId);
    if (day && nowMs - day.sinceMs < DAY_MS) {
      day.count += 1;
      return;
    }
    // the oldest day
    const [oldest] = this.days.keys();
    if (oldest !== undefined && this.days.size >= MAX_USERS) this.days.delete(oldest);
    this.days.delete(userId);
    this.days.set(userId, { sinceMs: nowMs, count: 1 });
  }
}
