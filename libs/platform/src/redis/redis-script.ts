import { createHash } from 'node:crypto';
import { isError } from '@fd/errors';
import type { RedisClient } from './redis-client.js';

/**
 * A Lua script. Sent by its digest: Redis would read, and hash, the whole text with every call otherwise. The text
 * follows when a server does not know it, because it is new, was restarted or has taken over.
 */
export class RedisScript {
  private readonly digest: string;

  constructor(private readonly text: string) {
    // what Redis itself knows scripts by
    this.digest = createHash('sha1').update(text).digest('hex');
  }

  /** @param keys all in one slot */
  async run(
    redis: RedisClient,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    try {
      return await redis.evalsha(this.digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return this.runAsText(redis, keys, args);
    }
  }

  /** For scripts that must run even if the answer about a missing script comes too late. */
  async runAsText(
    redis: RedisClient,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    return redis.eval(this.text, keys.length, ...keys, ...args);
  }
}

/** Whether a server has not seen a script yet: nothing has failed, since its text is sent then. */
export const isUnknownScript = (error: unknown): boolean =>
  isError(error) && error.message.startsWith('NOSCRIPT');
