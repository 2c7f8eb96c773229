import { AsyncResource } from 'node:async_hooks';
import { ProviderError } from '@fd/errors';
import { currentUserId } from '@fd/platform';
import { bulkhead, BulkheadRejectedError, type IPolicy } from 'cockatiel';

/** One user asks a party for more at once than is one user's share. Nothing was sent. */
export class OverShareError extends ProviderError {
  constructor(provider: string) {
    super(provider, 'unavailable', { detail: 'too many calls of one user' });
  }
}

interface Share {
  readonly room: IPolicy;
  calls: number;
}

/**
 * What one user may take up of a party: of the calls of one user few run at once and some wait, apart from everybody
 * else's, so that nobody's calls fill the room that all share. Calls that no user makes are not bounded here.
 */
export class UserShares {
  /** Of the users who have calls under way. */
  private readonly shares = new Map<string, Share>();

  constructor(
    private readonly provider: string,
    private readonly maxRunning: number,
    private readonly maxWaiting: number,
  ) {}

  /** @throws OverShareError */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const userId = currentUserId();
    if (userId === undefined) return work();
    const share = this.shareOf(userId);
    share.calls++;
    try {
      return await share.room.execute(AsyncResource.bind(work));
    } catch (error) {
      throw error instanceof BulkheadRejectedError ? new OverShareError(this.provider) : error;
    } finally {
      if (--share.calls === 0) this.shares.delete(userId);
    }
  }

  private shareOf(userId: string): Share {
    const known = this.shares.get(userId);
    if (known) return known;
    const share = { room: bulkhead(this.maxRunning, this.maxWaiting), calls: 0 };
    this.shares.set(userId, share);
    return share;
  }
}
