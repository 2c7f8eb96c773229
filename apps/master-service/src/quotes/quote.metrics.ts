import { Injectable } from '@nestjs/common';
import { type ErrorDefinition, QuoteErrors } from '@fd/errors';
import { histogramFromZero, type KnownHistogram } from '@fd/platform';
import { Counter, Registry } from 'prom-client';
import { CatalogueSnapshot } from '../catalogue/catalogue-snapshot.service.js';

const OUTCOMES = ['quoted', ...Object.values(QuoteErrors).map(({ code }) => code)];

/** Counts quotes and refusals by issuer. */
@Injectable()
export class QuoteMetrics {
  private readonly quotes: Counter<'issuer' | 'outcome'>;
  private readonly duration: KnownHistogram<{ readonly call: 'quote' | 'compare' }>;

  constructor(snapshot: CatalogueSnapshot, registry: Registry) {
    this.quotes = new Counter({
      name: 'quotes_total',
      help: 'Maturity quotes by issuer and outcome: quoted, or the code of the refusal',
      labelNames: ['issuer', 'outcome'],
      registers: [registry],
      collect() {
        // the issuers are known once the catalogue is loaded
        for (const { code: issuer } of snapshot.isLoaded ? snapshot.catalogue.issuers : [])
          for (const outcome of OUTCOMES) this.inc({ issuer, outcome }, 0);
      },
    });
    this.duration = histogramFromZero(registry, {
      name: 'quote_duration_seconds',
      help: 'Time to compute a quote, or the quotes of all issuers for a comparison',
      series: [{ call: 'quote' }, { call: 'compare' }],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1],
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
