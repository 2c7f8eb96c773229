import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import type { NoMatchCode } from './product-matching.js';

/** How often issuers are quoted, and why not. */
@Injectable()
export class QuoteMetrics {
  private readonly quotes: Counter<'issuer' | 'outcome'>;

  constructor(registry: Registry) {
    this.quotes = new Counter({
      name: 'quotes_total',
      help: 'Maturity quotes by issuer and outcome: quoted, or the code of the refusal',
      labelNames: ['issuer', 'outcome'],
      registers: [registry],
    });
  }

  count(issuer: string, refusal: NoMatchCode | undefined): void {
    this.quotes.inc({ issuer, outcome: refusal ?? 'quoted' });
  }
}
