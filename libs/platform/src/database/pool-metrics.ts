import { Gauge, type Registry } from 'prom-client';
import type { DataSource } from 'typeorm';

/** What the driver tells of its pool. */
interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

const NO_POOL: Pool = { totalCount: 0, idleCount: 0, waitingCount: 0 };

/** Tells how many connections there are, and who waits for one: whoever waits for 800 ms is answered 503. */
export function measurePool(dataSource: DataSource, registry: Registry): void {
  // there is none before the first connection
  const pool = (): Pool => (dataSource.driver as unknown as { master?: Pool }).master ?? NO_POOL;
  const registers = [registry];
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections to PostgreSQL that this replica has: busy, or idle',
    labelNames: ['state'],
    registers,
    collect() {
      const { totalCount, idleCount } = pool();
      this.set({ state: 'busy' }, totalCount - idleCount);
      this.set({ state: 'idle' }, idleCount);
    },
  });
  new Gauge({
    name: 'database_pool_waiting',
    help: 'Those who wait for a connection to PostgreSQL, because all are busy',
    registers,
    collect() {
      this.set(pool().waitingCount);
    },
  });
}
