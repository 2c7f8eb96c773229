const DAY_MS = 86_400_000;
/** Keyed calls that one user may have recorded within a day, each of up to 5 KB: a journey takes fifty. */
export const MAX_PER_DAY = 1_000;
/** About a megabyte. Who is forgotten begins anew. */
const MAX_USERS = 10_000;

/** Counts the keyed calls of each user that this replica has recorded: each is a row with its answer for a day. */
export class KeyedCallsOfUsers {
  private readonly days = new Map<string, { readonly sinceMs: number; count: number }>();

  /** Returns the seconds until a user may make another keyed call; 0: now. */
  secondsUntilNext(userId: string, nowMs: number): number {
    const day = this.days.get(userId);
    if (!day || day.count < MAX_PER_DAY) return 0;
    const leftMs = day.sinceMs + DAY_MS - nowMs;
    return Math.max(0, Math.ceil(leftMs / 1_000));
  }

  count(userId: string, nowMs: number): void {
    const day = this.days.get(userId);
    if (day && nowMs - day.sinceMs < DAY_MS) {
      day.count += 1;
      return;
    }
    // the one whose day began first
    const [oldest] = this.days.keys();
    if (oldest !== undefined && this.days.size >= MAX_USERS) this.days.delete(oldest);
    this.days.delete(userId);
    this.days.set(userId, { sinceMs: nowMs, count: 1 });
  }
}
