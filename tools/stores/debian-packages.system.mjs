import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { until } from '../processes/processes.mjs';
import { freePort } from './ports.mjs';
import { COSIGN, DEBOOTSTRAP, finderOf } from './machine-programs.mjs';

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

describe("the keyring of Debian's releases", () => {
  let home;
  let keyring;
  const { PATH, NO_APT } = process.env;
  /** Stands in for apt-get: records its arguments and installs nothing but the keyring and mmdebstrap. */
  before(() => {
    home = mkdtempSync(join(tmpdir(), 'fd-keyring-'));
    keyring = join(home, 'keyring.gpg');
    const lines = [
      '#!/bin/sh',
      `echo "$@" >> ${home}/log`,
      'case "$*" in',
      `  *"install "*" debian-archive-keyring") touch ${keyring} ;;`,
      `  *"install "*" mmdebstrap") touch ${home}/fd-mmdebstrap ;;`,
      '  *"update "*) ;;',
      '  *) echo "cannot $*" >&2; exit 100 ;;',
      'esac',
    ];
    writeFileSync(join(home, 'apt-get'), `${lines.join('\n')}\n`, { mode: 0o755 });
    process.env.PATH = `${home}:${PATH}`;
    delete process.env.NO_APT;
  });
  after(() => {
    process.env.PATH = PATH;
    if (NO_APT !== undefined) process.env.NO_APT = NO_APT;
    rmSync(home, { recursive: true });
  });

  /** Looks for PROGRAM as user UID, with this keyring. Returns the path, or the error, and the packages that apt-get was to install. */
  async function find(program, { mock }, uid = 0) {
    for (const name of ['log', 'fd-mmdebstrap']) rmSync(join(home, name), { force: true });
    mock.method(process, 'getuid', () => uid);
    const own = { ...program, keyring: { ...program.keyring, file: keyring } };
    const found = await finderOf(own)().catch((error) => error);
    const log = existsSync(join(home, 'log')) ? readFileSync(join(home, 'log'), 'utf8').split('\n') : [];
    return {
      found,
      installed: log.filter((line) => line.includes('install ')).map((line) => line.split(' ').at(-1)),
    };
  }
  const debootstrap = { ...DEBOOTSTRAP, names: ['fd-mmdebstrap'] };

  it('installs the keyring as root before mmdebstrap on a machine that lacks it', async (test) => {
    rmSync(keyring, { force: true });
    const { found, installed } = await find(debootstrap, test);
    assert.deepEqual(
      [found, installed],
      [join(home, 'fd-mmdebstrap'), ['debian-archive-keyring', 'mmdebstrap']],
    );
  });

  it('installs the keyring as root before it fetches cosign from another release', async (test) => {
    rmSync(keyring, { force: true });
    const { installed } = await find({ ...COSIGN, unpacked: undefined }, test);
    assert.deepEqual(installed, ['debian-archive-keyring']);
  });

  it('installs no keyring on a machine that has it', async (test) => {
    writeFileSync(keyring, '');
    assert.deepEqual((await find(debootstrap, test)).installed, ['mmdebstrap']);
  });

  it('shows a user without rights how to install the keyring', async (test) => {
    rmSync(keyring, { force: true });
    const { found, installed } = await find({ ...COSIGN, unpacked: undefined }, test, NOBODY);
    assert.deepEqual(installed, []);
    assert.match(found.message, /apt-get install debian-archive-keyring/);
  });
});
