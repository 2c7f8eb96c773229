import { Injectable } from '@nestjs/common';
import type { Span } from '@opentelemetry/api';
import { Histogram, Registry } from 'prom-client';
import { childSpan, endSpan, isTraced } from '../tracing/spans.js';

/** First words of statements that get their own label. */
const SQL_VERBS = ['select', 'insert', 'update', 'delete', 'with', 'begin', 'commit', 'rollback'];

/** The verb of a statement; the rest may contain values. */
export function sqlVerb(statement: string): string {
  const verb = /^\s*([a-z]+)/i.exec(statement)?.[1]?.toLowerCase() ?? '';
  return SQL_VERBS.includes(verb) ? verb : 'other';
}

/** The verb and first table of a statement: `select sessions`. The rest may contain values. */
export function statementName(statement: string): string {
  const table = /\b(?:from|into|update|join)\s+[a-z_]+\.([a-z_]+)/i.exec(statement)?.[1];
  return [sqlVerb(statement), table].filter(Boolean).join(' ');
}

type Store = 'postgres' | 'redis';
const OUTCOMES = ['ok', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];
type TimesOfOutcomes = Readonly<Record<Outcome, Pick<Histogram.Internal<string>, 'observe'>>>;

/** Measures calls to PostgreSQL and Redis: a histogram, and spans of the current request. */
@Injectable()
export class StoreCalls {
  private readonly duration: Histogram<'store' | 'operation' | 'outcome'>;
  private readonly times = new Map<string, TimesOfOutcomes>();

  constructor(registry: Registry) {
    this.duration = new Histogram({
      name: 'store_call_duration_seconds',
      help: 'Time of a statement in PostgreSQL or a command in Redis, by verb and outcome: ok, or failed',
      labelNames: ['store', 'operation', 'outcome'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.2, 0.5, 1],
      registers: [registry],
    });
  }

  /**
   * @param operation from a small set of words
   * @param statement name of the span, if traced
   * @returns a function to call after the store has answered or failed
   */
  begin(store: Store, operation: string, statement?: string): (outcome: Outcome) => void {
    const startedAt = performance.now();
    const times = this.timesOf(store, operation);
    const span = isTraced() ? spanOf(store, operation, statement) : undefined;
    return (outcome) => {
      times[outcome].observe((performance.now() - startedAt) / 1_000);
      endSpan(span, outcome === 'ok');
    };
  }

  /**
   * Cached by their labels, because prom-client checks and joins the labels of each observation: 0.5 KiB for a call. Both series
   * start at zero, so that the alert sees the first failure.
   */
  private timesOf(store: Store, operation: string): TimesOfOutcomes {
    const name = `${store} ${operation}`;
    let times = this.times.get(name);
    if (!times) {
      for (const outcome of OUTCOMES) this.duration.zero({ store, operation, outcome });
      const of = (outcome: Outcome) => this.duration.labels(store, operation, outcome);
      times = { ok: of('ok'), failed: of('failed') };
      this.times.set(name, times);
    }
    return times;
  }
}

function spanOf(store: Store, operation: string, statement: string | undefined): Span | undefined {
  const name = statement === undefined ? operation : statementName(statement);
  return childSpan(`${store} ${name}`, {
    'db.system.name': store === 'postgres' ? 'postgresql' : store,
    'db.operation.name': operation,
  });
}
