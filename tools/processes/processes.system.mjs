import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { end, identity, isAlive, stillLives, until } from './processes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fd-processes-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A node process that runs SOURCE, prints "up" and stays. */
async function node(source) {
  const script = `${source}; console.log('up'); setInterval(() => {}, 1000)`;
  const stdio = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio });
  await once(child.stdout, 'data');
  return child;
}

it('kills a process that ignores the signal, and knows it from a later one with its number', async () => {
  const child = await node("process.on('SIGTERM', () => {})");
  const known = identity(child.pid);
  assert.equal(stillLives(known), true);
  assert.equal(stillLives({ ...known, started: 'at another time' }), false);
  await end(child.pid, 'SIGTERM', 100);
  assert.deepEqual([isAlive(child.pid), stillLives(known)], [false, false]);
});

it('runs the last command of a killed process, unless it is cancelled', async () => {
  const leaving = async (name, last) => {
    const file = join(folder, name);
    const child = await node(`
      import { runOnDeath } from '${new URL('processes.mjs', import.meta.url).href}';
      const cancel = runOnDeath('/bin/sh', ['-c', 'echo done > "$0"', ${JSON.stringify(file)}]);
      ${last}`);
    child.kill('SIGKILL');
    return file;
  };
  const cancelled = await leaving('cancelled', 'await cancel()');
  // a command that was registered later has run, so the first one would have too
  const killed = await leaving('killed', '');
  assert.equal(await until(() => existsSync(killed), { limit: 10_000 }), true);
  assert.equal(existsSync(cancelled), false);
});
