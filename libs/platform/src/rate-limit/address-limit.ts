import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { addToRequestStore, type ErrorFilter } from '@fd/envelope';
import type { Request, RequestHandler, Response } from 'express';
import { isDecodable } from '../config/store-urls.js';
import { countedAddress } from '../http/counted-address.js';
import { isFileOfApiDocs, isOfApiDocument } from '../openapi/api-document.js';
import { RATE_LIMIT, type RateLimitOptions } from './rate-limit.options.js';
import { RedisThrottlerStorage, type ThrottlerRecord, WINDOW_MS } from './redis-throttler.storage.js';

/** Value of `{from}` in the message of a refusal. */
export const FROM_ADDRESS = 'from this address';
const MAX_NAMES = 10_000;

/**
 * Share of the calls a minute that one address may use for files of the API reference: megabytes, which browsers cache. With all
 * calls, one address gets 200 MB a second.
 */
const DOCS_FILES_SHARE = 0.05;

/** The limits of an address: of requests that no guard sees, and of kinds of calls that have a share of their own. */
@Injectable()
export class AddressLimit {
  private readonly addressKey: KeyObject;
  /** Cached names of recent addresses: the hash would be the most expensive part of counting. */
  private readonly names = new Map<string, string>();

  constructor(
    @Inject(RATE_LIMIT) private readonly options: RateLimitOptions,
    private readonly storage: RedisThrottlerStorage,
  ) {
    // raw bytes would be imported for each hash
    this.addressKey = createSecretKey(options.addressSecret);
  }

  nameOf({ ip }: Pick<Request, 'ip'>): string {
    const address = countedAddress(ip);
    const known = this.names.get(address);
    if (known) return known;
    const hash = createHmac('sha256', this.addressKey).update(`rate-limit\u0000${address}`);
    const name = `ip:${hash.digest('base64url').slice(0, 16)}`;
    if (this.names.size >= MAX_NAMES) this.names.clear();
    this.names.set(address, name);
    return name;
  }

  /** Counts a request that no guard sees. @throws AppError the 429 */
  async count(request: Request, response: Response): Promise<void> {
    const { perMinute, error } = this.options;
    const record = await this.storage.increment(`{${this.nameOf(request)}}`, WINDOW_MS, perMinute);
    reportLimit(response, perMinute, record);
    if (!record.isBlocked) return;
    // the first refusal is logged; a line for each would let a caller fill the log
    if (record.totalHits > perMinute + 1) addToRequestStore({ isOverLimit: true });
    throw error({ retryAfterSeconds: Math.max(1, record.timeToBlockExpire), params: { from: FROM_ADDRESS } });
  }

  /** Counts a call of an address against a separate share of its limit. @throws AppError the 429 */
  async countShare(name: string, request: Request, share: number): Promise<void> {
    const { perMinute, error } = this.options;
    const counter = `${name}:${this.nameOf(request)}`;
    const retryAfterSeconds = await this.storage.hit(counter, Math.ceil(perMinute * share));
    if (retryAfterSeconds !== undefined) throw error({ retryAfterSeconds, params: { from: FROM_ADDRESS } });
  }
}

export function reportLimit(response: Response, limit: number, record: ThrottlerRecord): void {
  const { isBlocked, totalHits, timeToExpire, timeToBlockExpire } = record;
  response.setHeader('x-ratelimit-limit', String(limit));
  response.setHeader('x-ratelimit-remaining', String(isBlocked ? 0 : Math.max(0, limit - totalHits)));
  response.setHeader('x-ratelimit-reset', String(isBlocked ? timeToBlockExpire : timeToExpire));
}

/** Counts requests that get an answer before any guard: API documents, and paths that cannot be decoded. */
export function countUnguarded(limit: AddressLimit, errors: ErrorFilter): RequestHandler {
  const count = async (request: Request, response: Response): Promise<void> => {
    await limit.count(request, response);
    if (isFileOfApiDocs(request.path)) await limit.countShare('docs', request, DOCS_FILES_SHARE);
  };
  return (request, response, next) => {
    if (isDecodable(request.path) && !isOfApiDocument(request.path)) return next();
    count(request, response).then(
      () => next(),
      (error: unknown) => errors.respond(error, response),
    );
  };
}
