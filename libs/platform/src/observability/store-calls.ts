import { Injectable } from '@nestjs/common';
import { Histogram, Registry } from 'prom-client';
import { childSpan, endSpan } from '../tracing/spans.js';

/** What a statement begins with, where it is worth telling apart. */
const SQL_VERBS = ['select', 'insert', 'update', 'delete', 'with', 'start', 'commit', 'rollback'];

/** The verb of a statement, never more of it: texts may hold values. */
export function sqlVerb(statement: string): string {
  const verb = /^\s*([a-z]+)/i.exec(statement)?.[1]?.toLowerCase() ?? '';
  return SQL_VERBS.includes(verb) ? verb : 'other';
}

/** How long the stores take over what they are asked, as a metric and as spans of the request that is served. */
@Injectable()
export class StoreCalls {
  private readonly duration: Histogram<'store' | 'operation' | 'outcome'>;

  constructor(registry: Registry) {
    this.duration = new Histogram({
      name: 'store_call_duration_seconds',
      help: 'Time that PostgreSQL or Redis took over a statement or a command, by its verb: ok, or failed',
      labelNames: ['store', 'operation', 'outcome'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.2, 0.5, 1],
      registers: [registry],
    });
  }

  /**
   * @param operation of a small number of words
   * @returns what is to be called once the store has answered, or has not
   */
  begin(store: 'postgres' | 'redis', operation: string): (outcome: 'ok' | 'failed') => void {
    const end = this.duration.startTimer({ store, operation });
    const system = store === 'postgres' ? 'postgresql' : store;
    const span = childSpan(`${store} ${operation}`, {
      'db.system.name': system,
      'db.operation.name': operation,
    });
    return (outcome) => {
      end({ outcome });
      endSpan(span, outcome === 'ok');
    };
  }
}
