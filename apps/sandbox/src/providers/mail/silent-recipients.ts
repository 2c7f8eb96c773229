/** Maximum of held senders. */
export const MAX_SILENT_RECIPIENTS = 200;

/** Holds senders that get no answer about a recipient, by their session. */
export class SilentRecipients {
  /** In the order of their arrival. */
  private readonly held = new Map<object, () => void>();

  get count(): number {
    return this.held.size;
  }

  /** @param letGo called when this sender is the oldest over the limit */
  hold(session: object, letGo: () => void): void {
    this.held.set(session, letGo);
    if (this.held.size <= MAX_SILENT_RECIPIENTS) return;
    const [oldest, letOldestGo] = this.held.entries().next().value!;
    this.held.delete(oldest);
    letOldestGo();
  }

  /** The sender has left. */
  forget(session: object): void {
    this.held.delete(session);
  }
}
