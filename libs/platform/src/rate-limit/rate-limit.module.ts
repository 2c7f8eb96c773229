import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { type DynamicModule, type ExecutionContext, Logger, Module, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ErrorDefinition } from '@fd/errors';
import { ThrottlerStorageService } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import type { RateLimitConfig } from '../config/common-settings.js';
import { countedAddress } from '../http/counted-address.js';
import type { RedisClient } from '../redis/redis-client.js';
import { isRedisUnavailable } from '../redis/redis-errors.js';
import { RedisScript } from '../redis/redis-script.js';
import { REDIS } from '../redis/redis.module.js';

declare global {
  namespace Express {
    interface Request {
      /** Refused by the limit, and not the first of its caller in this minute: such requests must not flood the log. */
      isOverLimit?: true;
    }
  }
}

const IS_UNCOUNTED = Symbol('is uncounted');

/** Marks a polled controller, whose calls the rate limit does not count. */
export const Uncounted = (): ClassDecorator => SetMetadata(IS_UNCOUNTED, true);

const WINDOW_MS = 60_000;
/** Value of `{from}` in the message of a refusal. */
const FROM_ADDRESS = 'from this address';
/** Maximum of cached names of addresses, and of refused callers. */
const MAX_NAMES = 10_000;

/**
 * Counts hits of budgets in fixed windows; the first hit opens a window. A call that one budget refuses does not count
 * in the next. A counter without an expiry (after a crash of another program) gets a new one. Answers all hits and
 * milliseconds to the window's end, budget after budget.
 */
const COUNT = new RedisScript(`
local answer, size = {}, tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  local hits = redis.call('INCRBY', key, size)
  local ttl = redis.call('PTTL', key)
  if ttl < 0 then
    redis.call('PEXPIRE', key, ARGV[1])
    ttl = tonumber(ARGV[1])
  end
  answer[2 * i - 1], answer[2 * i] = hits, ttl
  size = math.max(0, math.min(size, tonumber(ARGV[2 + i]) - (hits - size)))
end
return answer
`);

interface Caller {
  readonly name: string;
  /** For a client that serves many users: its limit over all its addresses; each address also has the usual limit. */
  readonly callsPerMinute?: number;
}

interface RateLimitOptions extends RateLimitConfig {
  /** The 429. Its message may use `{from}`, which names the callers that share the limit. */
  readonly error: ErrorDefinition;
  /** Key of the hashes by which addresses are counted, the same for all replicas: Redis contains no address. */
  readonly addressSecret: Buffer;
  /** The caller to count; undefined: the address. */
  readonly callerOf: (request: Request) => Caller | undefined;
}

/** A limit of calls a minute. */
interface Budget {
  readonly key: string;
  readonly perMinute: number;
  readonly from: string;
}

/** The state of a budget after a call. */
interface BudgetState {
  readonly budget: Budget;
  readonly left: number;
  readonly secondsLeft: number;
}

/** Hits of one caller counted together; undefined while Redis is down. */
interface Batch {
  size: number;
  readonly counted: Promise<readonly Count[] | undefined>;
}

/** Redis's answer for a budget. */
interface Count {
  /** Hits before those of the batch. */
  readonly before: number;
  readonly leftMs: number;
}

/**
 * Budgets of calls a minute over all routes and replicas, reported in the three x-ratelimit headers. Hits of one caller
 * in the same turn of the event loop are counted together, each with its own number: the limit stays exact, and calls of
 * a busy caller cost less. While Redis is down each replica counts its own share.
 */
export class RateLimit {
  private readonly logger = new Logger(RateLimit.name);
  private readonly local = new ThrottlerStorageService();
  private isLocal = false;
  private readonly addressKey: KeyObject;
  /** Cached names of recent addresses: the hash would be the most expensive part of counting. */
  private readonly addressNames = new Map<string, string>();
  /** Time of the last logged refusal, by key of the budget. */
  private readonly loggedRefusals = new Map<string, number>();
  /** Calls of this turn of the event loop, by the key of their first budget. */
  private readonly arriving = new Map<string, Batch>();

  constructor(
    private readonly redis: RedisClient,
    private readonly reflector: Reflector,
    private readonly options: RateLimitOptions,
  ) {
    // raw bytes would be imported for each hash
    this.addressKey = createSecretKey(options.addressSecret);
  }

  onApplicationShutdown(): void {
    this.local.onApplicationShutdown();
  }

  /** Counts a call of a route, unless the route is uncounted. @throws AppError the 429 */
  async count(context: ExecutionContext): Promise<void> {
    if (this.reflector.get<true | undefined>(IS_UNCOUNTED, context.getClass())) return;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    await this.countFor(request, this.budgetsOf(request), http.getResponse<Response>());
  }

  /** Counts a call of an unknown route. @throws AppError the 429 */
  async countByAddress(request: Request, response: Response): Promise<void> {
    await this.countFor(request, [this.budgetOf(`{${this.addressOf(request)}}`)], response);
  }

  /**
   * Counts a call against a separate budget of that name.
   * @returns seconds to wait if the budget is used up
   */
  async hit(name: string, perMinute: number): Promise<number | undefined> {
    const { left, secondsLeft } = await this.take([{ ...this.budgetOf(`{${name}}`), perMinute }]);
    return left < 0 ? Math.max(1, secondsLeft) : undefined;
  }

  /** Counts a call of an address against a separate share of its budget. @throws AppError the 429 */
  async countShare(name: string, request: Request, share: number): Promise<void> {
    const { perMinute, error } = this.options;
    const address = `${name}:${this.addressOf(request)}`;
    const retryAfterSeconds = await this.hit(address, Math.ceil(perMinute * share));
    if (retryAfterSeconds !== undefined) throw error({ retryAfterSeconds, params: { from: FROM_ADDRESS } });
  }

