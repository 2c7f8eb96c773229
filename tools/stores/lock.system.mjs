import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { withLock } from './lock.mjs';
import { recorded } from '../dev/spec-workspace.mjs';
import { identity, until } from '../processes/processes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fd-lock-'));
const [file, lock] = ['number', 'lock'].map((name) => join(folder, name));
after(() => rmSync(folder, { recursive: true, force: true }));

function holding(work) {
  const source = `import { readFileSync, writeFileSync } from 'node:fs';
    import { withLock } from '${new URL('lock.mjs', import.meta.url).href}';
    const [file, lock] = process.argv.slice(1);
    ${work}`;
  return recorded(process.execPath, ['--input-type=module', '-e', source, file, lock]);
}

/** Four processes each add one to the number five times, in two steps, which another process could interrupt. */
async function count() {
  writeFileSync(file, '0');
  const adding = `for (let i = 0; i < 5; i++) await withLock(lock, async () => {
    const number = Number(readFileSync(file, 'utf8'));
    await new Promise((done) => setTimeout(done, 5));
    writeFileSync(file, String(number + 1));
  });`;
  await Promise.all(Array.from({ length: 4 }, () => holding(adding).exited));
  return readFileSync(file, 'utf8');
}

describe('withLock', () => {
  it('runs the work of one process at a time, and releases the lock after failed work', async () => {
    await assert.rejects(
      withLock(lock, () => Promise.reject(new Error('broken'))),
      /broken/,
    );
    assert.equal(await count(), '20');
  });

  it('is taken over from a killed owner by one of many processes', async () => {
    const owner = holding('await withLock(lock, () => new Promise(() => setInterval(() => {}, 1000)));');
    await until(() => existsSync(lock) && readFileSync(lock, 'utf8') !== '', { limit: 10_000 });
    owner.child.kill('SIGKILL');
    await owner.exited;
    assert.equal(await count(), '20');
    assert.equal(existsSync(lock), false);
  });

  it('gives up with the name of the owner', async () => {
    writeFileSync(lock, JSON.stringify({ ...identity(), nonce: 'other' }));
    await assert.rejects(
      withLock(lock, () => {}, { limit: 200 }),
      new RegExp(`Process ${process.pid} has held`),
    );
  });
});
