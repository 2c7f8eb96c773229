import { administer, eventually } from '@fd/testing';
import { type OwnPostgres, throwawayPostgres } from './own-postgres.mjs';

/** Restarts a server with a standby of its own, and returns the standby once it confirms every commit. */
export async function startSynchronousStandby(postgres: OwnPostgres): Promise<OwnPostgres> {
  await postgres.stop();
  const standby = await throwawayPostgres('the standby', { standbyOf: postgres });
  await postgres.start();
  await standby.start();
  const url = postgres.url('onboarding');
  await administer(url, "ALTER SYSTEM SET synchronous_standby_names = '*'", 'SELECT pg_reload_conf()');
  await eventually(async () =>
    expect(await administer(url, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).toHaveLength(
      1,
    ),
  );
  return standby;
}
