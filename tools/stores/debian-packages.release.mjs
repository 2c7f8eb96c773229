import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { COSIGN, DEBOOTSTRAP, finderOf } from './machine-programs.mjs';

const run = promisify(execFile);
const NOBODY = 65_534;
const isRoot = process.getuid() === 0;
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

let home;
before(() => {
  const folder = mkdtempSync(join(tmpdir(), 'fd-debian-'));
  chmodSync(folder, 0o711);
  home = join(folder, 'home');
  mkdirSync(home);
  if (isRoot) chownSync(home, NOBODY, NOBODY);
});
after(() => rmSync(join(home, '..'), { recursive: true }));

it(
  'unpacks a program for a user without rights, once',
  { skip: !existsSync('/usr/bin/apt-get') },
  async () => {
    const unpack = async (...args) =>
      (await run(process.execPath, ['--input-type=module', '-e', SCRIPT, home, ...args])).stdout;
    const program = await unpack();
    assert.equal(statSync(program).uid, isRoot ? NOBODY : process.getuid());
    assert.match((await run(program, ['--version'], { cwd: '/' })).stdout, /(Redis|Valkey) server v=/);
    // without network or apt
    assert.equal(await unpack('/nowhere'), program);
  },
);

describe("the keyring of Debian's releases", () => {
  const { PATH, NO_APT } = process.env;
  const keyring = () => join(home, 'keyring.gpg');
  before(() => {
    // stands in for apt-get: installs nothing but the keyring and mmdebstrap
    const lines = [
      '#!/bin/sh',
      'case "$*" in',
      `  *"install "*" debian-archive-keyring") touch ${keyring()} ;;`,
      `  *"install "*" mmdebstrap") [ -e ${keyring()} ] && touch ${home}/fd-mmdebstrap ;;`,
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
  });
  const withKeyring = (program) => ({ ...program, keyring: { ...program.keyring, file: keyring() } });

  it('is installed by root before mmdebstrap on a machine that lacks it', async (test) => {
    test.mock.method(process, 'getuid', () => 0);
    const found = await finderOf(withKeyring({ ...DEBOOTSTRAP, names: ['fd-mmdebstrap'] }))();
    assert.equal(found, join(home, 'fd-mmdebstrap'));
  });

  it('is named to a user without rights', async (test) => {
    rmSync(keyring());
    test.mock.method(process, 'getuid', () => NOBODY);
    const found = finderOf(withKeyring({ ...COSIGN, unpacked: undefined }))();
    await assert.rejects(found, /apt-get install debian-archive-keyring/);
    assert.equal(existsSync(keyring()), false);
  });
});