  private budgetsOf(request: Request): Budget[] {
    const caller = this.options.callerOf(request);
    if (!caller) return [this.budgetOf(`{${this.addressOf(request)}}`)];
    // in one slot, so that one script counts both
    const all = `{${caller.name}}`;
    if (caller.callsPerMinute === undefined) return [this.budgetOf(all)];
    return [
      this.budgetOf(`${all}:${this.addressOf(request)}`),
      { key: all, perMinute: caller.callsPerMinute, from: 'from this client' },
    ];
  }

  private addressOf({ ip }: Request): string {
    const address = countedAddress(ip);
    const known = this.addressNames.get(address);
    if (known) return known;
    const hash = createHmac('sha256', this.addressKey).update(`rate-limit\u0000${address}`);
    const name = `ip:${hash.digest('base64url').slice(0, 16)}`;
    if (this.addressNames.size >= MAX_NAMES) this.addressNames.clear();
    this.addressNames.set(address, name);
    return name;
  }

  private budgetOf(key: string): Budget {
    return { key, perMinute: this.options.perMinute, from: FROM_ADDRESS };
  }

  private async countFor(request: Request, budgets: readonly Budget[], response: Response): Promise<void> {
    const { budget, left, secondsLeft } = await this.take(budgets);
    response.setHeader('x-ratelimit-limit', String(budget.perMinute));
    response.setHeader('x-ratelimit-remaining', String(Math.max(0, left)));
    response.setHeader('x-ratelimit-reset', String(secondsLeft));
    if (left >= 0) return;
    if (this.isRepeated(budget)) request.isOverLimit = true;
    const retryAfterSeconds = Math.max(1, secondsLeft);
    throw this.options.error({ retryAfterSeconds, params: { from: budget.from } });
  }

  /** Whether a refusal of this budget was logged within the minute. */
  private isRepeated({ key }: Budget): boolean {
    const now = performance.now();
    const loggedAt = this.loggedRefusals.get(key);
    if (loggedAt !== undefined && now - loggedAt < WINDOW_MS) return true;
    if (this.loggedRefusals.size >= MAX_NAMES) this.loggedRefusals.clear();
    this.loggedRefusals.set(key, now);
    return false;
  }

  /** Counts a call. @returns the budget that refuses it, else the one with the fewest calls left */
  private async take(budgets: readonly Budget[]): Promise<BudgetState> {
    const [{ key }] = budgets as [Budget];
    const batch = this.arriving.get(key) ?? { size: 0, counted: this.countBatch(key, budgets) };
    this.arriving.set(key, batch);
    const place = ++batch.size;
    const counted = await batch.counted;
    let least: BudgetState | undefined;
    for (const [i, budget] of budgets.entries()) {
      const state = counted ? stateOf(budget, counted[i]!, place) : await this.takeLocally(budget);
      if (!least || state.left < least.left) least = state;
      if (state.left < 0) break;
    }
    return least!;
  }

  private async takeLocally(budget: Budget): Promise<BudgetState> {
    const { key, perMinute } = budget;
    const share = Math.max(1, Math.floor(perMinute / this.options.replicas));
    const { totalHits, isBlocked, timeToExpire, timeToBlockExpire } = await this.local.increment(
      key,
      WINDOW_MS,
      share,
      WINDOW_MS,
      'default',
    );
    if (isBlocked) return { budget, left: -1, secondsLeft: timeToBlockExpire };
    return { budget, left: Math.max(0, perMinute - totalHits), secondsLeft: timeToExpire };
  }

  private async countBatch(key: string, budgets: readonly Budget[]): Promise<readonly Count[] | undefined> {
    // after all arrived requests have been read
    await endOfTurn();
    const { size } = this.arriving.get(key)!;
    this.arriving.delete(key);
    const keys = budgets.map((budget) => `rate:${budget.key}`);
    const limits = budgets.map(({ perMinute }) => perMinute);
    try {
      const answer = (await COUNT.run(this.redis, keys, [WINDOW_MS, size, ...limits])) as number[];
      this.note(false);
      return countsOf(answer, limits, size);
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      this.note(true);
      return undefined;
    }
  }

  private note(isLocal: boolean): void {
    if (isLocal !== this.isLocal) {
      this.logger.warn({
        msg: isLocal ? 'Redis is down: limits are counted in memory' : 'limits are shared again',
      });
    }
    this.isLocal = isLocal;
  }
}

/** @param answer of COUNT */
function countsOf(answer: readonly number[], limits: readonly number[], size: number): Count[] {
  let counted = size;
  return limits.map((limit, i) => {
    const before = answer[2 * i]! - counted;
    counted = Math.max(0, Math.min(counted, limit - before));
    return { before, leftMs: answer[2 * i + 1]! };
  });
}

/** @param place position of the call in its batch; the last calls are refused first */
function stateOf(budget: Budget, { before, leftMs }: Count, place: number): BudgetState {
  return { budget, left: budget.perMinute - before - place, secondsLeft: Math.ceil(leftMs / 1_000) };
}

@Module({})
export class RateLimitModule {
  static forRoot(options: RateLimitOptions): DynamicModule {
    return {
      module: RateLimitModule,
      global: true,
      providers: [
        {
          provide: RateLimit,
          inject: [REDIS, Reflector],
          useFactory: (redis: RedisClient, reflector: Reflector) => new RateLimit(redis, reflector, options),
        },
      ],
      exports: [RateLimit],
    };
  }
}
