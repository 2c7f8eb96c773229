import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { promisify } from 'node:util';

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
