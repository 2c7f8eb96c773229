import type { ErrorDefinition } from '@fd/errors';
import type { Request } from 'express';
import type { RateLimitConfig } from '../config/common-settings.js';

export const RATE_LIMIT = Symbol('rate limit options');

export interface Caller {
  readonly name: string;
  /** For a client that serves many users: its limit over all its addresses; each address also has the usual limit. */
  readonly callsPerMinute?: number;
}

export interface RateLimitOptions extends RateLimitConfig {
  /** The 429. Its message may use `{from}`, which names the callers that share the limit. */
  readonly error: ErrorDefinition;
  /** Key of the hashes by which addresses are counted, the same for all replicas: Redis contains no address. */
  readonly addressSecret: Buffer;
  /** The caller to count; undefined: the address. */
  readonly callerOf: (request: Request) => Caller | undefined;
}

/** Name of the counter of a client as a whole; undefined for other callers. */
export const clientKeyOf = (caller: Caller | undefined): string | undefined =>
  caller?.callsPerMinute === undefined ? undefined : `{${caller.name}}`;
