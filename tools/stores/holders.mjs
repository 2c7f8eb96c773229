// Who uses the PostgreSQL and Redis of a home: they end with the last of them.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identity, stillLives } from '../processes/processes.mjs';

const folderOf = (home) => join(home, 'holders');

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Notes that this process uses HOME. TITLE is how a person would recognise it ("npm start"). */
export function addHolder(home, title) {
  mkdirSync(folderOf(home), { recursive: true });
  writeFileSync(join(folderOf(home), String(process.pid)), JSON.stringify({ ...identity(), title }));
}

export const removeHolder = (home, pid) => rmSync(join(folderOf(home), String(pid)), { force: true });

/** The living users of HOME ({pid, title}); the dead ones are forgotten. */
export function holders(home) {
  if (!existsSync(folderOf(home))) return [];
  return readdirSync(folderOf(home)).flatMap((name) => {
    const file = join(folderOf(home), name);
    const holder = read(file);
    if (holder && stillLives(holder)) return [holder];
    rmSync(file, { force: true });
    return [];
  });
}
