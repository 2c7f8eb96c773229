import '@fd/testing/use-generous-limits';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logIn } from '../../test/support/login.js';
import { WHO } from '../../test/support/operator.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';

describe('users export --to', () => {
  let service: TestService;
  const folder = mkdtempSync(join(tmpdir(), 'export-'));
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('leaves no half of a file after %s', async (signal) => {
    const { user_id: user } = await logIn(service);
    const cli = join(import.meta.dirname, '../../dist/cli.js');
    const args = ['users', 'export', '--user', user, '--to', join(folder, 'export.json'), ...WHO];
    const watcher = watch(folder);
    const created = once(watcher, 'change');
    await service.dataSource.transaction(async (transaction) => {
      // a busy machine takes long to start the command
      await transaction.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      // the export waits here, with the first tables in the file
      await transaction.query('LOCK TABLE onboarding.nominees IN ACCESS EXCLUSIVE MODE');
      const env = new ServiceProcesses(service.environment).environment();
      const child = spawn(process.execPath, [cli, ...args], { env, stdio: 'ignore' });
      const ended = once(child, 'exit');
      await Promise.race([created, ended]);
      child.kill(signal);
      expect(await ended).toEqual([143, null]);
    });
    watcher.close();
    expect(readdirSync(folder)).toEqual([]);
  });
});
