// A lock between processes of one checkout. The lock of a dead owner is taken over.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identity, stillLives, until } from '../processes/processes.mjs';

function createdNow(file, content) {
  try {
    writeFileSync(file, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

/** Reads the owner's identity, and its other data, from FILE. */
export function ownerOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // just removed, or not yet written by its owner
  }
}

const olderThan = (file, ms) =>
  Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > ms;

/**
 * Removes the lock of a dead owner. Of several processes that notice, only the process that creates the claim on that
 * owner removes it; a late one finds another owner in the lock and leaves it.
 */
function takeFromTheDead(file) {
  const found = ownerOf(file);
  const dead = found ? !stillLives(found) : olderThan(file, 5_000);
  if (!dead) return;
  const claim = `${file}.${found?.nonce ?? 'unreadable'}`;
  if (olderThan(claim, 10_000)) rmSync(claim, { force: true });
  if (!createdNow(claim, '')) return;
  if (ownerOf(file)?.nonce === found?.nonce) rmSync(file, { force: true });
  rmSync(claim, { force: true });
}

/**
 * Runs WORK while no other process runs work under the same lock file. Calls WAITING once if another process has the lock.
 * @throws Error with the owner's name after LIMIT milliseconds
 */
export async function withLock(file, work, { waiting = () => {}, limit = 600_000 } = {}) {
  mkdirSync(dirname(file), { recursive: true });
  const nonce = randomUUID();
  const content = JSON.stringify({ ...identity(), nonce });
  const take = () => {
    if (createdNow(file, content)) return true;
    takeFromTheDead(file);
    return false;
  };
  if (!take()) {
    waiting(ownerOf(file)?.pid);
    if (!(await until(take, { limit, every: 50 }))) {
      const pid = ownerOf(file)?.pid ?? '?';
      throw new Error(`Process ${pid} has held ${file} for too long; end it and try again.`);
    }
  }
  try {
    return await work();
  } finally {
    // the work may have removed the folder with the lock
    if (ownerOf(file)?.nonce === nonce) rmSync(file, { force: true });
  }
}
