// A lock between processes of one checkout that outlives nobody: a dead owner's lock is taken over.
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

/** The process that has left its identity in FILE, with whatever else it left. */
export function ownerOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // removed this moment, or its owner has yet to write the content
  }
}

const olderThan = (file, ms) =>
  Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > ms;

/**
 * Removes the lock of an owner that died. Of several who notice, only the one that creates the claim for that
 * owner may remove it; a latecomer finds another owner in the lock and leaves it alone.
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
 * Runs WORK while no other process runs work under the same lock file. WAITING is called once when another has
 * it. A lock that is not had within LIMIT milliseconds is an error that names its owner.
 */
export async function withLock(file, work, { waiting = () => {}, limit = 120_000 } = {}) {
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
    // the work may have removed the folder, and in it the lock
    if (ownerOf(file)?.nonce === nonce) rmSync(file, { force: true });
  }
}
