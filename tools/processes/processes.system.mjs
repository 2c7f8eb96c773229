import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { end, identity, isAlive, stillLives, until } from './processes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fd-processes-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const tools = new URL('.', import.meta.url).href;

/** A node process that runs SOURCE and then prints "up". */
async function node(source) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${source}; console.log('up')`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

const forever = 'setInterval(() => {}, 1000)';

describe('processes', () => {
  it('are distinguished from earlier ones with the same number', async () => {
    const child = await node(forever);
    const known = identity(child.pid);
    assert.equal(stillLives(known), true);
    assert.equal(stillLives({ ...known, started: 'at another time' }), false);
    await end(child.pid);
    assert.equal(stillLives(known), false);
  });

  it('are killed when they ignore the signal', async () => {
    const child = await node(`process.on('SIGTERM', () => {}); ${forever}`);
    await end(child.pid, 'SIGTERM', 100);
    assert.equal(isAlive(child.pid), false);
    assert.equal(child.signalCode ?? (await once(child, 'exit'))[1], 'SIGKILL');
  });

  const leaving = (file, last) => `
    import { runOnDeath } from '${tools}processes.mjs';
    const cancel = runOnDeath('/bin/sh', ['-c', 'echo done > "$0"', ${JSON.stringify(file)}]);
    ${last}`;

  it('have their last command run when they are killed', async () => {
    const file = join(folder, 'killed');
    const child = await node(leaving(file, forever));
    child.kill('SIGKILL');
    assert.equal(await until(() => existsSync(file), { limit: 10_000 }), true);
  });

  it('have no last command run once it is cancelled', async () => {
    const cancelled = join(folder, 'cancelled');
    const after = join(folder, 'after');
    const child = await node(leaving(cancelled, `await cancel(); ${forever}`));
    child.kill('SIGKILL');
    // a command that was registered later has run, so the first one would have too
    const second = await node(leaving(after, forever));
    second.kill('SIGKILL');
    assert.equal(await until(() => existsSync(after), { limit: 10_000 }), true);
    assert.equal(existsSync(cancelled), false);
  });
});
