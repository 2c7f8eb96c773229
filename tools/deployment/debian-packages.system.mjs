import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { until } from '../processes/processes.mjs';
import { freePort } from '../stores/ports.mjs';

const run = promisify(execFile);
const NOBODY = 65_534;
const module = JSON.stringify(new URL('debian-packages.mjs', import.meta.url).href);

/** Drops root after the imports, because only root may be able to enter the checkout. */
const SCRIPT = `
  const { unpackedProgram } = await import(${module});
  if (process.getuid() === 0) {
    process.setgroups([]);
    process.setgid(${NOBODY});
    process.setuid(${NOBODY});
  }
  const [home, lists] = process.argv.slice(1);
  if (lists) process.env.PATH = lists;
  process.stdout.write(await unpackedProgram(home, ['redis-server', 'redis-tools'], 'usr/bin/redis-server'));
`;

describe(
  'a program of a Debian package, for a user without rights',
  { skip: !existsSync('/usr/bin/apt-get') && 'no apt' },
  () => {
    let home;
    before(() => {
      const folder = mkdtempSync(join(tmpdir(), 'fd-debian-'));
      chmodSync(folder, 0o711);
      home = join(folder, 'home');
      mkdirSync(home);
      if (process.getuid() === 0) chownSync(home, NOBODY, NOBODY);
    });
    after(() => rmSync(join(home, '..'), { recursive: true }));

    const unpack = async (...args) =>
      (await run(process.execPath, ['--input-type=module', '-e', SCRIPT, home, ...args])).stdout;

    it('is unpacked and serves', async () => {
      const program = await unpack();
      assert.equal(program, join(home, 'redis-server/start'));
      assert.equal(statSync(program).uid, process.getuid() === 0 ? NOBODY : process.getuid());
      const port = await freePort();
      const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', home];
      const child = spawn(program, options, { stdio: 'ignore', cwd: '/' });
      const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => null });
      client.on('error', () => {}); // connect() reports it too
      const isThere = () =>
        client.connect().then(
          () => true,
          () => false,
        );
      assert.equal(await until(isThere, { limit: 10_000 }), true);
      assert.equal(await client.ping(), 'PONG');
      client.disconnect();
      child.kill();
      await once(child, 'exit');
    });

    it('is reused the next time, without network or apt', async () => {
      assert.equal(await unpack('/nowhere'), join(home, 'redis-server/start'));
    });

    it('fails with the reason for an unknown package, and leaves nothing behind', async () => {
      const { unpackedProgram } = await import('./debian-packages.mjs');
      const other = join(home, '../other');
      await assert.rejects(unpackedProgram(other, ['no-such-package'], 'bin/x'), /no-such-package/);
      assert.equal(existsSync(join(other, 'no-such-package')), false);
    });
  },
);
