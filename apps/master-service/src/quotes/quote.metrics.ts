import { Injectable } from '@nestjs/common';
import type { ErrorDefinition } from '@fd/errors';
import { Counter, Histogram, Registry } from 'prom-client';

/** Counts quotes and refusals by issuer. */
@Injectable()
export class QuoteMetrics {
  private readonly quotes: Counter<'issuer' | 'outcome'>;
  private readonly duration: Histogram<'call'>;

  constructor(registry: Registry) {
    this.quotes = new Counter({
      name: 'quotes_total',
      help: 'Maturity quotes by issuer and outcome: quoted, or the code of the refusal',
      labelNames: ['issuer', 'outcome'],
      registers: [registry],
    });
    this.duration = new Histogram({
      name: 'quote_duration_seconds',
      help: 'Time to compute a quote, or the quotes of all issuers for a comparison',
      labelNames: ['call'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1],
      registers: [registry],
    });
  }

  timed<T>(call: 'quote' | 'compare', work: () => T): T {
    const end = this.duration.startTimer({ call });
    const result = work();
    end();
    return result;
  }

  count(issuer: string, refusal: ErrorDefinition | undefined): void {
    this.quotes.inc({ issuer, outcome: refusal?.code ?? 'quoted' });
  }
}
