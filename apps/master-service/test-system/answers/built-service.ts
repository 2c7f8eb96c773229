import type { BuiltService } from '@fd/fuzzing';
import { ServiceProcesses, SHIFTED_CLOCK } from '@fd/testing';
import { createStores, USUAL_DAY } from '../../test/support/master-app.js';

/** Starts a built service of any commit on today's catalogue and its own stores, on the usual day. */
export async function startBuilt(dist: string): Promise<BuiltService> {
  const stores = await createStores();
  const processes = new ServiceProcesses(dist, {
    ...stores.environment,
    // as the owner of the schema: the role's rights are another commit's
    DATABASE_URL: stores.databaseUrl,
    RATE_LIMIT_PER_MINUTE: '1000000',
    CORS_ORIGINS: 'https://frontend.example',
    NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`,
    CLOCK_AHEAD_MS: String(Date.parse(USUAL_DAY) - Date.now()),
  });
  const { url } = await processes.start();
  return {
    url,
    close: async () => {
      await processes.killAll();
      await stores.drop();
    },
  };
}
