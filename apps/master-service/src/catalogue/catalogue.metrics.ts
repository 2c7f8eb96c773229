import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';

/** Which revision is served, since when it has not been confirmed, and how often looking failed. */
@Injectable()
export class CatalogueMetrics {
  private readonly revision: Gauge;
  private readonly confirmedAt: Gauge;
  private readonly failures: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.revision = new Gauge({
      name: 'catalogue_revision',
      help: 'Revision that is being served',
      registers,
    });
    this.confirmedAt = new Gauge({
      name: 'catalogue_confirmed_timestamp_seconds',
      help: 'When the database last confirmed that the served catalogue is the current one',
      registers,
    });
    this.failures = new Counter({
      name: 'catalogue_refresh_failures_total',
      help: 'Looks at the database that failed',
      registers,
    });
  }

  loaded(revision: number): void {
    this.revision.set(revision);
    this.confirmedAt.setToCurrentTime();
  }

  failed(): void {
    this.failures.inc();
  }
}
