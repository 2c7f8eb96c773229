import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { Logger } from '@nestjs/common';
import { JSON_TYPE, remainingMs, sendJson } from '@fd/envelope';
import type { RequestHandler, Response } from 'express';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { HttpConfig } from '../config/common-settings.js';
import type { HeadersFor } from '../http/answer-headers.js';
import { pathOf } from '../http/pipeline.js';
import { POLLED_ROUTES } from '../logging/access-log.js';
import { EventLoopDelay, InFlightLimit } from './in-flight-limit.js';

declare global {
  namespace Express {
    interface Request {
      /** Requests refused by load shedding, which must not flood the log. */
      isShed?: true;
    }
  }
}

interface LoadSheddingOptions {
  readonly limits: HttpConfig['load'];
  /** The headers of every answer. */
  readonly headersFor: HeadersFor;
  /** Body of the 503, in the service's own words. */
  readonly refusal: object;
  readonly registry: Registry;
}

/** Range of the random `Retry-After` in seconds, so that clients do not return all at once. */
const LONGEST_RETRY_SECONDS = 4;

/** Time without refusals after which the log reports their end. */
const QUIET_MS = 10_000;

/**
 * Refuses requests beyond the capacity of the service, at once and at little cost, so that admitted requests keep
 * their usual latency. See docs/adr/0012-load-shedding.md.
 */
export class LoadShedding {
  private readonly logger = new Logger(LoadShedding.name);
  private readonly limit: InFlightLimit;
  private readonly delay: EventLoopDelay;
  private readonly refusal: string;
  /** Refusals by reason since the metrics were last read. */
  private readonly shed = { in_flight: 0, event_loop: 0 };
  private inFlight = 0;
  /** Most requests in flight since the last report of the event loop's delay. */
  private peak = 0;
  /** Refusals since the log reported their start, and the time of the last one; undefined while nothing is refused. */
  private refused: { count: number; lastAt: number } | undefined;

  constructor(private readonly options: LoadSheddingOptions) {
    const { limits, refusal, registry } = options;
    this.refusal = JSON.stringify(refusal);
    this.limit = new InFlightLimit(limits.maxRequestsInFlight);
    this.measure(registry);
    this.delay = new EventLoopDelay((delayMs) => {
      this.limit.adapt(delayMs > limits.maxEventLoopDelayMs, this.peak);
      this.peak = this.inFlight;
      this.logEnd();
    });
  }

  stop(): void {
    this.delay.stop();
  }

  /** First step of admission control, before all others, so that refusals are cheap. */
  readonly refuseWhenFull: RequestHandler = (request, response, next) => {
    // pages cannot read a refused preflight
    if (!this.isFull || request.method === 'OPTIONS' || isExempt(request)) return next();
    this.note();
    response.writeHead(503, [
      ...this.options.headersFor(request),
      ...retryLater(),
      'content-type',
      JSON_TYPE,
      'content-length',
      String(Buffer.byteLength(this.refusal)),
    ]);
    response.end(this.refusal);
  };

  /** Second step of admission control, after the body, so that slow bodies take no place. */
  readonly enter: RequestHandler = (request, response, next) => {
    if (isExempt(request)) return next();
    if (this.isFull) {
      // full since the body began to arrive
      request.isShed = true;
      this.note();
      response.setHeader(...retryLater());
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
    this.shed[this.limit.isLowered ? 'event_loop' : 'in_flight']++;
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
    const registers = [registry];
    const gauge = (name: string, help: string, read: () => number): Gauge =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    gauge('requests_in_flight', 'Requests in flight', () => this.inFlight);
    gauge('requests_in_flight_limit', 'Limit of requests in flight', () => this.limit.current);
    let before = performance.eventLoopUtilization();
    const help = 'Share of time in which the event loop was busy';
    gauge('event_loop_utilization', help, () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    });
    const { shed } = this;
    new Counter({
      name: 'requests_shed_total',
      help: 'Requests refused because of overload',
      labelNames: ['reason'],
      registers,
      collect() {
        // counted here, to keep refusals cheap
        for (const reason of ['in_flight', 'event_loop'] as const) {
          this.inc({ reason }, shed[reason]);
          shed[reason] = 0;
        }
      },
    });
  }
}

/** Paths for monitoring are never refused. */
const isExempt = (request: IncomingMessage): boolean => POLLED_ROUTES.includes(pathOf(request));

const retryLater = (): [name: string, value: string] => [
  'retry-after',
  String(1 + Math.floor(Math.random() * LONGEST_RETRY_SECONDS)),
];
