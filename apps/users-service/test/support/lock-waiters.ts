import { eventually } from '@fd/testing';
import type { UsersApp } from './users-app.js';

/** Waits until so many statements of a service's database, or more, wait for locks. */
export const lockWaiters = (
  { dataSource }: Pick<UsersApp, 'dataSource'>,
  count: number,
  limitMs?: number,
): Promise<void> =>
  eventually(async () => {
    const waiting = await dataSource.query<object[]>(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    expect(waiting.length).toBeGreaterThanOrEqual(count);
  }, limitMs);
