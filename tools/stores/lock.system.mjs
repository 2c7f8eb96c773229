import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { withLock } from './lock.mjs';
import { identity, until } from '../processes/processes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fd-lock-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const lockModule = new URL('lock.mjs', import.meta.url).href;

const node = (source) =>
  spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'ignore', 'inherit'] });

/** Adds one to the number in FILE, in two steps, which another process could interrupt. */
const counting = (file, lock) => `
  import { readFileSync, writeFileSync } from 'node:fs';
  import { withLock } from '${lockModule}';
  for (let i = 0; i < 5; i++) await withLock(${JSON.stringify(lock)}, async () => {
    const number = Number(readFileSync(${JSON.stringify(file)}, 'utf8'));
    await new Promise((done) => setTimeout(done, 5));
    writeFileSync(${JSON.stringify(file)}, String(number + 1));
  });`;

describe('withLock', () => {
  it('runs the work of one process at a time', async () => {
    const file = join(folder, 'number');
    writeFileSync(file, '0');
    const children = Array.from({ length: 4 }, () => node(counting(file, join(folder, 'one.lock'))));
    await Promise.all(children.map((child) => once(child, 'exit')));
    assert.equal(readFileSync(file, 'utf8'), '20');
  });

  it('is taken over from a killed owner by one of many processes', async () => {
    const lock = join(folder, 'killed.lock');
    const owner = node(`
      import { withLock } from '${lockModule}';
      await withLock(${JSON.stringify(lock)}, () => new Promise(() => setInterval(() => {}, 1000)));`);
    await until(() => existsSync(lock) && readFileSync(lock, 'utf8') !== '', { limit: 10_000 });
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    const file = join(folder, 'after');
    writeFileSync(file, '0');
    const children = Array.from({ length: 4 }, () => node(counting(file, lock)));
    await Promise.all(children.map((child) => once(child, 'exit')));
    assert.equal(readFileSync(file, 'utf8'), '20');
    assert.equal(existsSync(lock), false);
  });

  it('is released after failed work', async () => {
    const lock = join(folder, 'failed.lock');
    await assert.rejects(
      withLock(lock, () => Promise.reject(new Error('broken'))),
      /broken/,
    );
    assert.equal(await withLock(lock, () => 'next'), 'next');
  });

  it('gives up with the name of the owner', async () => {
    const lock = join(folder, 'busy.lock');
    writeFileSync(lock, JSON.stringify({ ...identity(), nonce: 'other' }));
    const waitedFor = [];
    const waiting = (pid) => waitedFor.push(pid);
    const attempt = withLock(lock, () => {}, { waiting, limit: 200 });
    await assert.rejects(attempt, new RegExp(`Process ${process.pid} has held`));
    assert.deepEqual(waitedFor, [process.pid]);
  });
});
