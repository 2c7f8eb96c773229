import type { PartnerEvent } from '@fd/client/server';
import type { Inbox } from './inbox.js';

/** Works on one event at a time, since those of a user depend on each other. */
export class Worker {
  private working = Promise.resolve();
  private retry: NodeJS.Timeout | undefined;

  /** @param work after a failure it is called again, before that of later events */
  constructor(
    private readonly inbox: Inbox,
    private readonly work: (event: PartnerEvent) => Promise<void>,
    private readonly log: (text: string) => void,
    private readonly retryMs: number,
  ) {}

  wake(): void {
    this.working = this.working
      .then(() => this.workOff())
      .catch((error: unknown) => {
        this.log(`will try again: ${String(error)}`);
        clearTimeout(this.retry);
        this.retry = setTimeout(() => this.wake(), this.retryMs).unref();
      });
  }

  private async workOff(): Promise<void> {
    for (let [event] = this.inbox.waiting; event; [event] = this.inbox.waiting) {
      await this.work(event);
      this.inbox.finish(event);
    }
  }
}
