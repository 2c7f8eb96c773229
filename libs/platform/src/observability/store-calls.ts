import { Injectable } from '@nestjs/common';
import { Histogram, Registry } from 'prom-client';
import { childSpan, endSpan, isTraced } from '../tracing/spans.js';

/** First words of statements that get their own label. */
const SQL_VERBS = ['select', 'insert', 'update', 'delete', 'with', 'start', 'commit', 'rollback'];

/** The verb of a statement; the rest may contain values. */
export function sqlVerb(statement: string): string {
  const verb = /^\s*([a-z]+)/i.exec(statement)?.[1]?.toLowerCase() ?? '';
  return SQL_VERBS.includes(verb) ? verb : 'other';
}

/** Our statements are constants: some hundreds. */
const MAX_NAMES = 1_000;
const names = new Map<string, string>();

/** The verb and first table of a statement: `select sessions`. The rest may contain values. */
export function statementName(statement: string): string {
  let name = names.get(statement);
  if (name === undefined) {
    const table = /\b(?:from|into|update|join)\s+[a-z_]+\.([a-z_]+)/i.exec(statement)?.[1];
    name = [sqlVerb(statement), table].filter(Boolean).join(' ');
    if (names.size < MAX_NAMES) names.set(statement, name);
  }
  return name;
}

/** Measures calls to PostgreSQL and Redis: a histogram, and spans of the current request. */
@Injectable()
export class StoreCalls {
  private readonly duration: Histogram<'store' | 'operation' | 'outcome'>;

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
  begin(
    store: 'postgres' | 'redis',
    operation: string,
    statement?: string,
  ): (outcome: 'ok' | 'failed') => void {
    const end = this.duration.startTimer({ store, operation });
    const system = store === 'postgres' ? 'postgresql' : store;
    const name = statement === undefined || !isTraced() ? operation : statementName(statement);
    const span = childSpan(`${store} ${name}`, {
      'db.system.name': system,
      'db.operation.name': operation,
    });
    return (outcome) => {
      end({ outcome });
      endSpan(span, outcome === 'ok');
    };
  }
}
