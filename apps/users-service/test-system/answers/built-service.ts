import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BuiltService } from '@fd/fuzzing';
import { createTestDatabase, GENEROUS_LIMITS, ServiceProcesses } from '@fd/testing';
import { settings } from '../../test/support/settings.js';
import { sandboxSettings, testRedisSettings } from '../../test/support/users-app.js';

/** Starts a built service of any commit on its own stores, with the sandbox and the partner of the tests. */
export async function startBuilt(dist: string): Promise<BuiltService> {
  const database = await createTestDatabase();
  const processes = new ServiceProcesses(
    dist,
    settings({
      ...testRedisSettings(),
      // as the owner of the schema, which this commit creates
      DATABASE_URL: database.url,
      ...(await sandboxSettings()),
      ...GENEROUS_LIMITS,
      RATE_LIMIT_PER_MINUTE: '1000000',
      CORS_ORIGINS: 'https://frontend.example',
    }),
  );
  command(processes, 'migrate');
  command(processes, ...partnerArguments());
  const { url } = await processes.start();
  return {
    url,
    close: async () => {
      await processes.killAll();
      await database.drop();
    },
  };
}

function partnerArguments(): string[] {
  const key = join(tmpdir(), `partner-${process.pid}.json`);
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(key, JSON.stringify(publicKey.export({ format: 'jwk' })));
  const partner = ['--name', 'Test partner', '--url', 'https://app.partner.example', '--public-key', key];
  return ['partners', 'create', ...partner, '--by', 'tests', '--reason', 'TESTS'];
}

function command(processes: ServiceProcesses, ...args: string[]): void {
  const { status, stderr, stdout } = processes.cli(...args);
  if (status !== 0) throw new Error(`${args[0]} ended with ${status}: ${stdout}${stderr}`);
}
