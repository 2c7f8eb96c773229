import { performance } from 'node:perf_hooks';
import { type DynamicModule, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { addToRequestStore, ErrorFilter, failureOf, JSON_TYPE, remainingMs, sendJson } from '@fd/envelope';
import type { Request, RequestHandler, Response } from 'express';
import { Gauge, Registry } from 'prom-client';
import type { HttpConfig } from '../config/common-settings.js';
import type { PreparedHeaders } from '../http/answer-headers.js';
import { POLLED_ROUTES } from '../logging/access-log.js';
import { counterFromZero, type KnownCounter } from '../observability/from-zero.js';
import { InFlightLimit, watchEventLoop } from './in-flight-limit.js';

/** Range of the random `Retry-After` in seconds, so that clients do not return all at once. */
const LONGEST_RETRY_SECONDS = 4;

/** Time without refusals after which the log reports their end. */
const QUIET_MS = 10_000;

/**
 * Refuses requests beyond the capacity of the service, at once and at little cost, so that admitted requests keep
 * their usual latency. See docs/adr/0012-load-shedding.md.
 */
export class LoadShedding implements OnApplicationShutdown {
  private readonly logger = new Logger(LoadShedding.name);
  private readonly limit: InFlightLimit;
  private readonly watching: NodeJS.Timeout;
  private readonly refusal: string;
  private readonly shed: KnownCounter<{ readonly reason: 'in_flight' | 'event_loop' }>;
  private inFlight = 0;
  /** Most requests in flight since the last report of the event loop's delay. */
  private peak = 0;
  /** Refusals since the log reported their start, and the time of the last one; undefined while nothing is refused. */
  private refused: { count: number; lastAt: number } | undefined;

  /** @param refusal body of the 503, in the service's own words */
  constructor(limits: HttpConfig['load'], refusal: object, registry: Registry) {
    this.refusal = JSON.stringify(refusal);
    this.limit = new InFlightLimit(limits.maxRequestsInFlight);
    this.shed = counterFromZero(registry, {
      name: 'requests_shed_total',
      help: 'Requests refused because of overload',
      series: [{ reason: 'in_flight' }, { reason: 'event_loop' }],
    });
    this.measure(registry);
    this.watching = watchEventLoop((delayMs) => {
      this.limit.adapt(delayMs > limits.maxEventLoopDelayMs, this.peak);
      this.peak = this.inFlight;
      this.logEnd();
    });
  }

  onApplicationShutdown(): void {
    clearInterval(this.watching);
  }

  /** First step of admission control, before everything else: a refusal is one prepared write. Preflights cost as little. */
  refuseWhenFull(headersOf: PreparedHeaders): RequestHandler {
    const length = String(Buffer.byteLength(this.refusal));
    return (request, response, next) => {
      if (!this.isFull || isExempt(request) || request.method === 'OPTIONS') return next();
      this.note();
      const { headers } = request;
      const all: [string, string][] = [
        ...headersOf(headers, headers.origin ?? ''),
        ['retry-after', retryAfter()],
        ['content-type', JSON_TYPE],
        ['content-length', length],
      ];
      response.writeHead(503, all.flat()).end(this.refusal);
    };
  }

  /** Second step of admission control, after the body, so that slow bodies take no place. */
  readonly enter: RequestHandler = (request, response, next) => {
    if (isExempt(request)) return next();
    // full since the body began to arrive
    if (this.isFull) {
      addToRequestStore({ isShed: true });
      this.note();
      response.setHeader('retry-after', retryAfter());
      return sendJson(response, 503, this.refusal);
    }
    this.countUntilAnswered(response);
    next();
  };

  private get isFull(): boolean {
    return this.inFlight >= this.limit.current;
  }

  /**
   * Counts a request until its answer or deadline. Not until the connection closes: a handler continues after its client
   * has left, and a slow reader keeps nothing busy.
   */
  private countUntilAnswered(response: Response): void {
    this.inFlight++;
    this.peak = Math.max(this.peak, this.inFlight);
    let isInside = true;
    const leave = (): void => {
      if (!isInside) return;
      isInside = false;
      clearTimeout(limit);
      this.inFlight--;
    };
    // a separate timer: the request's own stops when its client leaves, while its handler may still hang
    const limit = setTimeout(leave, remainingMs());
    const end = response.end.bind(response) as (...args: unknown[]) => Response;
    // no event reports the answer to a client that has left
    response.end = ((...args: unknown[]) => {
      leave();
      return end(...args);
    }) as Response['end'];
  }

  private note(): void {
    this.shed.inc({ reason: this.limit.isLowered ? 'event_loop' : 'in_flight' });
    if (!this.refused) {
      const state = { in_flight: this.inFlight, limit: this.limit.current };
      this.logger.warn({ msg: 'overloaded: requests are refused', ...state });
    }
    this.refused = { count: (this.refused?.count ?? 0) + 1, lastAt: performance.now() };
  }

  private logEnd(): void {
    if (!this.refused || performance.now() - this.refused.lastAt < QUIET_MS) return;
    this.logger.warn({ msg: 'load shedding has ended', refused: this.refused.count });
    this.refused = undefined;
  }

  private measure(registry: Registry): void {
    const gauge = (name: string, help: string, read: () => number): Gauge =>
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    gauge('requests_in_flight', 'Requests in flight', () => this.inFlight);
    gauge('requests_in_flight_limit', 'Limit of requests in flight', () => this.limit.current);
    let before = performance.eventLoopUtilization();
    gauge('event_loop_utilization', 'Share of time in which the event loop was busy', () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    });
  }
}

const retryAfter = (): string => String(1 + Math.floor(Math.random() * LONGEST_RETRY_SECONDS));

/** Paths for monitoring are never refused. */
const isExempt = ({ path }: Request): boolean => POLLED_ROUTES.includes(path);

@Module({})
export class LoadSheddingModule {
  static forRoot(limits: HttpConfig['load']): DynamicModule {
    const useFactory = ({ fallbacks }: ErrorFilter, registry: Registry): LoadShedding =>
      new LoadShedding(limits, failureOf(fallbacks.unavailable()), registry);
    const provider = { provide: LoadShedding, inject: [ErrorFilter, Registry], useFactory };
    return { module: LoadSheddingModule, providers: [provider] };
  }
}
