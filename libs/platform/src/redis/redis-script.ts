import { createHash } from 'node:crypto';
import { isError } from '@fd/errors';
import type { RedisClient } from './redis-client.js';

/**
 * A Lua script. Calls send its digest, which saves Redis reading and hashing the text each time. A server that does not
 * know the script (new, restarted, or after a failover) then gets its text.
 */
export class RedisScript {
  private readonly digest: string;

  constructor(private readonly text: string) {
    // Redis identifies scripts by SHA-1
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

  /** For scripts that must run even if the NOSCRIPT answer comes too late. */
  async runAsText(
    redis: RedisClient,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    return redis.eval(this.text, keys.length, ...keys, ...args);
  }
}

/** Not a failure: run() then sends the script's text. */
export const isUnknownScript = (error: unknown): boolean =>
  isError(error) && error.message.startsWith('NOSCRIPT');
