import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { Gauge, Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { Jobs } from '../jobs/jobs.service.js';
import { Partitions } from './partitions.js';

const PERIOD_MS = 600_000;

/** Measures how far ahead partitions exist, so that an alert notices when the maintenance no longer runs. */
@Injectable()
export class PartitionWatch implements OnModuleInit {
  private readonly partitions: Partitions;
  private readonly ahead: Gauge;
  /** Measures at startup, because the alert needs a value. */
  private periodMs = 0;

  constructor(
    dataSource: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    registry: Registry,
  ) {
    this.partitions = new Partitions(dataSource);
    this.ahead = new Gauge({
      name: 'partitions_ahead_seconds',
      help: 'Time until the first table has no partition for new rows; the maintenance keeps it above two months',
      registers: [registry],
    });
  }

  onModuleInit(): void {
    this.jobs.poll({
      name: 'partition-watch',
      waiting: 'it is not known how far ahead partitions have been made',
      periodMs: () => this.periodMs,
      run: async () => {
        const end = await this.partitions.end();
        this.ahead.set((end.getTime() - this.clock.machineNow().getTime()) / 1_000);
        this.periodMs = PERIOD_MS;
      },
    });
  }
}
