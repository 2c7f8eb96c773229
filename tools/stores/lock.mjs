// A lock between processes of one checkout that outlives nobody: a dead owner's lock is taken over.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identity, stillLives } from '../processes/processes.mjs';
import { until } from '../processes/wait.mjs';

const createdNow = (file, content) => {
  try {
    writeFileSync(file, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
};

function owner(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // released this moment, or its owner has yet to write the content
  }
}

const olderThan = (file, ms) => {
  try {
    return Date.now() - statSync(file).mtimeMs > ms;
  } catch {
    return false;
  }
};

/**
 * Removes the lock of an owner that died. Of several who notice, only the one that creates the claim for that
 * owner may remove it; a latecomer finds another owner in the lock and leaves it alone.
 */
function takeFromTheDead(file) {
  const found = owner(file);
  const dead = found ? !stillLives(found) : olderThan(file, 5_000);
  if (!dead) return;
  const claim = `${file}.${found?.nonce ?? 'unreadable'}`;
  if (olderThan(claim, 10_000)) rmSync(claim, { force: true });
  if (!createdNow(claim, '')) return;
  try {
    if (owner(file)?.nonce === found?.nonce) rmSync(file, { force: true });
  } finally {
    rmSync(claim, { force: true });
  }
}

/**
 * Runs WORK while no other process runs work under the same lock file. WAITING is called once when another has
 * it. A lock that is not had within LIMIT milliseconds is an error that names its owner.
 */
export async function withLock(file, work, { waiting = () => {}, limit = 120_000 } = {}) {
  mkdirSync(dirname(file), { recursive: true });
  const content = JSON.stringify({ ...identity(), nonce: randomUUID() });
  let told = false;
  const got = await until(
    () => {
      if (createdNow(file, content)) return true;
      takeFromTheDead(file);
      if (!told) waiting(owner(file)?.pid);
      told = true;
      return false;
    },
    { limit, every: 50 },
  );
  if (!got)
    throw new Error(
      `Process ${owner(file)?.pid ?? '?'} has held ${file} for too long; end it and try again.`,
    );
  try {
    return await work();
  } finally {
    // the work may have removed the folder, and in it the lock
    if (owner(file)?.nonce === JSON.parse(content).nonce) rmSync(file, { force: true });
  }
}
